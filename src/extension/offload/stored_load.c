/*
 * stored_load.c
 *		What is done about stored values that the device does not have.
 *
 * They are read, right into the slots, and asked for again.  gpuaggd has given
 * us room for those, and others wait for them, so they are loaded as soon as we
 * hear of them, and before anything is waited for: then two sessions never wait
 * for each other.
 *
 * The elements of a value can be read at any time while its query runs, for its
 * snapshot keeps them.  So whatever fails, the CPU can do it.  That goes for
 * errors, too, which another query within the same session may catch: what was
 * begun stays in the list until it is done, and knows how far that is.
 */
#include "postgres.h"
#include "miscadmin.h"

#include "extension/input/array.h"
#include "client.h"
#include "extension/engine/engine.h"
#include "extension/sql/float_state.h"
#include "stored.h"

/*
 * A slot's data that pieces take, so that all slots together stay in the
 * processor's cache.
 */
#define PIECES_BYTES (512 * 1024)

/* The relation of the value before, open while values are worked off. */
static GaToastRelation *relation_at_hand;

/* A key as the TOAST pointer that it is of. */
static struct varatt_external
pointer_of(const GaStoredKey *key)
{
	struct varatt_external pointer;

	pointer.va_rawsize = (int32) key->raw_bytes;
	pointer.va_extinfo = key->ext_info;
	pointer.va_valueid = key->value_id;
	pointer.va_toastrelid = key->relation;
	return pointer;
}

/* The array that a value is. */
static void
open_value(GaArray *array, const GaStored *value)
{
	struct varatt_external pointer = pointer_of(&value->key);

	ga_array_open_stored(array, &pointer, value->type, relation_at_hand);
}

/* Read elements from one on into a slot; returns for how many there was room. */
static int
put_piece(int i, const GaStored *value, GaArray *array, int from)
{
	GaBatchSlot *slot = &ga_batch.slots[i];
	GaLoadSegment *piece = &ga_client_slot(i)->segments[slot->n_entries];
	Size size = ga_element_size(value->type);
	int n_all = ga_array_n_values(array);
	int n = Min(n_all - from, (PIECES_BYTES - slot->n_bytes) / size);

	ga_array_read(array, from, n, ga_client_slot_data(i) + slot->n_bytes);
	piece->key = value->key;
	piece->xmin = ga_array_xmin(array);
	piece->is_settled = ga_array_is_settled(array);
	piece->at = slot->n_bytes;
	piece->n = n;
	piece->from = from;
	piece->n_all = n_all;
	slot->entries[slot->n_entries++].sum = NULL;
	slot->n_bytes = TYPEALIGN(GA_LOAD_ALIGN, slot->n_bytes + n * size);
	if (slot->n_bytes >= PIECES_BYTES)
		ga_batch_send(i);
	return n;
}

/* Load a value.  False if the connection is lost. */
static bool
load(const GaStored *value)
{
	GaArray array;
	int from = 0;
	int i;

	open_value(&array, value);
	do
	{
		i = ga_batch_open_slot(SLOT_SEGMENTS, value->type);
		if (i >= 0)
			from += put_piece(i, value, &array, from);
	} while (i >= 0 && from < ga_array_n_values(&array));
	ga_array_close(&array);
	return i >= 0;
}

/* Load what we were told to, and have it asked for again. */
static void
load_or_leave(GaStored *value)
{
	GaStored next = *value;

	next.todo =
		ga_client_lease != NULL && load(value) ? TODO_ASK : TODO_COMPUTE;
	next.reason = GA_REASON_GONE;
	if (!next.only_loads)
		ga_stored_defer(&next);
}

/* Add another sum of the same kind to one that has room for everything. */
static void
merge(void *sum, GaElementType type, const void *other)
{
	if (!ga_element_is_float(type))
		ga_int_sum_add(sum, ga_int_sum_total(other),
					   ((const GaIntSum *) other)->n);
	else if (ga_exact_sum_merge(sum, other) != GA_OK)
		Assert(false);
}

/* Have the CPU add a value, or what is left of it: all at once, in the end. */
static void
compute(GaStored *value)
{
	Size size = ga_element_size(value->type);
	GaFullSum floats;
	GaIntSum ints = {0};
	void *sum = ga_element_is_float(value->type) ?
					(void *) ga_full_sum_init(&floats) :
					(void *) &ints;
	int at = 0;
	GaArray array;
	const void *run;
	int n;

	open_value(&array, value);
	while ((n = ga_array_next_run(&array, &run)) > 0)
	{
		int n_skip = Min(Max(value->n_done - at, 0), n);

		ga_cpu_add(sum, value->type, (const char *) run + n_skip * size,
				   n - n_skip);
		at += n;
		CHECK_FOR_INTERRUPTS();
	}
	ga_array_close(&array);
	merge(value->sum, value->type, sum);
	ga_session_stat_count(value->reason, value->n_done == 0,
						  at - value->n_done);
}

/* Have the device add a value, which is not to stay there. */
static void
stream(GaStored *value)
{
	GaArray array;
	int i = 0;

	open_value(&array, value);
	while (i >= 0 && value->n_done < ga_array_n_values(&array))
	{
		const void *run;
		int n = ga_array_next_run(&array, &run);
		int done = 0;

		while (done < n &&
			   (i = ga_batch_open_slot(SLOT_ARRAYS, value->type)) >= 0)
		{
			int filled = ga_batch_fill(i, value->owner, value->sum,
									   (const char *) run +
										   done * ga_element_size(value->type),
									   n - done, value->n_done == 0);

			done += filled;
			value->n_done += filled;
		}
	}
	if (value->n_done == 0 && i >= 0)
		ga_session_stat_count(GA_NO_REASON, 1, 0);
	ga_array_close(&array);
	if (i < 0)
	{
		value->reason = GA_REASON_GONE;
		compute(value);
	}
}

/* Ask for a value that was loaded. */
static void
ask_again(GaStored *value)
{
	ga_stored_ask(value, SLOT_STORED_AGAIN);
}

/* Ask for a value that another session loads. */
static void
ask_and_wait(GaStored *value)
{
	ga_stored_ask(value, SLOT_STORED_WAIT);
}

/* Ask for a value again that may be another one by now. */
static void
check(GaStored *value)
{
	struct varatt_external pointer = pointer_of(&value->key);

	ga_toast_use(relation_at_hand, pointer.va_toastrelid);
	value->xmin = ga_toast_xmin(relation_at_hand, &pointer);
	value->is_settled = relation_at_hand->is_settled;
	if (TransactionIdIsValid(value->xmin))
		ga_stored_ask(value, SLOT_STORED);
	else if (!value->only_loads)
		stream(value);
}

/*
 * Do something about all values that it is to be done about.  What throws is
 * left to the CPU, as far as it was not done.
 */
static void
work_off(GaStoredTodo what, void (*act)(GaStored *value))
{
	volatile uint32 i;

	for (i = 0; i < ga_stored_list.n; i++)
	{
		GaStored value = ga_stored_list.values[i];

		if (value.todo != what)
			continue;
		ga_stored_list.values[i].todo = TODO_COMPUTE;
		ga_stored_list.values[i].reason =
			what == TODO_COMPUTE ? value.reason : GA_REASON_ERROR;
		PG_TRY();
		{
			act(&value);
		}
		PG_CATCH();
		{
			ga_stored_list.values[i].n_done = value.n_done;
			ga_stored_cancel_loads();
			PG_RE_THROW();
		}
		PG_END_TRY();
		ga_stored_set_done(&ga_stored_list.values[i]);
	}
}

/* Take those that are done out of the list. */
static void
tidy(void)
{
	uint32 n = 0;
	uint32 i;

	for (i = 0; i < ga_stored_list.n; i++)
	{
		if (ga_stored_list.values[i].todo != TODO_NOTHING)
			ga_stored_list.values[n++] = ga_stored_list.values[i];
	}
	ga_stored_list.n = n;
}

/*
 * Do all that can be done without waiting for other sessions.  Loading comes
 * first: it has others waiting.
 */
static void
work_off_all(void)
{
	GaToastRelation relation = GA_TOAST_CLOSED;

	relation_at_hand = &relation;
	ga_stored_list.n_ready = 0;
	work_off(TODO_LOAD, load_or_leave);
	ga_batch_send_open(SLOT_SEGMENTS);
	work_off(TODO_ASK, ask_again);
	work_off(TODO_CHECK, check);
	work_off(TODO_STREAM, stream);
	work_off(TODO_COMPUTE, compute);
	ga_toast_release(relation_at_hand);
	tidy();
}

/*
 * Between two values: take the replies that are there, and do what they ask
 * for, since others may wait for it.  May throw.
 */
void
ga_stored_work(void)
{
	while (ga_batch.n_sent > 0 && ga_batch_take_reply(false))
		;
	if (ga_stored_list.n_ready > 0)
		work_off_all();
}

/* Is anything under way or to be done, but what other sessions load? */
static bool
has_more(void)
{
	uint32 i;

	for (i = 0; i < ga_stored_list.n; i++)
	{
		if (ga_stored_list.values[i].todo != TODO_WAIT)
			return true;
	}
	return ga_batch_has(SLOT_STORED) || ga_batch_has(SLOT_STORED_AGAIN) ||
		   ga_batch_has(SLOT_SEGMENTS);
}

/* Have all values summed, or streamed to the device.  May throw. */
void
ga_stored_finish(void)
{
	do
	{
		do
		{
			ga_batch_send_open(SLOT_STORED);
			ga_batch_send_open(SLOT_STORED_AGAIN);
			ga_batch_send_open(SLOT_SEGMENTS);
			ga_batch_drain();
			if (ga_stored_list.n > 0)
				work_off_all();
		} while (has_more());
		if (ga_stored_list.n == 0)
			break;
		work_off(TODO_WAIT, ask_and_wait);
		ga_batch_send_open(SLOT_STORED_WAIT);
		ga_batch_drain();
		tidy();
	} while (ga_stored_list.n > 0);
}

/*
 * Have a value on the device, if there is room for it.  May throw.
 */
void
ga_stored_load(GaElementType type, const GaStoredKey *key)
{
	GaOwner owner = {NULL};
	GaIntSum nothing = {0};
	const GaStored value = {.key = *key,
							.type = type,
							.owner = &owner,
							.sum = &nothing,
							.only_loads = true};

	PG_TRY();
	{
		ga_stored_ask(&value, SLOT_STORED);
		ga_stored_finish();
	}
	PG_CATCH();
	{
		ga_batch_cancel(&owner);
		PG_RE_THROW();
	}
	PG_END_TRY();
}
