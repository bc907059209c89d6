/*
 * staging.c
 *		Staging memory, and its leases.
 *
 * Owns one memfd for all leases, which is mapped here, by all clients, and
 * into the device's own address space; and the list of free leases.  Called by
 * sessions to get and release a lease, and by request.c when the device has
 * finished with it.
 *
 * Clients write to the memory at any time, whatever they promised: nothing
 * that is read from it may be trusted, and nothing may be read twice.  It is
 * sealed, so that no client can truncate it.  Since it has users' data, it is
 * not in a core file.
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

/* The last lease that became free is taken first: it is in the caches. */
static SLIST_HEAD(, GaLease) free_leases = SLIST_HEAD_INITIALIZER(free_leases);

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

/*
 * Allocate all of the memory.  Where there is too little, a program that wrote
 * to it later would end by SIGBUS: the session of a user, or gpuaggd.
 */
static void
allocate(size_t n_bytes)
{
	int error;

	do
		error = posix_fallocate(staging_fd, 0, (off_t) n_bytes);
	while (error == EINTR);
	errno = error;
	if (error != 0)
		fail("posix_fallocate");
}

/* Make and map n_bytes of shared memory, in staging_fd. */
static char *
make_memory(size_t n_bytes)
{
	char *start;

	staging_fd =
		memfd_create("gpuagg staging", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (staging_fd < 0)
		fail("memfd_create");
	allocate(n_bytes);
	if (fcntl(staging_fd, F_ADD_SEALS,
			  F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
		fail("fcntl");
	start =
		mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, staging_fd, 0);
	if (start == MAP_FAILED)
		fail("mmap");
	if (madvise(start, n_bytes, MADV_DONTDUMP) != 0)
		fail("madvise");
	return start;
}

/* Register the memory with a device; that is good for all of them. */
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
make_leases(char *start)
{
	GaLease *leases = calloc(n_leases, sizeof(*leases));
	uint32_t i;

	if (leases == NULL)
		fail("calloc");
	for (i = n_leases; i-- > 0;)
	{
		leases[i].offset = (uint64_t) i * GA_LEASE_BYTES;
		leases[i].start = start + leases[i].offset;
		leases[i].device = ga_devices_get(i % ga_devices_count());
		SLIST_INSERT_HEAD(&free_leases, &leases[i], next_free);
	}
	n_free = n_leases;
}

/* Make as many leases as fit, and one at least; or end the program. */
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
	make_leases(start);
	ga_log("staging memory: %u leases of %u MB", n_leases,
		   GA_LEASE_BYTES >> 20);
}

/* Return a lease for a session that has none; NULL if all are taken. */
GaLease *
ga_staging_lease(struct GaSession *session)
{
	GaLease *lease = SLIST_FIRST(&free_leases);
	uint32_t i;

	if (lease == NULL)
		return NULL;
	for (i = 0; i < GA_LEASE_SLOTS; i++)
		ga_lease_slot(lease, i)->reply.state = GA_REPLY_BY_SOCKET;
	SLIST_REMOVE_HEAD(&free_leases, next_free);
	n_free--;
	lease->session = session;
	return lease;
}

/* Put a lease on the free list, if neither session nor device uses it. */
static void
free_if_unused(GaLease *lease)
{
	if (lease->session != NULL || lease->is_busy)
		return;
	SLIST_INSERT_HEAD(&free_leases, lease, next_free);
	n_free++;
}

/* The session has no more use for the lease. */
void
ga_staging_release(GaLease *lease)
{
	lease->session = NULL;
	free_if_unused(lease);
}

/* The device has finished with the lease. */
void
ga_staging_idle(GaLease *lease)
{
	lease->is_busy = false;
	free_if_unused(lease);
}

/* May a session keep its lease while it is idle? */
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
