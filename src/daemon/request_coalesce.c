/*
 * request_coalesce.c
 *		Requests of several sessions, submitted to the device as one.
 *
 * Owns the queue of requests to coalesce, and the list of those submitted.
 * request_stored.c queues requests here; main.c's hook flushes the queue in
 * each turn of the loop.
 *
 * To submit a request takes longer than anything else about a small one.  Sums
 * of resident arrays that come in one turn of the loop wait for its end, and
 * are submitted together: the first is the primary, and carries the arrays of
 * the others, its members.  When it is finished each gets its own sums.  A
 * request without members is submitted as it is.
 *
 * While as many as a device can overlap are on it, more of them wait; so the
 * more requests there are, the more are submitted together.
 *
 * What the device writes for several sessions lies in memory of this process,
 * which no client can write to.
 */
#include <string.h>

#include "request_coalesce.h"
#include "stored_parts.h"

/* A request with more parts or bytes is not small: others would wait for it. */
#define MAX_PARTS 64
#define MAX_BYTES (64 << 20)

/* Bytes of a primary with its members: some 60 us of a device's time. */
#define MAX_ALL_BYTES (256 << 20)

/* Parts of a primary with its members. */
#define MAX_ALL_PARTS 256

/* Primaries on each device at a time. */
#define MAX_PRIMARIES 2

static TAILQ_HEAD(, GaActiveRequest) queued = TAILQ_HEAD_INITIALIZER(queued);
static TAILQ_HEAD(, GaActiveRequest) primaries =
	TAILQ_HEAD_INITIALIZER(primaries);

/* Prepare a request whose parts are known; it has no members. */
void
ga_coalesce_init(GaActiveRequest *active)
{
	active->u.stored.n_own = active->u.stored.request.n_arrays;
	active->u.stored.n_all = active->u.stored.n_own;
	active->u.stored.is_primary = false;
	TAILQ_INIT(&active->u.stored.members);
}

/*
 * Queue a request, to be submitted by ga_coalesce_flush() at the end of this
 * turn or later.  Return false if it is not small, or not for sums.
 */
bool
ga_coalesce(GaActiveRequest *active)
{
	const size_t size = ga_element_size(active->u.stored.request.type);
	uint32_t i;

	active->u.stored.n_bytes = 0;
	if (active->request.u.stored.reduction != GA_REDUCE_SUM)
		return false;
	if (active->u.stored.n_own == 0 || active->u.stored.n_own > MAX_PARTS)
		return false;
	for (i = 0; i < active->u.stored.n_own; i++)
		active->u.stored.n_bytes += active->parts[i].n * size;
	if (active->u.stored.n_bytes > MAX_BYTES)
		return false;
	TAILQ_INSERT_TAIL(&queued, active, u.stored.coalesced);
	return true;
}

/* Can a request be a member of the primary, with those it has already? */
static bool
fits(const GaActiveRequest *primary, const GaActiveRequest *active)
{
	return primary->device == active->device &&
		   primary->u.stored.request.type == active->u.stored.request.type &&
		   primary->u.stored.n_all + active->u.stored.n_own <= MAX_ALL_PARTS &&
		   primary->u.stored.n_bytes + active->u.stored.n_bytes <=
			   MAX_ALL_BYTES;
}

/* Make a request a member of the primary.  Return false: no memory. */
static bool
add_member(GaActiveRequest *primary, GaActiveRequest *active)
{
	const uint32_t n = active->u.stored.n_own;

	if (!ga_parts_reserve(primary, primary->u.stored.n_all + n))
		return false;
	memcpy(primary->parts + primary->u.stored.n_all, active->parts,
		   n * sizeof(*active->parts));
	primary->u.stored.n_all += n;
	primary->u.stored.n_bytes += active->u.stored.n_bytes;
	TAILQ_INSERT_TAIL(&primary->u.stored.members, active, u.stored.coalesced);
	return true;
}

/* Submit a request, with its members. */
static void
submit_primary(GaActiveRequest *active)
{
	TAILQ_INSERT_TAIL(&primaries, active, u.stored.coalesced);
	active->u.stored.is_primary = true;
	ga_request_submit(active);
}

static uint32_t
count_primaries(const GaOpenDevice *device)
{
	const GaActiveRequest *active;
	uint32_t n = 0;

	TAILQ_FOREACH(active, &primaries, u.stored.coalesced)
	{
		n += active->device == device;
	}
	return n;
}

/* Return the first queued request whose device can take it; or NULL. */
static GaActiveRequest *
next_primary(void)
{
	GaActiveRequest *active;

	TAILQ_FOREACH(active, &queued, u.stored.coalesced)
	{
		if (count_primaries(active->device) < MAX_PRIMARIES)
			break;
	}
	return active;
}

/* Move queued requests that fit to the primary. */
static void
gather_members(GaActiveRequest *primary, GaActiveRequest *active)
{
	while (active != NULL)
	{
		GaActiveRequest *next = TAILQ_NEXT(active, u.stored.coalesced);

		if (fits(primary, active))
		{
			TAILQ_REMOVE(&queued, active, u.stored.coalesced);
			if (!add_member(primary, active))
				submit_primary(active);
		}
		active = next;
	}
}

/* Submit what was queued in this turn, or before if it had to wait. */
void
ga_coalesce_flush(void)
{
	GaActiveRequest *primary;

	while ((primary = next_primary()) != NULL)
	{
		GaActiveRequest *next = TAILQ_NEXT(primary, u.stored.coalesced);

		TAILQ_REMOVE(&queued, primary, u.stored.coalesced);
		gather_members(primary, next);
		submit_primary(primary);
	}
}

/* Return a request's part of the time that all of the primary's took. */
static uint64_t
part_us(const GaActiveRequest *primary, const GaActiveRequest *active,
		uint64_t all_us)
{
	return all_us * active->u.stored.n_own / primary->u.stored.n_all;
}

/* The primary is finished: finish its members, each with its own sums. */
void
ga_coalesce_finish_members(GaActiveRequest *primary)
{
	const GaSumRequest *request = &primary->u.stored.request;
	const uint64_t all_us = primary->device_us;
	uint32_t first = primary->u.stored.n_own;
	GaActiveRequest *member;

	if (primary->u.stored.is_primary)
		TAILQ_REMOVE(&primaries, primary, u.stored.coalesced);
	primary->u.stored.is_primary = false;
	if (TAILQ_EMPTY(&primary->u.stored.members))
		return;
	primary->device_us = part_us(primary, primary, all_us);
	while ((member = TAILQ_FIRST(&primary->u.stored.members)) != NULL)
	{
		TAILQ_REMOVE(&primary->u.stored.members, member, u.stored.coalesced);
		member->status = primary->status;
		member->failure = primary->failure;
		member->device_us = part_us(primary, member, all_us);
		/* the full records stay the primary's, which is answered last */
		memcpy(member->part_sums, primary->part_sums + first,
			   member->u.stored.n_own * sizeof(GaPartialSum));
		member->u.stored.request.full = request->full;
		first += member->u.stored.n_own;
		ga_request_finish(member);
	}
}
