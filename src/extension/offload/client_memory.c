/*
 * client_memory.c
 *		The slots of a session's connection to gpuaggd.
 *
 * Owns the mapped memory: slots of staging memory while the session has a
 * lease, and lookup slots.  client_lease.c asks for both.  What gpuaggd says
 * about a memfd is checked before it is mapped: a file that could become
 * shorter would end the session by SIGBUS.  Nothing here throws.
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "client_memory.h"

GaClientMemory ga_client_memory;

static bool may_keep_lease; /* at the end of a transaction */
static bool may_keep_lookups;

static void (*call_before_unmap)(void);

/* save is called before slots of the lease are unmapped; it never throws. */
void
ga_client_before_unmap(void (*save)(void))
{
	call_before_unmap = save;
}

/* May the session keep its lease, or its lookup slots, while it is idle? */
bool
ga_client_may_keep_lease(void)
{
	return may_keep_lease;
}

bool
ga_client_may_keep_lookups(void)
{
	return may_keep_lookups;
}

void
ga_client_unmap_lease(void)
{
	if (call_before_unmap != NULL)
		call_before_unmap();
	while (ga_client_memory.n_leased > 0)
		(void) munmap(ga_client_memory.leased[--ga_client_memory.n_leased],
					  GA_SLOT_BYTES);
}

static void
unmap_lookups(void)
{
	if (ga_client_memory.lookups != NULL)
		(void) munmap(ga_client_memory.lookups,
					  ga_lookup_bytes(ga_client_memory.shape));
	ga_client_memory.lookups = NULL;
}

/* The connection is closed: no slot is of use.  Never throws. */
void
ga_client_unmap_all(void)
{
	ga_client_unmap_lease();
	unmap_lookups();
}

/* Is a part of a file there, now and as long as it is mapped? */
static bool
is_there(int memfd, uint64 offset, size_t n_bytes)
{
	const int seals = fcntl(memfd, F_GET_SEALS);
	struct stat file;

	return seals >= 0 && (seals & F_SEAL_SHRINK) != 0 &&
		   fstat(memfd, &file) == 0 && file.st_size >= (off_t) n_bytes &&
		   offset <= (uint64) file.st_size - n_bytes;
}

/*
 * Map a part of a file.  NULL and a reason if that fails: GA_REASON_STAGING if
 * mmap did, and errno says why; GA_REASON_GONE if the part is not there.
 */
static void *
map(int memfd, uint64 offset, size_t n_bytes, GaReason *reason)
{
	void *start;

	*reason = GA_REASON_GONE;
	if (!is_there(memfd, offset, n_bytes))
		return NULL;
	start = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memfd,
				 (off_t) offset);
	if (start == MAP_FAILED)
	{
		*reason = GA_REASON_STAGING;
		return NULL;
	}
	*reason = GA_NO_REASON;
	return start;
}

/* Save what the lookup slots name, as far as it fits in small ones. */
void
ga_client_save_refs(GaSmallRefs *refs)
{
	int i;

	for (i = 0; i < GA_LOOKUP_COUNT && ga_client_memory.lookups != NULL; i++)
		memcpy((*refs)[i], ga_client_lookup(GA_LEASE_SLOTS + i).refs,
			   sizeof((*refs)[i]));
}

/*
 * Map the lookup slots that a reply grants, and have them name these arrays.
 * GA_REASON_STAGING: mmap failed, and errno says why; GA_REASON_GONE: what
 * gpuaggd says is not so.
 */
GaReason
ga_client_map_lookups(int memfd, const GaReply *reply, const GaSmallRefs *refs)
{
	const GaLookupShape shape = {reply->u.lookup_slots.n_arrays,
								 reply->u.lookup_slots.n_full};
	GaReason reason;
	char *start;
	int i;

	if (shape.n_arrays < GA_LOOKUP_SMALL_ARRAYS ||
		shape.n_arrays > GA_SLOT_ARRAYS || shape.n_full > GA_SLOT_ARRAYS)
		return GA_REASON_GONE;
	start = map(memfd, reply->u.lookup_slots.offset, ga_lookup_bytes(shape),
				&reason);
	if (start == NULL)
		return reason;
	for (i = 0; i < GA_LOOKUP_COUNT && ga_client_memory.lookups != NULL; i++)
		memcpy(ga_lookup_slot(start, shape, i).refs, (*refs)[i],
			   sizeof((*refs)[i]));
	unmap_lookups();
	ga_client_memory.lookups = start;
	ga_client_memory.shape = shape;
	may_keep_lookups = reply->u.lookup_slots.keeps != 0;
	return GA_NO_REASON;
}

/*
 * Map the slots of the lease that a reply grants, as far as they are new.
 * Reasons as of ga_client_map_lookups().
 */
GaReason
ga_client_map_lease(int memfd, const GaReply *reply)
{
	const uint32 n = reply->u.lease.n_slots;
	GaReason reason = GA_NO_REASON;

	if (n == 0 || n > GA_LEASE_SLOTS || n < (uint32) ga_client_memory.n_leased)
		return GA_REASON_GONE;
	while (ga_client_memory.n_leased < (int) n && reason == GA_NO_REASON)
	{
		GaSlot *slot =
			map(memfd, reply->u.lease.offsets[ga_client_memory.n_leased],
				GA_SLOT_BYTES, &reason);

		if (slot != NULL)
			ga_client_memory.leased[ga_client_memory.n_leased++] = slot;
	}
	may_keep_lease = reply->u.lease.keeps != 0;
	return reason;
}
