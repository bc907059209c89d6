/*
 * spare_fd.c
 *		A descriptor that the session keeps for sleeping.
 *
 * The server needs one to sleep on a socket and the latch, and throws if there
 * is none.  So a session reserves it before it connects, and releases it for
 * the time of each sleep.  Nothing here throws.
 */
#include "postgres.h"

#include <sys/epoll.h>
#include <unistd.h>

#include "storage/fd.h"

#include "spare_fd.h"

static int spare_fd = -1;
static bool is_counted;

/* Reserve it, for the session's life.  False if there is none. */
bool
ga_spare_fd_reserve(void)
{
	if (spare_fd >= 0)
		return true;
	spare_fd = epoll_create1(EPOLL_CLOEXEC);
	if (spare_fd < 0)
		return false;
	if (!is_counted)
		ReserveExternalFD();
	is_counted = true;
	return true;
}

/* Let the next call that needs one have it. */
void
ga_spare_fd_release(void)
{
	if (spare_fd >= 0)
		close(spare_fd);
	spare_fd = -1;
}
