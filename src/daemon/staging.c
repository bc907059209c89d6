/*
 * staging.c
 *		Staging memory, and the leases of its slots.
 *
 * Owns one memfd for all slots, which is mapped here, by all clients, and into
 * the devices' own address space; and the list of free slots.  Called by
 * sessions to get and release a lease, and by request.c when a device has
 * finished with a slot.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "devices.h"
#include "exit.h"
#include "log.h"
#include "shared_memory.h"
#include "staging.h"

static int staging_fd = -1;
static uint32_t n_slots;
static uint32_t n_free;
static uint32_t n_leases;

/* The slot that became free last is taken first: it is in the caches. */
static SLIST_HEAD(, GaStagingSlot)
	free_slots = SLIST_HEAD_INITIALIZER(free_slots);

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
make_slots(char *start)
{
	GaStagingSlot *slots = calloc(n_slots, sizeof(*slots));
	uint32_t i;

	if (slots == NULL)
		fail("calloc");
	for (i = n_slots; i-- > 0;)
	{
		slots[i].offset = (uint64_t) i * GA_SLOT_BYTES;
		slots[i].start = (GaSlot *) (start + slots[i].offset);
		SLIST_INSERT_HEAD(&free_slots, &slots[i], next_free);
	}
	n_free = n_slots;
}

/* Make as many slots as fit, for one whole lease at least; or end. */
void
ga_staging_open(int64_t n_mb)
{
	int64_t n = n_mb / (GA_SLOT_BYTES >> 20);
	const char *failed_call;
	size_t n_bytes;
	char *start;

	n_slots = n < GA_LEASE_SLOTS ? GA_LEASE_SLOTS :
			  n > UINT32_MAX	 ? UINT32_MAX :
								   (uint32_t) n;
	n_bytes = (size_t) n_slots * GA_SLOT_BYTES;
	start = ga_shared_memory_make("gpuagg staging", n_bytes, &staging_fd,
								  &failed_call);
	if (start == NULL)
		fail(failed_call);
	register_memory(start, n_bytes);
	make_slots(start);
	ga_log("staging memory: %u slots of %u MB", n_slots, GA_SLOT_BYTES >> 20);
}

/*
 * Return how many slots a session may have that wants n in all: fewer, but one,
 * while most are taken.
 */
static uint32_t
fair_share(uint32_t n)
{
	uint32_t most = (uint64_t) n_free * 4 >= n_slots ? n : n_free / 8;

	if (most == 0)
		most = 1;
	return n < most ? n : most;
}

/*
 * Have a lease of n slots; of fewer, if few are free.  Return false if it has
 * none.
 */
bool
ga_staging_lease(GaLease *lease, uint32_t n)
{
	n = fair_share(n);
	n_leases -= lease->n_slots > 0;
	while (lease->n_slots < n && n_free > 0)
	{
		GaStagingSlot *slot = SLIST_FIRST(&free_slots);

		SLIST_REMOVE_HEAD(&free_slots, next_free);
		n_free--;
		slot->is_leased = true;
		slot->start->reply.state = GA_REPLY_BY_SOCKET;
		lease->slots[lease->n_slots++] = slot;
	}
	n_leases += lease->n_slots > 0;
	return lease->n_slots > 0;
}

/* Put a slot on the free list, if neither session nor device uses it. */
static void
free_if_unused(GaStagingSlot *slot)
{
	if (slot->is_leased || slot->is_busy)
		return;
	SLIST_INSERT_HEAD(&free_slots, slot, next_free);
	n_free++;
}

/* The session has no more use for its lease, if it has one. */
void
ga_staging_release(GaLease *lease)
{
	n_leases -= lease->n_slots > 0;
	while (lease->n_slots > 0)
	{
		GaStagingSlot *slot = lease->slots[--lease->n_slots];

		slot->is_leased = false;
		free_if_unused(slot);
	}
}

/* The device has finished with the slot. */
void
ga_staging_idle(GaStagingSlot *slot)
{
	slot->is_busy = false;
	free_if_unused(slot);
}

/* May a session keep its lease while it is idle? */
bool
ga_staging_keeps(void)
{
	return (uint64_t) n_free * 4 > n_slots;
}

/* Return how many sessions have a lease. */
uint32_t
ga_staging_n_leases(void)
{
	return n_leases;
}

uint32_t
ga_staging_n_slots(void)
{
	return n_slots;
}
