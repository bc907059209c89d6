/*
 * request_coalesce.c
 *		Requests of several sessions, in one for the device.
 *
 * To put a request on the device takes longer than all else about a small one.
 * Those for sums of resident values that come in one turn of the loop wait for
 * its end, and go together: the arrays of all behind those of the first one,
 * which leads.  When it is finished each gets its own sums.  One that is alone
 * goes as it is.
 *
 * While as many as a device can overlap are on it, more of them wait; so the
 * more there are to do the more go together.
 *
 * What the device writes for several sessions lies in memory of our own, not in
 * the leader's slot, which its client can write to.
 */
#include <stdlib.h>
#include <string.h>

#include "schedule.h"
#include "request_coalesce.h"

/* More than that is no small request: others would wait for it. */
#define MOST_ARRAYS 64
#define MOST_BYTES	(64 << 20)

/* The same of all that go together: some 60 us of a device's time. */
#define MOST_TOGETHER (256 << 20)

/* Arrays of all of them at most, so that there is room if each sum is wide. */
#define WIDE_ROOM 256

/* Leaders on each device at a time. */
#define MOST_LEADERS 2

static TAILQ_HEAD(,
				  GaActiveRequest) gathered = TAILQ_HEAD_INITIALIZER(gathered);
static TAILQ_HEAD(, GaActiveRequest) leaders = TAILQ_HEAD_INITIALIZER(leaders);

/* Is it a request that can go with others? */
bool
ga_coalesce_takes(GaActiveRequest *work)
{
	uint32_t i;

	work->joint_bytes = 0;
	if (work->operation != &ga_request_sum_stored || work->n_own == 0 ||
		work->n_own > MOST_ARRAYS)
		return false;
	for (i = 0; i < work->n_own; i++)
		work->joint_bytes += work->parts[i].n * ga_element_size(work->sum.type);
	return work->joint_bytes <= MOST_BYTES;
}

/* Have it submitted when it is its turn: at the end of this one, or later. */
void
ga_coalesce_add(GaActiveRequest *work)
{
	work->state = GA_REQUEST_COALESCED;
	TAILQ_INSERT_TAIL(&gathered, work, joint);
}

/* May a request go with the leader's, and with those that do already? */
static bool
go_together(const GaActiveRequest *leader, const GaActiveRequest *work)
{
	return leader->window->device == work->window->device &&
		   leader->sum.type == work->sum.type &&
		   leader->n_joint + work->n_own <= WIDE_ROOM &&
		   leader->joint_bytes + work->joint_bytes <= MOST_TOGETHER;
}

/* Have a request's arrays go with the leader's.  False: no memory. */
static bool
follow(GaActiveRequest *leader, GaActiveRequest *work)
{
	const uint32_t n = work->n_own;

	if (leader->joint_wide == NULL)
		leader->joint_wide = malloc(WIDE_ROOM * sizeof(GaFullRecord));
	if (leader->joint_wide == NULL ||
		!ga_request_reserve_parts(leader, leader->n_joint + n))
		return false;
	memcpy(leader->parts + leader->n_joint, work->parts,
		   n * sizeof(*work->parts));
	leader->n_joint += n;
	leader->joint_bytes += work->joint_bytes;
	TAILQ_INSERT_TAIL(&leader->followers, work, joint);
	return true;
}

/* Submit a request, with those that follow it. */
static void
lead(GaActiveRequest *work)
{
	TAILQ_INSERT_TAIL(&leaders, work, joint);
	work->leads = true;
	ga_request_submit(work);
}

static uint32_t
count_leaders(const GaOpenDevice *device)
{
	const GaActiveRequest *work;
	uint32_t n = 0;

	TAILQ_FOREACH(work, &leaders, joint)
	n += work->window->device == device;
	return n;
}

/* The first request whose device has time for it; or NULL. */
static GaActiveRequest *
next_leader(void)
{
	GaActiveRequest *work;

	TAILQ_FOREACH(work, &gathered, joint)
	{
		if (count_leaders(work->window->device) < MOST_LEADERS)
			break;
	}
	return work;
}

/* Submit what came in this turn, and in those before if it had to wait. */
void
ga_coalesce_flush(void)
{
	GaActiveRequest *leader;

	while ((leader = next_leader()) != NULL)
	{
		GaActiveRequest *work = TAILQ_NEXT(leader, joint);

		TAILQ_REMOVE(&gathered, leader, joint);
		while (work != NULL)
		{
			GaActiveRequest *next = TAILQ_NEXT(work, joint);

			if (go_together(leader, work))
			{
				TAILQ_REMOVE(&gathered, work, joint);
				if (!follow(leader, work))
					lead(work);
			}
			work = next;
		}
		if (!TAILQ_EMPTY(&leader->followers))
		{
			leader->sum.full = leader->joint_wide;
			leader->sum.full_capacity = WIDE_ROOM;
		}
		lead(leader);
	}
}

/*
 * A request's own part of the sums, from one on; wide ones go where its client
 * looks for them.
 */
static void
take_share(GaActiveRequest *work, const GaPartialSum *sums,
		   const GaFullRecord *wide)
{
	uint32_t i;

	work->sum.full = ga_request_stored_full(work);
	work->sum.full_capacity = GA_STORED_FULL;
	work->sum.n_full = 0;
	for (i = 0; i < work->n_own; i++)
	{
		GaPartialSum *sum = &work->part_sums[i];

		*sum = sums[i];
		if (sum->kind != GA_PARTIAL_FULL)
			continue;
		work->sum.full[work->sum.n_full] = wide[sum->limb[0]];
		sum->limb[0] = work->sum.n_full++;
	}
}

/* The leader is finished: so are the others, each with its own sums. */
void
ga_coalesce_share(GaActiveRequest *leader)
{
	uint32_t first = leader->n_own;
	GaActiveRequest *work;

	if (leader->leads)
		TAILQ_REMOVE(&leaders, leader, joint);
	leader->leads = false;
	if (TAILQ_EMPTY(&leader->followers))
		return;
	while ((work = TAILQ_FIRST(&leader->followers)) != NULL)
	{
		TAILQ_REMOVE(&leader->followers, work, joint);
		work->status = leader->status;
		work->failure = leader->failure;
		work->started_ns = leader->started_ns;
		work->sum.device_ms = leader->sum.device_ms;
		if (work->status == GA_OK)
			take_share(work, leader->part_sums + first, leader->sum.full);
		first += work->n_own;
		ga_request_finish(work);
	}
	if (leader->status == GA_OK)
		take_share(leader, leader->part_sums, leader->sum.full);
}
