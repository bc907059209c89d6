/*
 * stored_ahead.c
 *		The arrays that follow the only one of a lookup slot.
 *
 * Called by stored.c and stored_ask.c.
 */
#include "postgres.h"

#include "ahead_batch.h"
#include "client.h"
#include "stored_ahead.h"

/*
 * Return what is known of arrays that may follow the only one of a slot, if its
 * caller waits for one array in each row; else NULL.
 */
GaAhead *
ga_stored_ahead(int i)
{
	const GaSlotEntry *entry = &ga_slots[i].entries[0];

	return ga_slots[i].n_entries == 1 && entry->target != NULL &&
				   !entry->only_loads && entry->wanted.elements.n == 0 ?
			   entry->owner->ahead :
			   NULL;
}

/*
 * Keep the records of the arrays that follow the only one of slot i, which is
 * resident.  Those that need a full record, or have none, are asked for.
 */
void
ga_stored_keep_ahead(GaAhead *ahead, int i, uint32 n_arrays)
{
	const GaLookupSlot lookup = ga_client_lookup(i);
	const uint32 n_records = ga_reduction_records(ga_slots[i].reduction);
	const Size n_bytes = n_records * sizeof(GaPartialSum);
	GaAheadBatch *batch;
	uint32 k;

	if (n_arrays == 0 || n_arrays >= lookup.shape.n_arrays / n_records)
		return;
	batch = ga_ahead_begin(ahead, &ga_slots[i].sample, n_arrays,
						   n_arrays * n_bytes);
	if (batch == NULL)
		return;
	for (k = 1; k <= n_arrays; k++)
	{
		const GaStoredRef ref = *(volatile GaStoredRef *) &lookup.refs[k];
		const GaPartialSum *records = &lookup.sums[k * n_records];

		if (((const volatile GaPartialSum *) records)->kind ==
			GA_PARTIAL_COMPACT)
			memcpy(ga_ahead_add(ahead, batch, (GaAheadArray){ref.key, ref.n},
								n_bytes),
				   records, n_bytes);
	}
	batch->is_complete = true;
}
