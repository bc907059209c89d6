/*
 * exit.c
 *		How gpuaggd ends, and its last log line.
 *
 * Owns the hooks that main.c sets: what has to happen before the end
 * elsewhere.  Called by any file that cannot go on.  Ends by _exit(): the
 * driver and the kernel take back all memory, and nothing may wait for a
 * device that may never answer.  Must not include a header of those whom the
 * hooks reach.
 */
#include <unistd.h>

#include "exit.h"
#include "log.h"

static void (*device_lost_hook)(const GaDeviceFailure *failure);
static void (*at_exit_hook)(void);

/*
 * Set what is called when the device was lost, before the end, and what is
 * called at every end.
 */
void
ga_exit_set_hooks(void (*device_lost)(const GaDeviceFailure *),
				  void (*at_exit)(void))
{
	device_lost_hook = device_lost;
	at_exit_hook = at_exit;
}

static void
call_at_exit(void)
{
	if (at_exit_hook != NULL)
		at_exit_hook();
}

/* End because of a signal.  Clients see the end of their connections. */
void
ga_exit_stopped(void)
{
	call_at_exit();
	ga_log("shut down");
	_exit(GA_EXIT_STOPPED);
}

/* End because no session uses the program. */
void
ga_exit_idle(void)
{
	call_at_exit();
	_exit(GA_EXIT_IDLE);
}

/* End with a line for the server's log. */
void
ga_exit_fatal(GaExit code, const char *format, ...)
{
	va_list args;

	call_at_exit();
	va_start(args, format);
	ga_log_line("FATAL: ", format, args);
	va_end(args);
	_exit(code);
}

/* End because a device, or what it needs, cannot be opened. */
void
ga_exit_refused(GaStatus status, const GaDeviceFailure *failure)
{
	GaExit code = status == GA_NO_DRIVER || status == GA_OLD_DRIVER ?
					  GA_EXIT_NO_DRIVER :
				  status == GA_NO_DEVICE ? GA_EXIT_NO_DEVICE :
										   GA_EXIT_FAILED;

	ga_exit_fatal(code, "%s: %s", failure->call, failure->message);
}

/*
 * End because the device failed, or did not answer in time.  The hook sends
 * this failure as the reply to all requests.
 */
void
ga_exit_lost(const GaDeviceFailure *failure)
{
	if (device_lost_hook != NULL)
		device_lost_hook(failure);
	ga_exit_fatal(GA_EXIT_FAILED, "%s: %s", failure->call, failure->message);
}
