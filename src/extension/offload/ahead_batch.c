/*
 * ahead_batch.c
 *		The results that one reply brought, of arrays that a query comes to.
 *
 * They are copied where they are small; else they stay in the slot of the reply
 * until the slot is needed.
 *
 * Called by ahead.c, which has a list of batches, and what takes replies.
 */
#include "postgres.h"
#include "utils/memutils.h"

#include "ahead_batch.h"
#include "slots.h"
#include "extension/supervisor/oid_sample.h"

/* Allocate memory; NULL: there is none. */
static void *
allocate(MemoryContext memory, Size n_bytes)
{
	return MemoryContextAllocExtended(memory, n_bytes,
									  MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
}

/*
 * Return an empty batch, for n_arrays with results of so many bytes; 0: they
 * will be those of a slot.  NULL if there is no memory; never throws.
 */
GaAheadBatch *
ga_ahead_batch_new(MemoryContext memory, const GaOidSample *sample,
				   uint32 n_arrays, Size n_bytes)
{
	GaAheadBatch *batch = allocate(memory, sizeof(*batch));

	if (batch == NULL)
		return NULL;
	*batch = (GaAheadBatch){.sample = *sample, .slot = -1};
	batch->arrays = allocate(memory, n_arrays * sizeof(*batch->arrays));
	if (n_bytes > 0)
		batch->results = allocate(memory, n_bytes);
	if (batch->arrays == NULL || (n_bytes > 0 && batch->results == NULL))
	{
		ga_ahead_batch_free(batch);
		return NULL;
	}
	return batch;
}

void
ga_ahead_batch_free(GaAheadBatch *batch)
{
	if (batch->arrays != NULL)
		pfree(batch->arrays);
	if (batch->slot >= 0)
		ga_slots_forget(batch->slot);
	else if (batch->results != NULL)
		pfree(batch->results);
	pfree(batch);
}

/*
 * The slot that has a batch's results is needed: copy them.  Without memory the
 * batch has no arrays any more.  Never throws.
 */
static void
save(void *kept)
{
	GaAheadBatch *batch = kept;
	char *results = allocate(GetMemoryChunkContext(batch), batch->n_bytes);

	if (results != NULL)
		memcpy(results, batch->results, batch->n_bytes);
	else
	{
		batch->n_arrays = batch->expected = 0;
		batch->has_more = false;
	}
	batch->results = results;
	batch->slot = -1;
}

/* Have the results of a batch in the data of a slot, until it is needed. */
void
ga_ahead_batch_keep(GaAheadBatch *batch, int slot, char *results)
{
	batch->slot = slot;
	batch->results = results;
	ga_slots_keep(slot, save, batch);
}

/*
 * Add an array, and return where its result of so many bytes goes; NULL if
 * results are those of a slot.
 */
void *
ga_ahead_batch_add(GaAheadBatch *batch, GaAheadArray array, Size n_bytes)
{
	char *result =
		batch->results == NULL ? NULL : batch->results + batch->n_bytes;

	batch->arrays[batch->n_arrays++] =
		(GaAheadKept){.array = array, .at = (uint32) batch->n_bytes};
	batch->n_bytes += n_bytes;
	return result;
}

static bool
is_key(const GaStoredKey *a, const GaStoredKey *b)
{
	return a->value_id == b->value_id && a->relation == b->relation &&
		   a->raw_bytes == b->raw_bytes && a->ext_info == b->ext_info;
}

/* Find an array in a batch, at first where it is expected; NULL: not there. */
const GaAheadKept *
ga_ahead_batch_find(const GaAheadBatch *batch, const GaStoredKey *key)
{
	uint32 i;

	for (i = 0; i < batch->n_arrays; i++)
	{
		const GaAheadKept *kept =
			&batch->arrays[(batch->expected + i) % batch->n_arrays];

		if (is_key(&kept->array.key, key))
			return kept;
	}
	return NULL;
}

/* May the id of an array that a batch has be that of another one by now? */
bool
ga_ahead_batch_may_be_new(const GaAheadBatch *batch, const GaStoredKey *key)
{
	GaOidSample now;

	ga_oid_sample_take(&now);
	return ga_oid_may_be_new(&ga_oid_space, &batch->sample, &now,
							 key->value_id);
}
