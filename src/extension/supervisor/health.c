/*
 * health.c
 *		Watching gpuaggd, and keeping sessions from waiting for a hung one.
 *
 * Owns the heartbeat of the gpuaggd that is up, and the mode of its socket.
 * While gpuaggd does not answer, nobody may connect: the kernel then refuses a
 * session's connection at once, and a session that waits for a reply tests the
 * mode (connect.c).  So all sessions know, without shared memory and without a
 * file that might not be written.
 *
 * Only the supervisor calls these functions, which never wait and raise no
 * error.  What cannot be seen is taken for a gpuaggd that works.
 */
#include "postgres.h"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "storage/fd.h"

#include "extension/clock.h"
#include "health.h"
#include "supervisor.h"

#define MODE_OPEN	0600
#define MODE_CLOSED 0

/* How many looks in a row must not find the socket. */
#define MISSING_LOOKS 3

static GaHeartbeat heartbeat;
static bool is_closed; /* sessions are kept away */
static int n_missing;  /* last looks that did not find the socket */

/* Begin with a gpuaggd that is not up. */
void
ga_health_reset(void)
{
	memset(&heartbeat, 0, sizeof(heartbeat));
	is_closed = false;
	n_missing = 0;
}

/* Is there something that gpuaggd has not read? */
bool
ga_health_has_unread(void)
{
	return heartbeat.last.n_unread > 0;
}

/* Read a small file of a process, up to a zero byte. */
static bool
read_proc(pid_t pid, const char *name, char *text, size_t size)
{
	char path[64];
	FILE *file;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int) pid, name);
	file = AllocateFile(path, PG_BINARY_R);
	if (file == NULL)
		return false;
	n = fread(text, 1, size - 1, file);
	FreeFile(file);
	text[n] = '\0';
	return n > 0;
}

/*
 * Read whether the main loop, the first thread of the process, is ready to run,
 * and what time it has used.
 */
static void
look_at_times(pid_t pid, GaHeartbeatLook *look)
{
	char name[32];
	char text[1024];
	char state;
	unsigned long user;
	unsigned long system;
	const char *p;

	snprintf(name, sizeof(name), "task/%d/stat", (int) pid);
	/* the program's name, in parentheses, may have anything in it */
	if (!read_proc(pid, name, text, sizeof(text)) ||
		(p = strrchr(text, ')')) == NULL ||
		sscanf(p + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
			   &state, &user, &system) != 3)
		return;
	look->is_runnable = state == 'R';
	look->cpu_ms =
		(int64_t) (user + system) * 1000 / Max(sysconf(_SC_CLK_TCK), 1);
}

/* Is a debugger attached to the process? */
static bool
is_traced(pid_t pid)
{
	char text[4096];
	const char *p;

	return read_proc(pid, "status", text, sizeof(text)) &&
		   (p = strstr(text, "\nTracerPid:")) != NULL &&
		   atoi(p + strlen("\nTracerPid:")) != 0;
}

/* Let sessions connect, or keep them away. */
static void
set_mode(mode_t mode)
{
	is_closed = mode == MODE_CLOSED;
	if (chmod(GA_SOCKET_PATH, mode) != 0)
		ereport(LOG, (errcode_for_file_access(),
					  errmsg("could not set permissions of file \"%s\": %m",
							 GA_SOCKET_PATH)));
}

/* Log what a look found, for the caller will follow it. */
static void
report(GaHealthChange change, pid_t pid)
{
	switch (change)
	{
		case GA_HEALTH_SAME:
			break;
		case GA_HEALTH_SILENT:
			ereport(LOG, (errmsg("gpuaggd does not answer"),
						  errdetail("Until it does, the CPU computes.")));
			break;
		case GA_HEALTH_BACK:
			ereport(LOG, (errmsg("gpuaggd answers again")));
			break;
		case GA_HEALTH_HUNG:
			ereport(
				WARNING,
				(errmsg("gpuaggd did not answer for %d ms", GA_HUNG_MS),
				 errdetail("Process %d is killed.", (int) pid),
				 errhint("If it happens again, the driver or the device may be "
						 "at fault: see the kernel's log, and nvidia-smi.")));
			break;
		case GA_HEALTH_CUT_OFF:
			ereport(WARNING,
					(errmsg("the socket of gpuaggd was removed"),
					 errdetail("gpuaggd is started again to make another."),
					 errhint("Keep clean-up jobs away from \"%s\".",
							 GA_SOCKET_PATH)));
			break;
	}
}

/*
 * Was the socket removed by somebody else?  A gpuaggd makes it before it is up,
 * and one that ends removes it, too, and is gone soon after that.
 */
static bool
is_cut_off(void)
{
	if (access(GA_SOCKET_PATH, F_OK) == 0 || errno != ENOENT)
		n_missing = 0;
	else
		n_missing++;
	return n_missing >= MISSING_LOOKS;
}

/* Look at a gpuaggd that is up; returns what is new. */
static GaHealthChange
look_at(const GaDaemonProcess *daemon)
{
	GaHeartbeatLook look = {.now_ms = ga_clock_ms()};
	GaHeartbeatState state;

	if (is_cut_off())
		return GA_HEALTH_CUT_OFF;
	if (ioctl(daemon->input, FIONREAD, &look.n_unread) != 0)
		look.n_unread = 0;
	look_at_times(daemon->pid, &look);
	look.is_traced = look.n_unread > 0 && is_traced(daemon->pid);
	state = ga_heartbeat_judge(&heartbeat, &look);
	if (state == GA_HEARTBEAT_HUNG)
		return GA_HEALTH_HUNG;
	if ((state == GA_HEARTBEAT_SILENT) == is_closed)
		return GA_HEALTH_SAME;
	set_mode(is_closed ? MODE_OPEN : MODE_CLOSED);
	return is_closed ? GA_HEALTH_SILENT : GA_HEALTH_BACK;
}

/*
 * Look at a gpuaggd that is up, before more is written to its input, and log
 * what is new.
 */
GaHealthChange
ga_health_look(const GaDaemonProcess *daemon)
{
	GaHealthChange change = look_at(daemon);

	report(change, daemon->pid);
	return change;
}
