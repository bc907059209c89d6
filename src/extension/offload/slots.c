/*
 * slots.c
 *		The slots of the session, filled, sent and emptied.
 *
 * Owns the order in which slots are sent and replied to.  A slot is free, open
 * or sent.  What is in an open slot, and what becomes of an answer, is up to
 * the slot's kind: each file that fills slots has one, or several.  The data of
 * a free one may be kept until it is opened again (ga_slots_keep).  Slots of a
 * kind, element type, reduction and device are filled one after the other; a
 * slot is sent when it is full, or has as much as is under way on its device,
 * when its answers are wanted, or when another one needs its place.  Requests
 * are under way while the next slots are filled.
 *
 * slots_open.c finds the slot that is filled next.
 *
 * Each failure ends the same way: the kind's fall_back has the CPU do what the
 * slot holds.  A reply that reports one ends its slot; a connection that is
 * gone, or that said something unexpected, ends all slots and itself.
 *
 * Waiting may throw, if the query is cancelled: the slots stay as they are, and
 * offload.c cancels what nobody wants any more.
 */
#include "postgres.h"
#include "utils/memutils.h"

#include "extension/clock.h"
#include "extension/engine/session_counters.h"
#include "client.h"
#include "reply.h"
#include "slots.h"

/* How long a commit waits for replies, and how often it looks. */
#define SETTLE_US	  5000
#define SETTLE_NAP_US 20

GaSlotFill ga_slots[GA_SLOTS];
int ga_slots_n_sent = 0;

/* The slots that are sent, in the order in which their replies come. */
static int sent_order[GA_SLOTS];
static int oldest; /* where it begins */

/* What else ends with the connection. */
static void (*call_at_reset)(void);

/* Save the data of a free slot, if they are of use.  Never throws. */
void
ga_slots_save(int i)
{
	if (ga_slots[i].save != NULL)
		ga_slots[i].save(ga_slots[i].kept);
	ga_slots_forget(i);
}

static void
save_all(void)
{
	int i;

	for (i = 0; i < GA_LEASE_SLOTS; i++)
		ga_slots_save(i);
}

/* at_reset is called when a connection was closed with all under way. */
void
ga_slots_init(void (*at_reset)(void))
{
	call_at_reset = at_reset;
	ga_client_before_unmap(save_all);
}

static void
release(GaSlotFill *slot)
{
	slot->state = GA_SLOT_FREE;
	slot->n_entries = 0;
	slot->n_wanted = 0;
	slot->n_bytes = 0;
	slot->is_ignored = false;
}

/* Release all slots and close the connection.  Never throws. */
void
ga_slots_reset(void)
{
	int i;

	for (i = 0; i < GA_SLOTS; i++)
		release(&ga_slots[i]);
	ga_slots_n_sent = 0;
	ga_client_close();
	if (call_at_reset != NULL)
		call_at_reset();
}

/* Release the open slots of a kind, or all open ones (NULL).  Never throws. */
void
ga_slots_release_open(const GaSlotKind *kind)
{
	int i;

	for (i = 0; i < GA_SLOTS; i++)
	{
		if (ga_slots[i].state == GA_SLOT_OPEN &&
			(kind == NULL || ga_slots[i].kind == kind))
			release(&ga_slots[i]);
	}
}

/*
 * Cancel what an owner asked for, or without one (NULL) what is of a level of
 * transactions or deeper: replies to come are no longer for it.  A slot that is
 * open for it alone is released.
 */
static void
cancel(const GaOwner *owner, int level)
{
	int i;
	uint32 j;

	for (i = 0; i < GA_SLOTS; i++)
	{
		GaSlotFill *slot = &ga_slots[i];
		const uint32 n_before = slot->n_wanted;

		for (j = 0; j < slot->n_entries; j++)
		{
			GaSlotEntry *entry = &slot->entries[j];

			if (entry->target == NULL ||
				(owner != NULL ? entry->owner != owner : entry->level < level))
				continue;
			entry->target = NULL;
			slot->n_wanted--;
		}
		if (slot->state == GA_SLOT_OPEN && n_before > 0 && slot->n_wanted == 0)
			release(slot);
	}
}

/* Cancel what an owner asked for.  Never throws. */
void
ga_slots_cancel(const GaOwner *owner)
{
	cancel(owner, 0);
}

/* Cancel the stored arrays of a level, and of deeper ones.  Never throws. */
void
ga_slots_cancel_level(int level)
{
	cancel(NULL, level);
}

/* Have the replies to the slots of a kind that are under way do nothing. */
void
ga_slots_ignore(const GaSlotKind *kind)
{
	int i;

	for (i = 0; i < GA_SLOTS; i++)
		ga_slots[i].is_ignored |=
			ga_slots[i].state == GA_SLOT_SENT && ga_slots[i].kind == kind;
}

/* Is there an entry that an answer is wanted for? */
bool
ga_slots_are_wanted(void)
{
	int i;

	for (i = 0; i < GA_SLOTS; i++)
	{
		if (ga_slots[i].n_wanted > 0)
			return true;
	}
	return false;
}

/* Return how many slots of a kind are in use. */
int
ga_slots_n_of(const GaSlotKind *kind)
{
	int n = 0;
	int i;

	for (i = 0; i < GA_SLOTS; i++)
		n += ga_slots[i].state != GA_SLOT_FREE && ga_slots[i].kind == kind;
	return n;
}

/* Allocate what the slots need to be emptied, before any of them is. */
static void
reserve(void)
{
	uint32 n = 0;
	int i;

	for (i = 0; i < GA_SLOTS; i++)
		n += ga_slots[i].n_entries;
	for (i = 0; i < GA_SLOTS; i++)
	{
		if (ga_slots[i].state != GA_SLOT_FREE &&
			ga_slots[i].kind->reserve != NULL)
			ga_slots[i].kind->reserve(n);
	}
}

/* Leave all that is in the slots to the CPU, and close the connection. */
void
ga_slots_leave(GaReason reason)
{
	int i;

	reserve();
	for (i = 0; i < GA_SLOTS; i++)
	{
		if (ga_slots[i].state == GA_SLOT_FREE)
			continue;
		ga_slots[i].kind->fall_back(i, reason);
		release(&ga_slots[i]);
	}
	ga_slots_reset();
}

/* Do so, and report the failure: the connection is gone or of no use. */
void
ga_slots_fall_back(GaReason reason)
{
	ga_slots_leave(reason);
	ga_session_report_failure(reason, ga_client_trouble());
}

/*
 * Count the device's time for a slot.  If aggregate nodes are counted, those
 * that want its answers get an equal part for each entry.
 */
static void
count_device_time(const GaSlotFill *slot, int64 us)
{
	int64 n_parts = 0;
	uint32 j;

	ga_session_counters.device_us += us;
	if (likely(ga_node_counters == NULL))
		return;
	if (slot->n_wanted == 0)
		ga_node_counters->device_us += us;
	for (j = 0; j < slot->n_entries; j++)
	{
		const GaOwner *owner = slot->entries[j].owner;
		const int64 before = us * n_parts / Max(slot->n_wanted, 1);

		if (slot->entries[j].target == NULL)
			continue;
		n_parts++;
		if (owner != NULL && owner->counters != NULL)
			owner->counters->device_us +=
				us * n_parts / slot->n_wanted - before;
	}
}

/* Have the reply to a slot taken by its kind, and release it. */
static void
take_reply(int i, const GaReply *reply)
{
	GaSlotFill *slot = &ga_slots[i];
	const GaReason reason = ga_reply_reason(reply->status);

	/* no more than fits, whatever gpuaggd says */
	count_device_time(slot, Min(reply->device_us, UINT32_MAX));
	if (slot->is_ignored)
		;
	else if (reason == GA_NO_REASON)
		slot->kind->receive(i, reply);
	else
	{
		slot->kind->fall_back(i, reason);
		ga_session_report_failure(reason, ga_client_trouble());
	}
	release(slot);
}

/*
 * Take the reply to the slot that was sent first.  False if it is not there and
 * `waits` is false, or if the connection is gone.  May throw.
 */
static bool
receive(bool waits)
{
	GaReply reply;
	bool is_there = false;
	const int i = sent_order[oldest];
	int64 start_us;
	GaReason reason;

	if (!waits && ga_client_is_awaiting(i))
		return false;
	reserve();
	start_us = waits ? ga_clock_us() : 0;
	reason = ga_client_receive(i, &reply, waits, &is_there);
	if (waits)
		ga_session_count_waiting(start_us);
	if (reason == GA_NO_REASON && !is_there)
		return false;
	if (reason == GA_NO_REASON &&
		(reply.slot != i || reply.opcode != ga_slots[i].kind->opcode))
		reason = GA_REASON_GONE;
	if (reason != GA_NO_REASON)
	{
		ga_slots_fall_back(reason);
		return false;
	}
	oldest = (oldest + 1) % GA_SLOTS;
	ga_slots_n_sent--;
	take_reply(i, &reply);
	return true;
}

/* Take the replies that are there, without waiting.  May throw. */
void
ga_slots_poll(void)
{
	while (ga_slots_n_sent > 0 && receive(false))
		;
}

/* Wait for one reply of those under way, of which there is one.  May throw. */
void
ga_slots_receive(void)
{
	(void) receive(true);
}

/* Wait for all replies that are under way.  May throw. */
void
ga_slots_drain(void)
{
	while (ga_slots_n_sent > 0)
		(void) receive(true);
}

/*
 * Before a transaction commits, take the replies to what nobody waited for, if
 * they come soon; else the connection would be closed.  May throw.
 */
void
ga_slots_settle(void)
{
	const int64 end_us = ga_slots_n_sent > 0 ? ga_clock_us() + SETTLE_US : 0;

	while (ga_slots_n_sent > 0 && ga_clock_us() < end_us)
	{
		if (!receive(false))
			pg_usleep(SETTLE_NAP_US);
	}
}

/* Send an open slot, and take the replies that are there.  May throw. */
void
ga_slots_send(int i)
{
	GaRequest request;
	GaSlotFill *slot = &ga_slots[i];

	memset(&request, 0, sizeof(request));
	request.opcode = slot->kind->opcode;
	request.slot = i;
	request.device = slot->device;
	slot->kind->make_request(i, &request);
	if (!ga_client_send(&request))
	{
		/* what gpuaggd said before it went */
		ga_slots_poll();
		if (slot->state == GA_SLOT_OPEN)
			ga_slots_fall_back(GA_REASON_GONE);
		return;
	}
	slot->state = GA_SLOT_SENT;
	sent_order[(oldest + ga_slots_n_sent++) % GA_SLOTS] = i;
	ga_slots_poll();
}

/* Send the open slots of a kind.  May throw. */
void
ga_slots_send_open(const GaSlotKind *kind)
{
	int i;

	for (i = 0; i < GA_SLOTS; i++)
	{
		if (ga_slots[i].state == GA_SLOT_OPEN && ga_slots[i].kind == kind)
			ga_slots_send(i);
	}
}
