/*
 * daemon.c
 *		A gpuaggd to test, in a directory of its own.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "daemon.h"
#include "tap.h"

#define MAX_OPTIONS 16
#define START_MS	30000

double
now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

/* How long the threads of a process were ready to run, without a processor. */
static double
waiting_ms(pid_t pid)
{
	char path[64];
	uint64_t waiting_ns = 0;
	glob_t tasks;
	size_t i;

	snprintf(path, sizeof(path), "/proc/%d/task/*/schedstat", (int) pid);
	if (glob(path, 0, NULL, &tasks) != 0)
		return 0;
	for (i = 0; i < tasks.gl_pathc; i++)
	{
		FILE *file = fopen(tasks.gl_pathv[i], "r");
		uint64_t ns;

		if (file == NULL)
			continue;
		if (fscanf(file, "%*u %" SCNu64, &ns) == 1)
			waiting_ns += ns;
		fclose(file);
	}
	globfree(&tasks);
	return waiting_ns / 1e6;
}

double
daemon_now_ms(const Daemon *daemon)
{
	return now_ms() - waiting_ms(daemon->pid) - waiting_ms(getpid());
}

void
sleep_ms(int ms)
{
	usleep(ms * 1000);
}

static const char *
device_option(void)
{
	const char *device = getenv("GA_GPUAGGD_DEVICE");

	return device != NULL ? device : "emulated";
}

bool
daemon_is_emulated(void)
{
	return strcmp(device_option(), "emulated") == 0;
}

/* The program's path, from anywhere. */
static const char *
program(void)
{
	static char path[4096];
	const char *name = getenv("GA_GPUAGGD");

	if (realpath(name != NULL ? name : "build/plain/gpuaggd", path) == NULL)
	{
		printf("Bail out! no gpuaggd\n");
		exit(2);
	}
	return path;
}

static void
make_directory(Daemon *daemon)
{
	if (daemon->directory[0] != '\0')
		return;
	strcpy(daemon->directory, "/tmp/gpuaggd-test-XXXXXX");
	if (mkdtemp(daemon->directory) == NULL)
	{
		printf("Bail out! mkdtemp: %s\n", strerror(errno));
		exit(2);
	}
	snprintf(daemon->socket_path, sizeof(daemon->socket_path), "%s/gpuaggd",
			 daemon->directory);
	snprintf(daemon->log_path, sizeof(daemon->log_path), "%s/log",
			 daemon->directory);
}

/*
 * In the child: become it.  A shell that is not interactive has its background
 * commands ignore SIGINT and SIGQUIT, which gpuaggd would inherit.
 */
static void
run(const Daemon *daemon, const char *path, char **argv)
{
	const struct rlimit no_core = {0, 0};
	int fd = open(daemon->log_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setrlimit(RLIMIT_CORE, &no_core);
	if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0 ||
		chdir(daemon->directory) != 0)
		_exit(99);
	close(fd);
	execv(path, argv);
	_exit(99);
}

void
daemon_launch(Daemon *daemon, char **argv)
{
	const char *path = program();

	make_directory(daemon);
	unlink(daemon->log_path);
	fflush(stdout);
	daemon->pid = fork();
	if (daemon->pid == 0)
		run(daemon, path, argv);
}

bool
daemon_said(const Daemon *daemon, const char *text)
{
	char log[16384];
	FILE *file = fopen(daemon->log_path, "r");
	size_t n;

	if (file == NULL)
		return false;
	n = fread(log, 1, sizeof(log) - 1, file);
	log[n] = '\0';
	fclose(file);
	return strstr(log, text) != NULL;
}

/* Wait until it is ready; false if it ended. */
bool
daemon_is_ready(Daemon *daemon)
{
	double end = now_ms() + START_MS;

	while (now_ms() < end)
	{
		siginfo_t info = {.si_pid = 0};

		if (daemon_said(daemon, "\nREADY\n"))
			return true;
		waitid(P_PID, (id_t) daemon->pid, &info, WEXITED | WNOHANG | WNOWAIT);
		if (info.si_pid != 0)
			return false;
		sleep_ms(1);
	}
	return false;
}

void
daemon_start(Daemon *daemon, ...)
{
	char token[64];
	char device[64];
	char *argv[MAX_OPTIONS + 5] = {"gpuaggd", "--socket=gpuaggd", token,
								   device};
	va_list args;
	int i = 4;

	snprintf(token, sizeof(token), "--boot-token=%" PRIu64, BOOT_TOKEN);
	snprintf(device, sizeof(device), "--device=%s", device_option());
	va_start(args, daemon);
	while (i < MAX_OPTIONS && (argv[i] = va_arg(args, char *)) != NULL)
		i++;
	va_end(args);
	daemon_launch(daemon, argv);
	if (!daemon_is_ready(daemon))
	{
		printf("Bail out! gpuaggd did not start: see %s\n", daemon->log_path);
		exit(2);
	}
}

int
daemon_wait(Daemon *daemon, int timeout_ms)
{
	double end = now_ms() + timeout_ms;
	int status = -1;

	while (waitpid(daemon->pid, &status, WNOHANG) == 0)
	{
		if (now_ms() > end)
			return -1;
		sleep_ms(1);
	}
	daemon->pid = 0;
	return status;
}

void
daemon_remove(Daemon *daemon)
{
	if (daemon->pid > 0)
	{
		kill(daemon->pid, SIGKILL);
		(void) daemon_wait(daemon, 10000);
	}
	unlink(daemon->socket_path);
	unlink(daemon->log_path);
	rmdir(daemon->directory);
	memset(daemon, 0, sizeof(*daemon));
}

void
daemon_stop(Daemon *daemon)
{
	int status;

	kill(daemon->pid, SIGTERM);
	status = daemon_wait(daemon, 5000);
	tap_check(status == 0, "SIGTERM: status %d", status);
	tap_check(access(daemon->socket_path, F_OK) != 0, "the socket is left");
	daemon_remove(daemon);
}

static int
count_fds(const Daemon *daemon)
{
	char path[64];
	DIR *directory;
	int n = 0;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int) daemon->pid);
	directory = opendir(path);
	if (directory == NULL)
		return -1;
	while (readdir(directory) != NULL)
		n++;
	closedir(directory);
	return n - 2;
}

int
daemon_count_fds(const Daemon *daemon)
{
	int n = count_fds(daemon);
	int n_same = 0;

	while (n_same < 5)
	{
		const int before = n;

		sleep_ms(20);
		n = count_fds(daemon);
		n_same = n == before ? n_same + 1 : 0;
	}
	return n;
}

void
daemon_limit_fds(const Daemon *daemon, unsigned n)
{
	struct rlimit limit = {.rlim_cur = 0};
	rlim_t lowest = 0;
	char path[64];

	do
		snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int) daemon->pid,
				 (int) lowest++);
	while (faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0);
	tap_check(prlimit(daemon->pid, RLIMIT_NOFILE, NULL, &limit) == 0, "limit");
	limit.rlim_cur = lowest - 1 + n;
	tap_check(prlimit(daemon->pid, RLIMIT_NOFILE, &limit, NULL) == 0, "limit");
}
