/*
 * ladder_run.c
 *		Running gpuagg-ladder for a session: start, watch, kill and reap it.
 *
 * There is one run at a time, on the first device; other sessions wait for its
 * end.  The program gets a socket, by which it sends packets, and no other
 * descriptor of gpuaggd's but stderr.  It has its own context on the device,
 * and is told to leave free what gpuaggd's own budget may still need.
 *
 * A run ends with the program's last packet, or is killed: when its session is
 * closed, or when no packet came for the time that a request may take.
 * Nothing that it does is a failure of the device for gpuaggd.
 *
 * dispatch.c starts runs; packets, the timer and SIGCHLD come by the loop.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/clock.h"
#include "device/device_check.h"
#include "devices.h"
#include "exit.h"
#include "ladder/ladder_packet.h"
#include "ladder_run.h"
#include "log.h"
#include "options.h"
#include "packet.h"

#define PROGRAM "gpuagg-ladder"

/* The descriptor by which the program sends packets. */
#define PROGRAM_SOCKET 3

/* The arguments of the program: at most so many, of so many bytes. */
#define MAX_WORDS  12
#define WORD_BYTES 40

static void packets_ready(GaSource *source, uint32_t events);
static void child_ready(GaSource *source, uint32_t events);
static void timer_ready(GaSource *source, uint32_t events);

static GaSource packets = {packets_ready};
static GaSource child = {child_ready};
static GaSource timer = {timer_ready};
static int packets_fd = -1;
static int child_fd = -1;
static int timer_fd = -1;
static pid_t program;		/* 0: there is none */
static GaSession *customer; /* NULL: nobody waits for the rest of the run */

/* Read what makes a descriptor ready, so that it is not any more. */
static void
clear_ready(int fd)
{
	struct signalfd_siginfo content; /* the largest that there is */

	while (read(fd, &content, sizeof(content)) > 0)
		;
}

/*
 * Have the loop told of ended children.  Has to be called before the driver
 * makes threads, which would take the signal otherwise.
 */
void
ga_ladder_open(void)
{
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGCHLD);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	child_fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (child_fd < 0 || timer_fd < 0 ||
		ga_loop_add(&child, child_fd, EPOLLIN) != 0 ||
		ga_loop_add(&timer, timer_fd, EPOLLIN) != 0)
		ga_exit_fatal(GA_EXIT_NO_STAGING, "signalfd: %s", strerror(errno));
}

/* Give the program so many ms until its next packet; 0 stops the timer. */
static void
set_timer(int64_t ms)
{
	const struct itimerspec time = {
		.it_value = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * GA_NS_PER_MS}};

	(void) timerfd_settime(timer_fd, 0, &time, NULL);
}

static void
kill_program(void)
{
	if (program != 0)
		(void) kill(program, SIGKILL);
}

/* The session is closed: it needs no more rows. */
static void
customer_closed(GaSession *session)
{
	(void) session;
	customer = NULL;
	kill_program();
}

/* Answer the session's request for the last time. */
static void
answer(GaReply *reply)
{
	GaSession *session = customer;

	customer = NULL;
	session->on_close = NULL;
	ga_session_complete(session, reply);
}

/* Answer it, if there is one, with a failure that gpuaggd found. */
static void __attribute__((format(printf, 1, 2)))
answer_failure(const char *format, ...)
{
	GaReply reply = {.status = GA_DEVICE_FAILED};
	GaDeviceFailure failure = {.call = PROGRAM};
	va_list args;

	if (customer == NULL)
		return;
	va_start(args, format);
	vsnprintf(failure.message, sizeof(failure.message), format, args);
	va_end(args);
	ga_packet_explain(&reply, &failure);
	answer(&reply);
}

/* Pass on what a packet says, if the session has to know. */
static void
take_packet(const GaLadderPacket *packet)
{
	GaReply reply = {.status = GA_OK};

	set_timer(ga_options.request_timeout_ms);
	if (customer == NULL || packet->event == GA_LADDER_ALIVE)
		return;
	reply.u.ladder.event = packet->event;
	reply.u.ladder.row = packet->row;
	if (packet->event != GA_LADDER_END)
	{
		(void) ga_session_send(customer, &reply, -1);
		return;
	}
	reply.status = packet->status;
	if (packet->status != GA_OK)
		ga_packet_explain(&reply, &packet->failure);
	answer(&reply);
}

static void
close_packets(void)
{
	if (packets_fd < 0)
		return;
	ga_loop_remove(packets_fd);
	close(packets_fd);
	packets_fd = -1;
}

/* Take the packets that are there. */
static void
take_packets(void)
{
	GaLadderPacket packet;
	ssize_t n = 0;

	while (packets_fd >= 0 && (n = recv(packets_fd, &packet, sizeof(packet),
										MSG_DONTWAIT)) == sizeof(packet))
	{
		packet.failure.call[sizeof(packet.failure.call) - 1] = '\0';
		packet.failure.message[sizeof(packet.failure.message) - 1] = '\0';
		take_packet(&packet);
	}
	if (packets_fd < 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
		return;
	/* its end, or no packet; child_ready() tells the session */
	close_packets();
	kill_program();
}

static void
packets_ready(GaSource *source, uint32_t events)
{
	(void) source;
	(void) events;
	take_packets();
}

/* No packet came for too long. */
static void
timer_ready(GaSource *source, uint32_t events)
{
	(void) source;
	(void) events;
	clear_ready(timer_fd);
	if (program == 0)
		return;
	ga_log_warning(PROGRAM " was killed: it took too long");
	kill_program();
	answer_failure("no answer from the device for %lld ms",
				   (long long) ga_options.request_timeout_ms);
}

/* A child ended: if it is the program, the next session's may start. */
static void
child_ready(GaSource *source, uint32_t events)
{
	int status;

	(void) source;
	(void) events;
	clear_ready(child_fd);
	if (program == 0 || waitpid(program, &status, WNOHANG) != program)
		return;
	program = 0;
	set_timer(0);
	take_packets();
	close_packets();
	if (WIFSIGNALED(status))
		answer_failure("it was ended by signal %d", WTERMSIG(status));
	else
		answer_failure("it ended with exit code %d", WEXITSTATUS(status));
	ga_sessions_wake(GA_WAITS_FOR_LADDER);
}

/* Find the program, which lies beside gpuaggd. */
static bool
find_program(char *path, size_t n_bytes)
{
	ssize_t n = readlink("/proc/self/exe", path, n_bytes);
	char *slash;

	if (n <= 0 || (size_t) n >= n_bytes)
		return false;
	path[n] = '\0';
	slash = strrchr(path, '/');
	if (slash == NULL ||
		(size_t) (slash + 1 - path) + sizeof(PROGRAM) > n_bytes)
		return false;
	strcpy(slash + 1, PROGRAM);
	return true;
}

/* A command line under construction. */
typedef struct Command
{
	char words[MAX_WORDS][WORD_BYTES];
	char *argv[MAX_WORDS + 2];
	int n;
} Command;

static void __attribute__((format(printf, 2, 3)))
add_word(Command *command, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(command->words[command->n], WORD_BYTES, format, args);
	va_end(args);
	command->argv[command->n + 1] = command->words[command->n];
	command->n++;
}

/* What gpuaggd's budget for the device still allows it to allocate. */
static uint64_t
unused_budget(const GaDeviceInfo *info)
{
	return info->budget_bytes > info->used_bytes ?
			   info->budget_bytes - info->used_bytes :
			   0;
}

static void
add_words(Command *command, const GaLadderCall *call)
{
	static const char *const ladders[GA_N_LADDERS] = {
		[GA_LADDER_REDUCE] = "reduce",
		[GA_LADDER_SCAN] = "scan",
		[GA_LADDER_EXCLUSIVE_SCAN] = "exclusive-scan",
	};
	const GaOpenDevice *device = ga_devices_get(0);
	const GaLadderFaults *faults = &ga_options.ladder_faults;

	add_word(command, "--socket=%d", PROGRAM_SOCKET);
	add_word(command, "--ladder=%s", ladders[call->ladder]);
	add_word(command, "--type=%s", ga_element_name((GaElementType) call->type));
	add_word(command, "--elements=%" PRIu64, call->n);
	add_word(command, "--repeats=%u", (unsigned) call->repeats);
	if (call->managed)
		add_word(command, "--managed");
	if (ga_options.is_emulated)
		add_word(command, "--device=cpu");
	else
		add_word(command, "--device=%d", device->ordinal);
	add_word(command, "--reserve=%" PRIu64, unused_budget(&device->info));
	if (faults->hang != 0)
		add_word(command, "--hang=%u", (unsigned) faults->hang);
	if (faults->crash != 0)
		add_word(command, "--crash=%u", (unsigned) faults->crash);
	if (faults->fail != 0)
		add_word(command, "--fail=%u", (unsigned) faults->fail);
	if (faults->refuse != 0)
		add_word(command, "--refuse=%u", (unsigned) faults->refuse);
}

/*
 * Start the program with its end of the socket, and with the signals of a new
 * process.  Returns an errno.
 */
static int
spawn(char *const argv[], int socket)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	sigset_t ignored;
	int error;

	sigemptyset(&none);
	sigemptyset(&ignored);
	sigaddset(&ignored, SIGPIPE);
	sigaddset(&ignored, SIGHUP);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &ignored);
	posix_spawnattr_setflags(&attributes,
							 POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
									 O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, socket, PROGRAM_SOCKET);
	error =
		posix_spawn(&program, argv[0], &actions, &attributes, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	if (error != 0)
		program = 0;
	return error;
}

/* Start the program, and listen to it.  Returns an errno. */
static int
start_program(char *const argv[])
{
	int ends[2];
	int error;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return errno;
	error = ga_loop_add(&packets, ends[0], EPOLLIN) == 0 ?
				spawn(argv, ends[1]) :
				errno;
	close(ends[1]);
	packets_fd = ends[0];
	if (error != 0)
		close_packets();
	return error;
}

/*
 * Start the ladder for a session, which gets its rows.  GA_PENDING;
 * GA_NO_CAPACITY if there is one already; GA_NO_DEVICE if it cannot be
 * started; GA_DEVICE_FAILED if gpuaggd's own device failed.
 */
GaStatus
ga_ladder_start(GaSession *session, const GaLadderCall *call,
				GaDeviceFailure *failure)
{
	char path[4096];
	Command command = {.n = 0};
	GaStatus status;
	int error;

	if (program != 0)
		return GA_NO_CAPACITY;
	status = ga_devices_describe(0, failure);
	if (status != GA_OK)
		return status;
	if (!find_program(path, sizeof(path)))
		snprintf(path, sizeof(path), "%s", PROGRAM);
	command.argv[0] = path;
	add_words(&command, call);
	error = start_program(command.argv);
	if (error != 0)
	{
		ga_device_failure(failure, "gpuaggd",
						  "could not execute \"%.120s\": %s", path,
						  strerror(error));
		return GA_NO_DEVICE;
	}
	set_timer(ga_options.request_timeout_ms);
	customer = session;
	session->on_close = customer_closed;
	return GA_PENDING;
}
