/*
 * exit.c
 *		How gpuaggd ends, and what it says then.
 *
 * Always by _exit(): the driver and the kernel take back what it has, and
 * nothing waits for a device that may never answer.
 */
#include <unistd.h>

#include "exit.h"
#include "listener.h"
#include "log.h"
#include "session.h"

/* A signal asked for it.  Clients see the end of their connections. */
void
ga_exit_stopped(void)
{
	ga_listener_close();
	ga_log("shut down");
	_exit(GA_EXIT_STOPPED);
}

void
ga_exit_fatal(GaExit code, const char *format, ...)
{
	va_list args;

	ga_listener_close();
	va_start(args, format);
	ga_log_line("FATAL: ", format, args);
	va_end(args);
	_exit(code);
}

/* A device, or what it needs, cannot be had. */
void
ga_exit_refused(GaStatus status, const GaDeviceFailure *failure)
{
	GaExit code = status == GA_NO_DRIVER ? GA_EXIT_NO_DRIVER :
				  status == GA_NO_DEVICE ? GA_EXIT_NO_DEVICE :
										   GA_EXIT_FAILED;

	ga_exit_fatal(code, "%s: %s", failure->call, failure->message);
}

/*
 * The device failed, or did not answer for too long.  All who wait for an
 * answer get this one.
 */
void
ga_exit_lost(const GaDeviceFailure *failure)
{
	ga_sessions_fail(GA_DEVICE_FAILED, failure);
	ga_exit_fatal(GA_EXIT_FAILED, "%s: %s", failure->call, failure->message);
}
