/*
 * daemon_process.c
 *		The process of gpuaggd: start, signals, end.
 *
 * Owns the process and its two pipes.  Only the supervisor calls these
 * functions; it has one thread and one child.  They raise no error, and none
 * but ga_daemon_kill() waits.
 *
 * gpuaggd gets nothing of PostgreSQL's but the environment, a pipe as standard
 * input, one for its output, and the descriptor that holds the lock.  It stays
 * in the process group of the supervisor, for the postmaster signals groups;
 * and it is killed when the supervisor ends, however that happens.
 */
#include "postgres.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libpq/pqsignal.h"

#include "daemon_process.h"
#include "extension/clock.h"
#include "extension/pg_compat.h"
#include "wire/exit_codes.h"

/* How long gpuaggd may take to end after SIGTERM, and after SIGKILL. */
#define TERM_MS 500
#define KILL_MS 300

/* Where gpuaggd finds the lock, which it must only keep open. */
#define LOCK_DESCRIPTOR 3

GA_NORETURN static void run_child(char *const argv[], int input, int output,
								  int lock, pid_t parent);

/*
 * In the child: reset all handlers.  Signals are still blocked.  gpuaggd gets
 * those of the supervisor's process group, and has no query for SIGINT to
 * cancel.
 */
static void
default_signals(void)
{
	struct sigaction action;
	int i;

	memset(&action, 0, sizeof(action));
	action.sa_handler = SIG_DFL;
	sigemptyset(&action.sa_mask);
	for (i = 1; i < NSIG; i++)
		(void) sigaction(i, &action, NULL);
	action.sa_handler = SIG_IGN;
	(void) sigaction(SIGINT, &action, NULL);
}

/* In the child: close all descriptors from first on. */
static void
close_from(int first)
{
	struct rlimit limit;
	rlim_t i;

#ifdef SYS_close_range
	if (syscall(SYS_close_range, (unsigned int) first, ~0U, 0) == 0)
		return;
#endif
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > 1024 * 1024)
		limit.rlim_cur = 1024 * 1024;
	for (i = first; i < limit.rlim_cur; i++)
		close((int) i);
}

/* In the child: have the four descriptors of gpuaggd, and no others. */
static void
arrange_descriptors(int input, int output, int lock)
{
	if (dup2(input, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
		dup2(output, STDERR_FILENO) < 0 ||
		(lock != LOCK_DESCRIPTOR && dup2(lock, LOCK_DESCRIPTOR) < 0) ||
		fcntl(LOCK_DESCRIPTOR, F_SETFD, 0) < 0)
		_exit(GA_EXIT_NOT_EXECUTED);
	close_from(LOCK_DESCRIPTOR + 1);
}

/* In the child: write why there is no gpuaggd, in gpuaggd's form. */
static void
write_failure(const char *path, int error)
{
	char line[MAXPGPATH + 128];
	ssize_t written;

	snprintf(line, sizeof(line), "FATAL: could not execute \"%s\": %s\n", path,
			 strerror(error));
	written = write(STDERR_FILENO, line, strlen(line));
	(void) written;
}

/*
 * Be the child, from fork to exec.  Whatever happens, it must not go on as a
 * PostgreSQL process: no ereport, no palloc, no exit handlers.
 */
static void
run_child(char *const argv[], int input, int output, int lock, pid_t parent)
{
	sigset_t none;

	default_signals();
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
		_exit(GA_EXIT_NOT_EXECUTED);
	arrange_descriptors(input, output, lock);
	sigemptyset(&none);
	(void) sigprocmask(SIG_SETMASK, &none, NULL);
	execv(argv[0], argv);
	write_failure(argv[0], errno);
	_exit(GA_EXIT_NOT_EXECUTED);
}

/*
 * Make the two pipes; to[1] and from[0] are our ends.  Returns false, and sets
 * errno, if there can be none.
 */
static bool
make_pipes(int to[2], int from[2])
{
	int error;

	if (pipe2(to, O_CLOEXEC) != 0)
		return false;
	if (pipe2(from, O_CLOEXEC) == 0)
	{
		(void) fcntl(to[1], F_SETFL, O_NONBLOCK);
		(void) fcntl(from[0], F_SETFL, O_NONBLOCK);
		return true;
	}
	error = errno;
	close(to[0]);
	close(to[1]);
	errno = error;
	return false;
}

/* Begin without a process. */
void
ga_daemon_init(GaDaemonProcess *daemon)
{
	memset(daemon, 0, sizeof(*daemon));
	daemon->input = -1;
	ga_daemon_output_open(&daemon->output, -1);
}

/*
 * Start gpuaggd with these arguments, the first of which is its path, and let
 * it inherit the lock.  There must be no process, and no open pipe.  Returns
 * false, and sets errno, if there can be no new process.  That gpuaggd cannot
 * be executed shows later: the process ends with GA_EXIT_NOT_EXECUTED.
 */
bool
ga_daemon_start(GaDaemonProcess *daemon, char *const argv[], int lock)
{
	pid_t parent = getpid();
	sigset_t all;
	sigset_t before;
	int to[2];
	int from[2];
	int error;

	Assert(daemon->pid == 0);
	if (!make_pipes(to, from))
		return false;

	/* handlers are PostgreSQL's: none may run in the child */
	sigfillset(&all);
	(void) sigprocmask(SIG_SETMASK, &all, &before);
	daemon->pid = fork();
	if (daemon->pid == 0)
		run_child(argv, to[0], from[1], lock, parent);
	error = errno;
	(void) sigprocmask(SIG_SETMASK, &before, NULL);

	close(to[0]);
	close(from[1]);
	daemon->input = to[1];
	ga_daemon_output_open(&daemon->output, from[0]);
	daemon->kill_at = daemon->lost_at = 0;
	if (daemon->pid < 0)
	{
		daemon->pid = 0;
		ga_daemon_close(daemon);
		errno = error;
		return false;
	}
	return true;
}

/* Send SIGTERM to gpuaggd, unless it was sent before. */
void
ga_daemon_stop(GaDaemonProcess *daemon)
{
	if (daemon->pid == 0 || daemon->kill_at != 0)
		return;
	(void) kill(daemon->pid, SIGTERM);
	daemon->kill_at = ga_clock_ms() + TERM_MS;
}

/* Send SIGKILL to gpuaggd, which will not end otherwise. */
void
ga_daemon_end_hung(GaDaemonProcess *daemon)
{
	(void) kill(daemon->pid, SIGKILL);
	daemon->kill_at = ga_clock_ms();
	daemon->lost_at = daemon->kill_at + KILL_MS;
}

/*
 * Kill a gpuaggd that did not end on SIGTERM.  If it does not end even
 * then, and may be lost, the process is no longer tracked.
 */
void
ga_daemon_stop_retry(GaDaemonProcess *daemon, bool may_be_lost)
{
	int64 now = ga_clock_ms();

	if (daemon->pid == 0)
		return;
	if (daemon->lost_at != 0)
	{
		if (now < daemon->lost_at || !may_be_lost)
			return;
		ereport(WARNING, (errmsg("gpuaggd did not end when it was killed"),
						  errdetail("Process %d may be waiting for the driver.",
									(int) daemon->pid),
						  errhint("It keeps its memory on the device until it "
								  "ends: see the kernel's log, and "
								  "nvidia-smi.")));
		daemon->pid = 0;
	}
	else if (daemon->kill_at != 0 && now >= daemon->kill_at)
	{
		(void) kill(daemon->pid, SIGKILL);
		daemon->lost_at = now + KILL_MS;
	}
}

/* Return when ga_daemon_stop_retry() is next due; 0 if it is not. */
int64
ga_daemon_stop_deadline(const GaDaemonProcess *daemon, bool may_be_lost)
{
	if (daemon->lost_at != 0)
		return may_be_lost ? daemon->lost_at : 0;
	return daemon->kill_at;
}

/* Kill gpuaggd, and wait a little for its end; it is then not tracked. */
void
ga_daemon_kill(GaDaemonProcess *daemon)
{
	int wait_status;
	int i;

	if (daemon->pid != 0)
		(void) kill(daemon->pid, SIGKILL);
	for (i = 0; daemon->pid != 0 && i < KILL_MS / 10; i++)
	{
		if (!ga_daemon_wait(daemon, &wait_status))
			pg_usleep(10 * 1000);
	}
	daemon->pid = 0;
}

/*
 * Has the process ended?  If so, it is reaped, and *wait_status says how it
 * ended.  What it wrote last can still be read.
 */
bool
ga_daemon_wait(GaDaemonProcess *daemon, int *wait_status)
{
	pid_t pid;

	if (daemon->pid == 0)
		return false;
	do
		pid = waitpid(daemon->pid, wait_status, WNOHANG);
	while (pid < 0 && errno == EINTR);
	if (pid == 0)
		return false;
	if (pid < 0)
		*wait_status = 0; /* cannot be: only this process waits for it */
	daemon->pid = 0;
	return true;
}

/* Close both pipes. */
void
ga_daemon_close(GaDaemonProcess *daemon)
{
	if (daemon->input >= 0)
		close(daemon->input);
	daemon->input = -1;
	ga_daemon_output_close(&daemon->output);
}

/* Would another start end like this, until the machine is repaired? */
bool
ga_daemon_end_is_final(int wait_status)
{
	if (!WIFEXITED(wait_status))
		return false;
	switch (WEXITSTATUS(wait_status))
	{
		case GA_EXIT_USAGE:
		case GA_EXIT_NO_DRIVER:
		case GA_EXIT_NO_DEVICE:
		case GA_EXIT_NO_STAGING:
		case GA_EXIT_ABSENT:
		case GA_EXIT_NOT_EXECUTED:
			return true;
		default:
			return false;
	}
}

/* Did it end because no session used it? */
bool
ga_daemon_end_is_idle(int wait_status)
{
	return WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == GA_EXIT_IDLE;
}

/* Did somebody tell it to end? */
bool
ga_daemon_end_is_orderly(int wait_status)
{
	return WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0;
}

/* Is there nothing wrong, but no device on this machine? */
bool
ga_daemon_end_is_absent(int wait_status)
{
	return WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == GA_EXIT_ABSENT;
}

/* Write how the process ended, in words. */
void
ga_daemon_describe_end(int wait_status, char *text, size_t size)
{
	if (WIFSIGNALED(wait_status))
		snprintf(text, size, "gpuaggd was terminated by signal %d",
				 WTERMSIG(wait_status));
	else if (ga_daemon_end_is_orderly(wait_status))
		snprintf(text, size, "gpuaggd was told to end");
	else
		snprintf(text, size, "gpuaggd exited with exit code %d",
				 WEXITSTATUS(wait_status));
}
