/*
 * elem_batch.c
 *		Arrays that are added together to sums position by position.
 *
 * The device's records are added as they come.  Positions that it refused, or
 * did not come to, are left to the CPU, which reads the arrays there when all
 * that the device did is known.
 *
 * Called by engine_elem.c, by way of elem_state.c.
 */
#include "postgres.h"
#include "miscadmin.h"

#include "cpu/elem_add.h"
#include "elem_state.h"
#include "extension/engine/session_counters.h"
#include "extension/error.h"
#include "extension/input/array.h"
#include "extension/offload/client.h"
#include "extension/offload/stored_key.h"
#include "extension/settings.h"

/* Positions from one on, up to another. */
typedef struct GaPositionRange
{
	uint32 from;
	uint32 to;
} GaPositionRange;

/* Arrays that the device adds, and what it leaves to the CPU. */
typedef struct GaElemBatch
{
	GaElemState *state;
	const GaStoredKey *keys;
	uint32 n;
	GaReason reason;		 /* of the ranges */
	GaPositionRange *ranges; /* in order */
	int n_ranges;
	int64 n_left; /* positions in all ranges */
} GaElemBatch;

/* Leave positions to the CPU, behind those that were left to it before. */
static void
leave(GaElemBatch *batch, uint32 from, uint32 to)
{
	GaPositionRange *last =
		batch->n_ranges > 0 ? &batch->ranges[batch->n_ranges - 1] : NULL;

	if (from == to)
		return;
	batch->n_left += to - from;
	if (last != NULL && last->to == from)
	{
		last->to = to;
		return;
	}
	batch->ranges = batch->ranges == NULL ?
						palloc(sizeof(GaPositionRange)) :
						repalloc(batch->ranges, (batch->n_ranges + 1) *
													sizeof(GaPositionRange));
	batch->ranges[batch->n_ranges++] = (GaPositionRange){from, to};
}

/*
 * Add records of the positions from one on; those from the first to the last
 * that the device refused are left to the CPU.
 */
static void
take_records(void *target, uint32 at, const GaPartialSum *records, uint32 n)
{
	GaElemBatch *batch = target;
	GaElemSum *sum = &batch->state->sum;
	uint32 first = 0;
	uint32 end = n;

	while (first < n && ga_elem_is_record(sum->type, batch->n, &records[first]))
		first++;
	while (end > first &&
		   ga_elem_is_record(sum->type, batch->n, &records[end - 1]))
		end--;
	ga_elem_add_records(sum, at, records, first);
	ga_elem_add_records(sum, at + end, records + end, n - end);
	leave(batch, at + first, at + end);
	CHECK_FOR_INTERRUPTS();
}

/* Add an array at the positions that are left to the CPU. */
static void
add_array(GaElemBatch *batch, const GaStoredKey *key, GaToastRelation *relation,
		  char *buffer)
{
	const struct varatt_external pointer = ga_stored_pointer(key);
	GaElemSum *sum = &batch->state->sum;
	const uint32 capacity = GA_READ_BYTES / ga_element_size(sum->type);
	GaArray array;
	int i;

	ga_array_open_stored(&array, &pointer, sum->type, relation);
	if (ga_array_may_have_nulls(&array) || array.n_items != (int) sum->n)
		ga_report_bad_array("It is not as the device has it.");
	for (i = 0; i < batch->n_ranges; i++)
	{
		uint32 at = batch->ranges[i].from;
		uint32 n;

		for (; at < batch->ranges[i].to; at += n)
		{
			n = Min(batch->ranges[i].to - at, capacity);
			ga_array_read(&array, at, n, buffer);
			ga_elem_add(ga_cpu, sum, at, buffer, n, 1);
			CHECK_FOR_INTERRUPTS();
		}
	}
	ga_array_close(&array);
}

/*
 * Have the CPU add what is left to it of arrays that the device has seen, and
 * count who added what.
 */
static void
end(GaElemBatch *batch)
{
	GaElemSum *sum = &batch->state->sum;
	const int64 n_by_device = (int64) sum->n - batch->n_left;
	GaToastRelation relation = GA_TOAST_CLOSED;
	char *buffer;
	uint32 i;

	sum->n_arrays += batch->n;
	ga_session_count(ga_node_counters, GA_NO_REASON, sum->type,
					 n_by_device > 0 ? batch->n : 0, batch->n * n_by_device);
	if (batch->n_left == 0)
		return;
	buffer = palloc(GA_READ_BYTES);
	for (i = 0; i < batch->n; i++)
		add_array(batch, &batch->keys[i], &relation, buffer);
	ga_toast_close(&relation);
	pfree(buffer);
	ga_session_count(ga_node_counters, batch->reason, sum->type,
					 n_by_device > 0 ? 0 : batch->n, batch->n * batch->n_left);
}

/*
 * Add arrays that one device may have.  Those that the cache does not keep are
 * left to the CPU, unless sums with them are under way.
 */
void
ga_elem_add_group(void *owner, GaStoredKey *keys, uint32 n)
{
	GaElemState *state = owner;
	GaElemBatch batch = {.state = state, .keys = keys, .n = n};
	GaElemRun run = ga_elem_begin_run(&state->noted, keys, n);

	run.take = take_records;
	run.target = &batch;
	ga_elem_ask(&state->noted, &run, keys);
	batch.reason = run.reason != GA_NO_REASON ? run.reason :
				   run.n_done < run.n		  ? GA_REASON_CACHE :
												GA_REASON_REFUSED;
	batch.n = run.n_done > 0 ? run.n_arrays : 0;
	if (batch.n > 0)
	{
		leave(&batch, run.n_done, run.n);
		end(&batch);
	}
	ga_session_report_failure(run.reason, ga_client_trouble());
	ga_elem_by_cpu(&state->noted, keys + batch.n, n - batch.n,
				   run.reason != GA_NO_REASON ? run.reason : GA_REASON_CACHE);
}
