/*
 * listener.c
 *		The socket on which gpuaggd accepts connections.
 *
 * Owns the socket and its file, which lies in the data directory and only its
 * owner can use; a client has to be the same user as well.  The loop calls it
 * for connections, and main.c's hooks at the end of a turn and of the
 * program.  When nearly all descriptors are in use, a further connection gets
 * a reply that says so, and is closed.  While there are none left at all,
 * connections wait in the socket's queue, and the loop does not poll it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "device/clock.h"
#include "device/device_check.h"
#include "exit.h"
#include "listener.h"
#include "log.h"
#include "loop.h"
#include "session.h"

#define BACKLOG			  511
#define ACCEPTED_PER_TURN 16
#define PAUSE_NS		  (100 * GA_NS_PER_MS)

/* Descriptors that are kept for what sessions request. */
#define KEPT_DESCRIPTORS 16

/* How often to log that connections are refused. */
#define REFUSED_LOG_NS (60 * 1000 * GA_NS_PER_MS)

static void listener_ready(GaSource *source, uint32_t events);

static GaSource listener = {listener_ready};
static int listener_fd = -1;
static const char *listener_path;
static int64_t resume_ns; /* when to accept again; 0 if not paused */

/* Is the client a process of this user? */
static bool
is_owner(int fd)
{
	struct ucred peer;
	socklen_t n_bytes = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n_bytes) == 0 &&
		   peer.uid == geteuid();
}

/* Return how many descriptors this process may have. */
static uint64_t
descriptor_limit(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : UINT64_MAX;
}

/* Tell a client that there are too many sessions, and close the connection. */
static void
refuse(int fd, uint64_t limit)
{
	static int64_t logged_ns = 0;
	const GaRequest hello = {.opcode = GA_HELLO};
	GaDeviceFailure failure;

	ga_device_failure(&failure, "accept",
					  "the limit of descriptors (ulimit -Hn) is %llu",
					  (unsigned long long) limit);
	ga_packet_send_failure(fd, &hello, GA_NO_CAPACITY, &failure);
	(void) shutdown(fd, SHUT_RD);
	ga_packet_drain(fd);
	close(fd);
	if (logged_ns != 0 && ga_now_ns() - logged_ns < REFUSED_LOG_NS)
		return;
	logged_ns = ga_now_ns();
	ga_log_warning("connections are refused: %u sessions, and %s",
				   ga_sessions_count(), failure.message);
}

/* Open a session on a new connection, if it may have one. */
static void
take_connection(int fd)
{
	const uint64_t limit = descriptor_limit();

	if (!is_owner(fd))
	{
		ga_log_warning("a connection of another user was turned away: "
					   "only the server's own user may reach the socket; see "
					   "who can write to the data directory");
		close(fd);
	}
	else if ((uint64_t) fd + KEPT_DESCRIPTORS >= limit)
		refuse(fd, limit);
	else
		ga_session_open(fd);
}

/* Leave connections in the queue for a moment. */
static void
pause_listener(const char *reason)
{
	ga_log_warning("accept: %s; connections wait until there is more: raise "
				   "the limit of descriptors (ulimit -n), or free memory",
				   reason);
	ga_loop_change(&listener, listener_fd, 0);
	resume_ns = ga_now_ns() + PAUSE_NS;
}

static void
listener_ready(GaSource *source, uint32_t events)
{
	int i;

	(void) source;
	(void) events;
	for (i = 0; i < ACCEPTED_PER_TURN; i++)
	{
		int fd = accept4(listener_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd >= 0)
			take_connection(fd);
		else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
				 errno == ENOMEM)
			pause_listener(strerror(errno));
		if (fd < 0)
			break;
	}
}

/* Accept again, if the pause is over. */
void
ga_listener_resume(void)
{
	if (resume_ns == 0 || ga_now_ns() < resume_ns)
		return;
	resume_ns = 0;
	ga_loop_change(&listener, listener_fd, EPOLLIN);
}

/* Return the milliseconds that the loop may sleep; -1 is for ever. */
int
ga_listener_timeout_ms(int64_t now_ns)
{
	if (resume_ns == 0)
		return -1;
	return now_ns < resume_ns ?
			   (int) ((resume_ns - now_ns) / GA_NS_PER_MS) + 1 :
			   0;
}

static void
fail(const char *call)
{
	ga_exit_fatal(GA_EXIT_FAILED, "%s: %s", call, strerror(errno));
}

/* Remove the socket of a gpuaggd that crashed, but no other kind of file. */
static void
unlink_stale(const char *path)
{
	struct stat found;

	if (lstat(path, &found) == 0 && S_ISSOCK(found.st_mode))
		(void) unlink(path);
}

/* Listen, or end the program.  The path must stay allocated. */
void
ga_listener_open(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	mode_t mask;
	int status;

	if (strlen(path) >= sizeof(address.sun_path))
		ga_exit_fatal(GA_EXIT_NO_STAGING,
					  "could not create socket \"%s\": the path is too long",
					  path);
	strcpy(address.sun_path, path);
	unlink_stale(path);

	listener_fd =
		socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (listener_fd < 0)
		fail("socket");
	/* only for this user; a file that somebody removes now is no failure */
	mask = umask(0177);
	status = bind(listener_fd, (struct sockaddr *) &address, sizeof(address));
	(void) umask(mask);
	if (status != 0)
		ga_exit_fatal(GA_EXIT_FAILED, "could not create socket \"%s\": %s",
					  path, strerror(errno));
	listener_path = path;
	if (listen(listener_fd, BACKLOG) != 0)
		fail("listen");
	if (ga_loop_add(&listener, listener_fd, EPOLLIN) != 0)
		fail("epoll_ctl");
}

/* Close the socket and remove its file. */
void
ga_listener_close(void)
{
	if (listener_path != NULL)
		(void) unlink(listener_path);
	if (listener_fd >= 0)
		close(listener_fd);
	listener_path = NULL;
	listener_fd = -1;
}
