/*
 * daemon_process.c
 *		gpuaggd as a process: to start it, hear it, signal it, bury it.
 *
 * For the supervisor alone, which has one thread and one child.  Nothing here
 * waits, and nothing raises an error.
 *
 * gpuaggd gets nothing of PostgreSQL's but the environment, a pipe as stdin,
 * one for stdout and stderr, and the descriptor that holds the lock.  It stays
 * in the process group of the supervisor, for the postmaster signals groups;
 * and it dies when the supervisor does, however that happens.
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
#include "extension/pg_compat.h"
#include "wire/exit_codes.h"

/* Where gpuaggd finds the lock, which it must only keep open. */
#define LOCK_DESCRIPTOR 3

GA_NORETURN static void run_child(char *const argv[], int input, int output,
								  int lock, pid_t parent);

/* In the child: no handlers, nothing ignored.  Signals are still blocked. */
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
}

/* In the child: closes all descriptors from first on. */
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

/* In the child: the four descriptors that it gets, and no others. */
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

/* In the child: says why there is no gpuaggd, as gpuaggd would. */
static void
complain(const char *path, int error)
{
	char line[MAXPGPATH + 128];
	ssize_t written;

	snprintf(line, sizeof(line), "FATAL: could not execute \"%s\": %s\n", path,
			 strerror(error));
	written = write(STDERR_FILENO, line, strlen(line));
	(void) written;
}

/*
 * The child, from fork to exec.  Whatever happens, it must not go on as a
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
	complain(argv[0], errno);
	_exit(GA_EXIT_NOT_EXECUTED);
}

/* Its two pipes: to[1] and from[0] are ours.  False, and errno, if not. */
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

/*
 * Starts gpuaggd with these arguments, the first of which is its path, and lets
 * it inherit the lock.  False, and errno, if there can be no new process.  That
 * it cannot be executed shows later: it ends with GA_EXIT_NOT_EXECUTED.
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

	/* Handlers are PostgreSQL's: none may run in the child. */
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
	daemon->output = from[0];
	daemon->first = daemon->end = 0;
	daemon->cut = false;
	if (daemon->pid < 0)
	{
		daemon->pid = 0;
		ga_daemon_close(daemon);
		errno = error;
		return false;
	}
	return true;
}

/* Takes a whole line out of the buffer; NULL if there is none. */
static char *
take_line(GaDaemonProcess *daemon)
{
	char *line = daemon->buffer + daemon->first;
	char *newline = memchr(line, '\n', daemon->end - daemon->first);

	if (newline == NULL)
		return NULL;
	*newline = '\0';
	daemon->first = (int) (newline + 1 - daemon->buffer);
	return line;
}

/*
 * Makes room behind what is in the buffer.  A line that fills all of it ends
 * here: what follows up to its newline will be dropped.
 */
static char *
make_room(GaDaemonProcess *daemon)
{
	int n = daemon->end - daemon->first;

	memmove(daemon->buffer, daemon->buffer + daemon->first, n);
	daemon->first = 0;
	daemon->end = n;
	if (n < (int) sizeof(daemon->buffer) - 1)
		return NULL;
	daemon->buffer[n] = '\0';
	daemon->end = 0;
	if (daemon->cut)
		return NULL;
	daemon->cut = true;
	return daemon->buffer;
}

/* Reads more into the buffer.  False if there is nothing, now or for ever. */
static bool
read_more(GaDaemonProcess *daemon)
{
	ssize_t n;

	do
		n = read(daemon->output, daemon->buffer + daemon->end,
				 sizeof(daemon->buffer) - 1 - daemon->end);
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN && daemon->pid != 0)
		return false;
	if (n > 0)
	{
		daemon->end += (int) n;
		return true;
	}
	/* Its end also ends a line, even if others still have the pipe. */
	close(daemon->output);
	daemon->output = -1;
	if (daemon->end > daemon->first)
		daemon->buffer[daemon->end++] = '\n';
	return daemon->end > daemon->first;
}

/*
 * The next line that gpuaggd wrote, without its newline, up to some 1000 bytes
 * of it; NULL if there is no whole line now.  It is good until the next call.
 */
char *
ga_daemon_read_line(GaDaemonProcess *daemon)
{
	char *line;

	for (;;)
	{
		line = take_line(daemon);
		if (line != NULL && daemon->cut)
			daemon->cut = false;
		else if (line != NULL)
			return line;
		else if (daemon->output < 0)
			return NULL;
		else if ((line = make_room(daemon)) != NULL)
			return line;
		else if (!read_more(daemon))
			return NULL;
	}
}

void
ga_daemon_signal(const GaDaemonProcess *daemon, int signal)
{
	if (daemon->pid != 0)
		(void) kill(daemon->pid, signal);
}

/*
 * Has it ended?  If so, it is buried: wait_status says how it ended, and there
 * is no such process any more.  What it last wrote can still be read.
 */
bool
ga_daemon_ended(GaDaemonProcess *daemon, int *wait_status)
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
		*wait_status = 0; /* cannot be: nobody else waits for it */
	daemon->pid = 0;
	return true;
}

/* Hears no more of it, and says no more to it. */
void
ga_daemon_close(GaDaemonProcess *daemon)
{
	if (daemon->input >= 0)
		close(daemon->input);
	daemon->input = -1;
	if (daemon->output >= 0)
		close(daemon->output);
	daemon->output = -1;
	daemon->first = daemon->end = 0;
	daemon->cut = false;
}

/* Would it end like this again, until somebody sees to the machine? */
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
		case GA_EXIT_NOT_EXECUTED:
			return true;
		default:
			return false;
	}
}

/* Says how it ended. */
void
ga_daemon_describe_end(int wait_status, char *what, size_t size)
{
	if (WIFSIGNALED(wait_status))
		snprintf(what, size, "gpuaggd was terminated by signal %d",
				 WTERMSIG(wait_status));
	else
		snprintf(what, size, "gpuaggd exited with exit code %d",
				 WEXITSTATUS(wait_status));
}
