/*
 * client_memory.c
 *		The slots of a session's connection to gpuaggd.
 *
 * Owns the mapped memory: slots of staging memory while the session has a
 * lease, and lookup slots.  client.c owns the connection, and calls it with
 * nothing under way.  What gpuaggd says about a memfd is checked before it is
 * mapped: a file that could become shorter would end the session by SIGBUS.
 * Only an interrupt throws.
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client.h"
#include "client_memory.h"
#include "reply.h"

GaClientMemory ga_client_memory;

static bool may_keep_lease; /* at the end of a transaction */
static bool may_keep_lookups;

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

/* Map a part of a file; NULL and a reason if that fails. */
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
		ga_client_set_trouble("mmap: %m");
		*reason = GA_REASON_STAGING;
		return NULL;
	}
	*reason = GA_NO_REASON;
	return start;
}

/*
 * Send a request that memory is granted by, and wait for the reply with its
 * memfd.  Without a reason, that is the caller's to close.
 */
static GaReason
request_memory(int fd, const GaRequest *request, GaReply *reply, int *memfd,
			   long ms)
{
	GaReason reason = ga_client_ask(fd, request, reply, memfd, ms);

	if (reason != GA_NO_REASON)
		return reason;
	if (reply->status == GA_OK && *memfd >= 0)
		return GA_NO_REASON;
	if (reply->status == GA_OK)
		return *memfd == GA_DESCRIPTOR_LOST ? GA_REASON_DESCRIPTORS :
											  GA_REASON_GONE;
	if (*memfd >= 0)
		close(*memfd);
	return reply->status == GA_NO_CAPACITY ? GA_REASON_STAGING :
											 GA_REASON_FAILED;
}

/* What small lookup slots name. */
typedef GaStoredRef SmallRefs[GA_LOOKUP_COUNT][GA_LOOKUP_SMALL_ARRAYS];

/* Save what the lookup slots name, as far as it fits in small ones. */
static void
save_refs(SmallRefs *refs)
{
	int i;

	for (i = 0; i < GA_LOOKUP_COUNT && ga_client_memory.lookups != NULL; i++)
		memcpy((*refs)[i], ga_client_lookup(GA_LEASE_SLOTS + i).refs,
			   sizeof((*refs)[i]));
}

/* Map the lookup slots that a reply grants, and have them name these arrays. */
static GaReason
map_lookups(int memfd, const GaReply *reply, const SmallRefs *refs)
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
 * Get lookup slots, and have them name these arrays.  is_replaced: whatever
 * the reason, those of before are not this session's any more.
 */
static GaReason
replace_lookups(int fd, bool is_large, const SmallRefs *refs, long ms,
				bool *is_replaced)
{
	GaRequest request = {.opcode = GA_LOOKUP_SLOTS};
	GaReply reply;
	int memfd = -1;
	GaReason reason;

	request.u.lookup_slots.is_large = is_large;
	reason = request_memory(fd, &request, &reply, &memfd, ms);
	*is_replaced = reason == GA_NO_REASON;
	if (reason != GA_NO_REASON)
		return reason;
	reason = map_lookups(memfd, &reply, refs);
	close(memfd);
	return reason;
}

/*
 * Get lookup slots, large or small ones, instead of those that there are,
 * within ms.  The arrays that these name are named by the new ones, too.
 * GA_REASON_STAGING: there are none, and those of before stay.  With another
 * reason the connection is of no more use.
 */
GaReason
ga_client_get_lookups(int fd, bool is_large, long ms)
{
	SmallRefs refs;
	bool is_replaced;
	GaReason reason;

	/* when the reply is here, the slots of now may be another session's */
	save_refs(&refs);
	reason = replace_lookups(fd, is_large, &refs, ms, &is_replaced);
	if (reason != GA_REASON_STAGING || !is_replaced || !is_large)
		return reason;

	/* it cannot map them, and has none at all until it has small ones again */
	reason = replace_lookups(fd, false, &refs, ms, &is_replaced);
	return reason == GA_NO_REASON ? GA_REASON_STAGING : GA_REASON_GONE;
}

/* Map the slots of the lease that a reply grants, as far as they are new. */
static GaReason
map_lease(int memfd, const GaReply *reply)
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

/*
 * Get a lease, or more slots for it, up to n_slots in all.  If all are taken
 * gpuaggd keeps the request for wait_ms; its answer may take ms more.  Reasons
 * as of ga_client_get_lookups().
 */
GaReason
ga_client_get_lease(int fd, int n_slots, long wait_ms, long ms)
{
	GaRequest request = {.opcode = GA_LEASE};
	GaReply reply;
	int memfd = -1;
	GaReason reason;

	request.u.lease.n_slots = n_slots;
	request.u.lease.wait_ms = wait_ms;
	reason = request_memory(fd, &request, &reply, &memfd, wait_ms + ms);
	if (reason != GA_NO_REASON)
		return reason;
	reason = map_lease(memfd, &reply);
	close(memfd);
	return reason;
}
