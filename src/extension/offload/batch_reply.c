/*
 * batch_reply.c
 *		What becomes of a batch's slots: sums, or work for the CPU.
 *
 * Of batch.c, which see; nobody else calls this.
 */
#include "postgres.h"

#include "batch_slots.h"
#include "client.h"
#include "extension/engine/engine.h"
#include "stored.h"

/* Nothing is in it any more. */
void
ga_batch_free_slot(GaBatchSlot *slot)
{
	slot->state = SLOT_FREE;
	slot->n_entries = 0;
	slot->n_bytes = 0;
	slot->n_wanted = 0;
}

/* Forget all that is in the slots, and with it the connection. */
void
ga_batch_reset(void)
{
	int i;

	for (i = 0; i < GA_LEASE_SLOTS; i++)
		ga_batch_free_slot(&ga_batch.slots[i]);
	ga_batch.n_sent = 0;
	ga_client_close();
	ga_stored_lost();
}

/* An entry's elements, where they were copied to. */
static const char *
entry_data(int i, uint32 j)
{
	return ga_client_slot_data(i) + ga_client_slot(i)->arrays[j].at;
}

/* Let the CPU do what a slot holds. */
static void
compute(int i, GaReason reason)
{
	GaBatchSlot *slot = &ga_batch.slots[i];
	uint32 j;

	if (ga_slot_names_stored(slot->kind))
	{
		ga_stored_return(i, reason);
		ga_batch_free_slot(slot);
		return;
	}
	for (j = 0; j < slot->n_entries; j++)
	{
		GaBatchEntry *entry = &slot->entries[j];
		uint32 n = ga_client_slot(i)->arrays[j].n;

		if (entry->sum == NULL)
			continue;
		ga_cpu_add(entry->sum, slot->type, entry_data(i, j), n);
		ga_session_stat_count(reason, entry->begins, n);
	}
	ga_batch_free_slot(slot);
}

/*
 * The connection is gone, or of no use: the CPU does all that is in the slots.
 */
void
ga_batch_compute(GaReason reason)
{
	int i;

	ga_stored_reserve();
	for (i = 0; i < GA_LEASE_SLOTS; i++)
	{
		if (ga_batch.slots[i].state != SLOT_FREE)
			compute(i, reason);
	}
	ga_batch_reset();
	ga_engine_report(reason);
}

/*
 * Add a sum of n elements that the device made.  False, and nothing is added,
 * if it had no room for it.
 */
bool
ga_batch_merge(void *sum, GaElementType type, uint32 n,
			   const GaPartialSum *partial, const GaFullRecord *wide,
			   uint32 full_capacity)
{
	if (!ga_element_is_float(type))
	{
		ga_partial_merge_int(sum, n, partial);
		return true;
	}
	return partial->kind != GA_PARTIAL_NO_CAPACITY &&
		   (partial->kind != GA_PARTIAL_FULL ||
			partial->limb[0] < full_capacity) &&
		   ga_partial_merge(sum, n, partial, wide) == GA_OK;
}

/* Add the sums of a slot that the device did. */
static void
take_sums(int i)
{
	const GaSlot *answer = ga_client_slot(i);
	GaBatchSlot *slot = &ga_batch.slots[i];
	uint32 j;

	if (ga_slot_names_stored(slot->kind))
		ga_stored_receive(i);
	if (slot->kind != SLOT_ARRAYS)
	{
		ga_batch_free_slot(slot);
		return;
	}

	for (j = 0; j < slot->n_entries; j++)
	{
		GaBatchEntry *entry = &slot->entries[j];
		uint32 n = answer->arrays[j].n;
		GaReason reason = GA_NO_REASON;

		if (entry->sum == NULL)
			continue;
		if (!ga_batch_merge(entry->sum, slot->type, n, &answer->sums[j],
							answer->full, GA_SLOT_FULL))
		{
			ga_cpu_add(entry->sum, slot->type, entry_data(i, j), n);
			reason = GA_REASON_WIDE;
		}
		ga_session_stat_count(reason, entry->begins, n);
	}
	ga_batch_free_slot(slot);
}

/* What a status of a reply comes to. */
static GaReason
reason_of(int32 status)
{
	switch (status)
	{
		case GA_OK:
			return GA_NO_REASON;
		case GA_NO_MEMORY:
			return GA_REASON_MEMORY;
		default:
			return GA_REASON_FAILED;
	}
}

/*
 * Take a reply: of the slot that was sent first.  False if it does not wait,
 * and there is none, or if there is no connection any more.
 */
bool
ga_batch_take_reply(bool waits)
{
	GaReply reply;
	bool is_there = false;
	int i = ga_batch.sent_order[ga_batch.oldest];
	GaReason reason;

	ga_stored_reserve();
	reason = ga_client_receive(i, &reply, waits, &is_there);
	if (reason == GA_NO_REASON && !is_there)
		return false;
	if (reason == GA_NO_REASON &&
		(reply.slot != i ||
		 reply.opcode != ga_slot_opcode(ga_batch.slots[i].kind)))
		reason = GA_REASON_GONE;
	if (reason != GA_NO_REASON)
	{
		ga_batch_compute(reason);
		return false;
	}
	ga_batch.oldest = (ga_batch.oldest + 1) % GA_LEASE_SLOTS;
	ga_batch.n_sent--;
	reason = reason_of(reply.status);
	if (reason == GA_NO_REASON)
		take_sums(i);
	else
	{
		compute(i, reason);
		ga_engine_report(reason);
	}
	return true;
}
