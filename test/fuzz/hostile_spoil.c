/*
 * hostile_spoil.c
 *		What a gpuaggd that answers whatever it likes changes behind a
 *		session's back.
 *
 * The linker has the session's ga_session_count() come here: between two arrays
 * of a reply the slot may change.  It counts what tests want to know.
 */
#include "postgres.h"

#include "extension/engine/session_counters.h"
#include "hostile.h"

/* Spoil a lookup slot, which is smaller than others. */
static void
spoil_lookup(uint32_t which, uint32_t at, uint32_t n)
{
	GaLookupSlot slot;

	if (!hostile_lookup(which / 4, &slot))
		return;
	switch (which % 4)
	{
		case 0:
			take_words(&hostile_script, (uint32_t *) slot.refs + at % 100, n);
			break;
		case 1:
			take_words(&hostile_script, (uint32_t *) slot.sums + at % 100, n);
			break;
		case 2:
			take_words(&hostile_script, (uint32_t *) slot.full + at, n);
			break;
		default:
			take_words(&hostile_script, (uint32_t *) slot.reply + at % 100, n);
			break;
	}
}

/* Spoil what the session reads, at a few places of one kind. */
void
hostile_spoil(GaReply *reply)
{
	const uint8_t where = take_byte(&hostile_script);
	GaSlot *slot = hostile_slot(where / 8 % GA_LEASE_SLOTS);
	const uint32_t at = take_word(&hostile_script) % 256;
	const uint32_t n = take_byte(&hostile_script) % 16;
	volatile uint32_t *words;

	if (where % 8 == 0)
	{
		if (at + n <= sizeof(*reply) / 4)
			take_words(&hostile_script, (uint32_t *) reply + at, n);
		return;
	}
	if (slot == NULL || where % 8 == 6)
	{
		spoil_lookup(where / 8, at, n);
		return;
	}
	switch (where % 8)
	{
		case 1:
			words = (uint32_t *) slot->arrays;
			break;
		case 2:
			words = (uint32_t *) slot->sums;
			break;
		case 3:
			words = (uint32_t *) slot->full;
			break;
		case 4:
			words = (uint32_t *) &slot->reply;
			break;
		case 5:
			words = (uint32_t *) ga_slot_data(slot);
			break;
		default:
			words = (uint32_t *) slot->segments;
			break;
	}
	take_words(&hostile_script, words + at, n);
}

GaReason hostile_counted;
int64 hostile_n_arrays[GA_N_REASONS];
int64 hostile_n_elements[GA_N_REASONS];

extern void __wrap_ga_session_count(GaCounters *node, GaReason reason,
									GaElementType type, int64 arrays,
									int64 elements);

void
__wrap_ga_session_count(GaCounters *node, GaReason reason, GaElementType type,
						int64 arrays, int64 elements)
{
	GaReply reply;

	hostile_counted = reason;
	hostile_n_arrays[reason] += arrays;
	hostile_n_elements[reason] += elements;
	if (hostile_script.left > 0 && hostile_script.next[0] % 4 == 0)
		hostile_spoil(&reply);
}
