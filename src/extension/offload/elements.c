/*
 * elements.c
 *		Elements in slots, to be summed by the device.
 *
 * A slot has the elements of many arrays, so that one request does for all of
 * them.  Each reply adds the arrays' sums to what their entries point at: a
 * GaIntSum, or a GaExactSum of full capacity, which stays where it is.  If the
 * device fails, the CPU adds the elements that still lie in the slot; additions
 * are exact, so the result is the same.
 *
 * Called for plain arrays (sums.c), and for stored ones that the device has no
 * memory for (stored_load.c).
 */
#include "postgres.h"

#include "extension/engine/cpu_sums.h"
#include "extension/engine/session_counters.h"
#include "client.h"
#include "elements.h"

static void make_request(int i, GaRequest *request);
static void receive(int i, const GaReply *reply);
static void fall_back(int i, GaReason reason);

/* A slot with less than GA_LOAD_ALIGN bytes to spare counts as full. */
static const GaSlotKind elements_kind = {
	.opcode = GA_SUM,
	.max_bytes = GA_SLOT_DATA_BYTES - GA_LOAD_ALIGN + 1,
	.make_request = make_request,
	.receive = receive,
	.fall_back = fall_back,
};

static void
make_request(int i, GaRequest *request)
{
	request->u.sum.type = ga_slots[i].type;
	request->u.sum.n_arrays = ga_slots[i].n_entries;
	request->u.sum.n_data_bytes = ga_slots[i].n_bytes;
}

/* Have the CPU add the elements of entry j of slot i. */
static void
add_by_cpu(int i, uint32 j, GaReason reason)
{
	const GaSlotEntry *entry = &ga_slots[i].entries[j];
	const GaSlotArray *array = &entry->of.array;

	ga_cpu_add(entry->target, ga_slots[i].type,
			   ga_client_slot_data(i) + array->at, array->n);
	ga_session_count(entry->owner->counters, reason, ga_slots[i].type,
					 entry->is_first, array->n);
}

/* Add the sums of a slot to those that they are wanted for. */
static void
receive(int i, const GaReply *reply)
{
	const GaSlotFill *slot = &ga_slots[i];
	const GaSlot *answer = ga_client_slot(i);
	uint32 j;

	for (j = 0; j < slot->n_entries; j++)
	{
		const GaSlotEntry *entry = &slot->entries[j];
		const uint32 n = entry->of.array.n;

		if (entry->target == NULL)
			continue;
		if (ga_cpu_merge_partial(entry->target, slot->type, n, &answer->sums[j],
								 answer->full, GA_SLOT_FULL))
			ga_session_count(entry->owner->counters, GA_NO_REASON, slot->type,
							 entry->is_first, n);
		else
			add_by_cpu(i, j, GA_REASON_RECORDS);
	}
}

static void
fall_back(int i, GaReason reason)
{
	uint32 j;

	for (j = 0; j < ga_slots[i].n_entries; j++)
	{
		if (ga_slots[i].entries[j].target != NULL)
			add_by_cpu(i, j, reason);
	}
}

/*
 * Copy elements to an open slot.  Return how many there was capacity for.
 * Never throws.
 */
static size_t
fill(int i, GaOwner *owner, void *sum, const void *data, size_t n,
	 bool is_first)
{
	GaSlotFill *slot = &ga_slots[i];
	const uint32 last = slot->n_entries - 1;
	GaSlotArray *arrays = ga_client_slot(i)->arrays;
	GaSlotEntry *entry;
	const size_t size = ga_element_size(slot->type);

	n = Min(n, (GA_SLOT_DATA_BYTES - slot->n_bytes) / size);
	memcpy(ga_client_slot_data(i) + slot->n_bytes, data, n * size);
	if (!is_first && slot->n_entries > 0 && slot->entries[last].target == sum)
	{
		/* more of the same sum */
		slot->entries[last].of.array.n += n;
		arrays[last] = slot->entries[last].of.array;
		slot->n_bytes += n * size;
		return n;
	}
	arrays[last + 1] = (GaSlotArray){.at = slot->n_bytes, .n = n};
	entry = ga_slots_add(i, sum, owner, n * size);
	entry->of.array = (GaSlotArray){.at = slot->n_bytes - n * size, .n = n};
	entry->is_first = is_first;
	return n;
}

/*
 * Have elements added to a sum, as many of n as a slot has capacity for; data
 * may be unaligned, and is copied.  is_first: an array begins here.  Returns
 * how many were taken over, or 0 if there is no lease or connection: the others
 * are the caller's to add.  May throw, with none taken over.
 */
size_t
ga_elements_add(GaOwner *owner, void *sum, GaElementType type, const void *data,
				size_t n, bool is_first)
{
	const int i = ga_slots_open(&elements_kind, type, GA_REDUCE_SUM,
								ga_client_any_device());

	return i < 0 ? 0 : fill(i, owner, sum, data, n, is_first);
}

/* Send what is in open slots.  May throw. */
void
ga_elements_send(void)
{
	ga_slots_send_open(&elements_kind);
}
