/*
 * ladder_run.c
 *		Running gpuagg-ladder for a session: start, watch, kill and reap it.
 *
 * There is one run at a time, on the first device; other sessions wait for its
 * end.  The program gets a socket, by which it sends packets, and no other
 * descriptor of gpuaggd's but stderr.  It has its own context on the device,
 * and leaves free what gpuaggd's own budget may still need.
 *
 * A run ends with the program's last packet, or is killed: when its session is
 * closed, or when no packet came for the time that a request may take.
 * Nothing that it does is a failure of the device for gpuaggd.
 *
 * dispatch.c starts runs; packets, the timer and SIGCHLD come by the loop.
 */
#include <errno.h>
#include <fcntl.h>
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
#include "ladder_command.h"
#include "ladder_run.h"
#include "log.h"
#include "options.h"
#include "packet.h"
#include "session_wait.h"

static void packets_ready(GaSource *source, uint32_t events);
static void child_ready(GaSource *source, uint32_t events);
static void timer_ready(GaSource *source, uint32_t events);

static GaSource packets = {packets_ready};
static GaSource child = {child_ready};
static GaSource timer = {timer_ready};
static int packets_fd = -1;
static int child_fd = -1;
static int timer_fd = -1;
static pid_t program;		  /* 0: there is none */
static GaSession *requesting; /* the session that gets the rows, or NULL */

/* Read what makes a descriptor ready, so that it is not any more. */
static void
clear_ready(int fd)
{
	struct signalfd_siginfo content; /* the largest that there is */

	while (read(fd, &content, sizeof(content)) > 0)
		;
}

/*
 * Watch for ended children by the loop.  Has to be called before the driver
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
		ga_exit_fatal(GA_EXIT_FAILED, "signalfd: %s", strerror(errno));
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
session_closed(GaSession *session)
{
	(void) session;
	requesting = NULL;
	kill_program();
}

/* Answer the session's request for the last time. */
static void
answer(GaReply *reply)
{
	GaSession *session = requesting;

	requesting = NULL;
	session->on_close = NULL;
	ga_session_complete(session, ga_session_first(session), reply);
}

/* Answer it, if there is one, with a failure that gpuaggd found. */
static void __attribute__((format(printf, 1, 2)))
answer_failure(const char *format, ...)
{
	GaReply reply = {.status = GA_DEVICE_FAILED};
	GaDeviceFailure failure = {.call = GA_LADDER_PROGRAM};
	va_list args;

	if (requesting == NULL)
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
	if (requesting == NULL || packet->event == GA_LADDER_ALIVE)
		return;
	reply.u.ladder.event = packet->event;
	reply.u.ladder.row = packet->row;
	if (packet->event != GA_LADDER_END)
	{
		(void) ga_session_send(requesting, &reply, -1);
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

/*
 * No packet came for too long; unless the timer was set again since the loop
 * received the event, which resets the number of its expirations.
 */
static void
timer_ready(GaSource *source, uint32_t events)
{
	uint64_t n_expirations;

	(void) source;
	(void) events;
	if (read(timer_fd, &n_expirations, sizeof(n_expirations)) !=
			sizeof(n_expirations) ||
		program == 0)
		return;
	ga_log_warning(GA_LADDER_PROGRAM " was killed: it took too long; "
									 "gpuagg.request_timeout is the limit");
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
	/* a session whose program could not be started does not keep the next */
	while (program == 0 && ga_sessions_wake(GA_WAITS_FOR_LADDER))
		;
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
	posix_spawn_file_actions_adddup2(&actions, socket, GA_LADDER_SOCKET);
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

/* Does gpuagg-ladder run? */
bool
ga_ladder_is_running(void)
{
	return program != 0;
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
	GaLadderCommand command;
	GaStatus status;
	int error;

	if (program != 0)
		return GA_NO_CAPACITY;
	status = ga_devices_describe(0, failure);
	if (status != GA_OK)
		return status;
	ga_ladder_command(&command, call);
	error = start_program(command.argv);
	if (error != 0)
	{
		ga_device_failure(failure, "gpuaggd",
						  "could not execute \"%.120s\": %s", command.path,
						  strerror(error));
		return GA_NO_DEVICE;
	}
	set_timer(ga_options.request_timeout_ms);
	requesting = session;
	session->on_close = session_closed;
	return GA_PENDING;
}
