/*
 * staging.c
 *		Staging memory, and who has which window of it.
 *
 * One memfd for all windows, mapped here, by all clients, and into the
 * device's own address space.  Clients write to it at any time, whatever they
 * promised: nothing that is read from it may be trusted, and nothing read
 * twice.  It is sealed, so that none can cut it off.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "exit.h"
#include "log.h"
#include "staging.h"

static int staging_fd = -1;
static uint32_t n_leases;
static uint32_t n_free;

/* The last one that became free is the first to be taken: it is warm. */
static SLIST_HEAD(,
				  GaLease) free_windows = SLIST_HEAD_INITIALIZER(free_windows);

int
ga_staging_fd(void)
{
	return staging_fd;
}

static void
fail(const char *call)
{
	ga_exit_fatal(GA_EXIT_NO_STAGING, "%s: %s", call, strerror(errno));
}

/* So many bytes of shared memory, in staging_fd. */
static char *
make_memory(size_t n_bytes)
{
	char *start;

	staging_fd =
		memfd_create("gpuagg staging", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (staging_fd < 0)
		fail("memfd_create");
	if (ftruncate(staging_fd, (off_t) n_bytes) != 0)
		fail("ftruncate");
	if (fcntl(staging_fd, F_ADD_SEALS,
			  F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
		fail("fcntl");
	start =
		mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, staging_fd, 0);
	if (start == MAP_FAILED)
		fail("mmap");
	return start;
}

/* Let the devices at it; what one registers is good for all. */
static void
register_memory(char *start, size_t n_bytes)
{
	const GaOpenDevice *device = ga_devices_get(0);
	GaDeviceFailure failure = {.call = ""};
	GaStatus status =
		device->kind->register_host(device->device, start, n_bytes, &failure);

	if (status == GA_NO_MEMORY)
		ga_exit_fatal(GA_EXIT_NO_STAGING, "%s: %s", failure.call,
					  failure.message);
	if (status != GA_OK)
		ga_exit_refused(status, &failure);
}

static void
make_windows(char *start)
{
	GaLease *windows = calloc(n_leases, sizeof(*windows));
	uint32_t i;

	if (windows == NULL)
		fail("calloc");
	for (i = n_leases; i-- > 0;)
	{
		windows[i].offset = (uint64_t) i * GA_LEASE_BYTES;
		windows[i].start = start + windows[i].offset;
		windows[i].device = ga_devices_get(i % ga_devices_count());
		SLIST_INSERT_HEAD(&free_windows, &windows[i], next_free);
	}
	n_free = n_leases;
}

/* As many windows as fit, and one at least; or end the program. */
void
ga_staging_open(int64_t n_mb)
{
	int64_t n = n_mb / (GA_LEASE_BYTES >> 20);
	size_t n_bytes;
	char *start;

	n_leases = n < 1 ? 1 : n > UINT32_MAX ? UINT32_MAX : (uint32_t) n;
	n_bytes = (size_t) n_leases * GA_LEASE_BYTES;
	start = make_memory(n_bytes);
	register_memory(start, n_bytes);
	make_windows(start);
	ga_log("staging memory: %u windows of %u MB", n_leases,
		   GA_LEASE_BYTES >> 20);
}

/* A window for a session that has none; NULL if all are taken. */
GaLease *
ga_staging_lease(struct GaSession *session)
{
	GaLease *window = SLIST_FIRST(&free_windows);
	uint32_t i;

	if (window == NULL)
		return NULL;
	for (i = 0; i < GA_LEASE_SLOTS; i++)
		ga_lease_slot(window, i)->reply.state = GA_REPLY_BY_SOCKET;
	SLIST_REMOVE_HEAD(&free_windows, next_free);
	n_free--;
	window->session = session;
	return window;
}

static void
free_if_unused(GaLease *window)
{
	if (window->session != NULL || window->is_busy)
		return;
	SLIST_INSERT_HEAD(&free_windows, window, next_free);
	n_free++;
}

/* Its session has no more use for it. */
void
ga_staging_release(GaLease *window)
{
	window->session = NULL;
	free_if_unused(window);
}

/* The device has no more to do with it. */
void
ga_staging_rest(GaLease *window)
{
	window->is_busy = false;
	free_if_unused(window);
}

/* May who has a window keep it while there is no work for it? */
bool
ga_staging_keeps(void)
{
	return (uint64_t) n_free * 4 > n_leases;
}

uint32_t
ga_staging_n_leases(void)
{
	return n_leases;
}

uint32_t
ga_staging_n_taken(void)
{
	return n_leases - n_free;
}
