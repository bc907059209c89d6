/*
 * engine.c
 *		Sums and running totals, by the engine that is in charge of them.
 *
 * "auto" sends large stored values to a device that is up, and has everything
 * else computed where it lies, by the CPU engine of src/common; "gpu" sends
 * all.  What the device cannot do, or not any more, the CPU does.  A query can
 * be cancelled between pieces of PIECE elements, some milliseconds of work.
 */
#include "postgres.h"
#include "access/detoast.h"
#include "miscadmin.h"

#include "extension/input/array.h"
#include "extension/offload/batch.h"
#include "extension/offload/client.h"
#include "engine.h"
#include "extension/error.h"
#include "extension/sql/float_state.h"
#include "extension/pg_compat.h"
#include "extension/offload/stored.h"

#define PIECE (1 << 22)

/*
 * What the CPU reads and sums in the time that an answer from gpuaggd takes,
 * which nothing hides where each value is waited for.
 */
#define ALONE_BYTES (64 * 1024)

GaSessionStat ga_session_stat[GA_N_REASONS];
bool ga_engine_has_pending = false;

const char *
ga_reason_text(GaReason reason)
{
	static const char *const texts[] = {NULL,
#define X(name, text) text,
										GA_REASONS(X)
#undef X
	};

	return texts[reason];
}

/* Count arrays that came to an engine, and elements that it did. */
void
ga_session_stat_count(GaReason reason, int64 arrays, int64 elements)
{
	ga_session_stat[reason].arrays += arrays;
	ga_session_stat[reason].elements += elements;
}

/* A failure; the user hears of the first one in a session. */
void
ga_engine_report(GaReason reason)
{
	static bool has_reported = false;

	if (has_reported || !ga_reason_is_failure(reason))
		return;
	has_reported = true;
	ereport(WARNING,
			(errcode(ERRCODE_SYSTEM_ERROR),
			 errmsg("the CPU goes on with a query: %s", ga_reason_text(reason)),
			 ga_client_trouble()[0] ?
				 errdetail_internal("%s", ga_client_trouble()) :
				 0,
			 errhint("The result is the same. Further failures are counted in "
					 "gpuagg_session_stat.")));
}

/* Have a connection that is alive, as far as can be told. */
static GaReason
open_client(bool waits)
{
	ga_batch_begin();
	if (!ga_batch_is_pending() && ga_batch_is_idle())
		ga_client_check();
	return ga_client_open(waits);
}

/*
 * A connection to the device, for what only a device does: waits for gpuaggd to
 * start, and for a window.  Throws if the query is cancelled meanwhile.
 */
GaReason
ga_engine_open_device(void)
{
	return ga_engine == GA_ENGINE_CPU ? GA_REASON_SETTING : open_client(true);
}

/*
 * Who computes an array value: GA_NO_REASON is the device, to which there is
 * a connection then.  One that is alone is waited for before there is another.
 * Errors: 58000 if gpuagg.engine is gpu and there is no device.  Throws if the
 * query is cancelled meanwhile.
 */
GaReason
ga_engine_choose(Datum value, bool is_alone)
{
	struct varlena *given = (struct varlena *) DatumGetPointer(value);
	struct varatt_external pointer;
	GaReason reason;

	switch ((GaEngineChoice) ga_engine)
	{
		case GA_ENGINE_CPU:
			return GA_REASON_SETTING;

		case GA_ENGINE_GPU:
			reason = open_client(true);
			if (reason != GA_NO_REASON && reason != GA_REASON_STAGING &&
				!ga_reason_is_failure(reason))
				ga_report_no_device(ga_reason_text(reason),
									ga_client_trouble());
			ga_engine_report(reason);
			return reason;

		case GA_ENGINE_AUTO:
			break;
	}
	if (!VARATT_IS_EXTERNAL_ONDISK(given))
		return GA_REASON_NOT_STORED;
	VARATT_EXTERNAL_GET_POINTER(pointer, given);
	if (ga_min_gpu_size < 0 || pointer.va_rawsize / 1024 < ga_min_gpu_size)
		return GA_REASON_SMALL;
	if (is_alone && pointer.va_rawsize < ALONE_BYTES)
		return GA_REASON_ALONE;
	return open_client(false);
}

/* Add n floats; returns how many: fewer if the sum needs more room. */
static size_t
add_floats(GaExactSum *sum, GaElementType type, const void *data, size_t n)
{
	return type == GA_float4 ? ga_cpu->sum_float4(sum, data, n) :
							   ga_cpu->sum_float8(sum, data, n);
}

static void
add_ints(GaIntSum *sum, GaElementType type, const void *data, size_t n)
{
	if (type == GA_int2)
		ga_cpu->sum_int2(sum, data, n);
	else if (type == GA_int4)
		ga_cpu->sum_int4(sum, data, n);
	else
		ga_cpu->sum_int8(sum, data, n);
}

/*
 * Add n elements with the CPU, to a GaIntSum or a GaExactSum that has room
 * for everything.  Never throws.
 */
void
ga_cpu_add(void *sum, GaElementType type, const void *data, size_t n)
{
	if (!ga_element_is_float(type))
		add_ints(sum, type, data, n);
	else if (add_floats(sum, type, data, n) < n)
		Assert(false);
}

/*
 * Running totals with the CPU: of n elements, from a sum on, which takes them
 * up.  in may be unaligned; out is of the floats' type, int64, or GaInt128 for
 * int8.  A sum of floats must have room for everything.  Returns the number of
 * outputs: n, or the index of the element whose total overflows.
 */
size_t
ga_cpu_scan(void *sum, GaElementType type, const void *in, size_t n, void *out)
{
	switch (type)
	{
		case GA_float4:
			return ga_cpu->scan_float4(sum, in, n, out);
		case GA_float8:
			return ga_cpu->scan_float8(sum, in, n, out);
		case GA_int2:
			return ga_int_scan_int2(sum, in, n, out);
		case GA_int4:
			return ga_int_scan_int4(sum, in, n, out);
		default:
			return ga_int_scan_int8(sum, in, n, out);
	}
}

/*
 * Add n elements, and return the sum, which has moved if it is of floats and
 * needed more room.  Throws if the query is cancelled.
 */
static void *
add_run(void *sum, GaElementType type, const char *data, size_t n)
{
	size_t size = ga_element_size(type);
	size_t done = 0;

	while (done < n)
	{
		size_t piece = Min(n - done, PIECE);
		const char *from = data + done * size;

		if (ga_element_is_float(type))
		{
			size_t added = add_floats(sum, type, from, piece);

			if (added < piece)
				sum = ga_float_state_grow(sum);
			done += added;
		}
		else
		{
			add_ints(sum, type, from, piece);
			done += piece;
		}
		CHECK_FOR_INTERRUPTS();
	}
	return sum;
}

/* Have the CPU add an array, for a reason. */
static void *
add_by_cpu(void *sum, GaElementType type, Datum value, GaReason reason)
{
	int64 n_all = 0;
	GaArray array;
	const void *run;
	int n;

	ga_array_open(&array, value, type);
	while ((n = ga_array_next_run(&array, &run)) > 0)
	{
		sum = add_run(sum, type, run, n);
		n_all += n;
	}
	ga_array_close(&array);
	ga_session_stat_count(reason, 1, n_all);
	return sum;
}

/*
 * Have the device add an array's elements, which are sent to it; the sum has
 * room for everything.  If the device goes away the CPU adds the rest.
 */
static void
send_elements(GaOwner *owner, void *sum, GaElementType type, GaArray *array)
{
	bool begins = true;
	const void *run;
	int n;

	while ((n = ga_array_next_run(array, &run)) > 0)
	{
		size_t done = ga_client_lease == NULL ?
						  0 :
						  ga_batch_add(owner, sum, type, run, n, begins);

		if (done < n)
		{
			(void) add_run(sum, type,
						   (const char *) run + done * ga_element_size(type),
						   n - done);
			ga_session_stat_count(GA_REASON_GONE, begins && done == 0,
								  n - done);
		}
		begins = false;
	}
	if (begins)
		ga_session_stat_count(GA_NO_REASON, 1, 0);
}

/* Have the device add an array, which it may have already. */
static void
add_by_device(void *sum, GaElementType type, Datum value, GaOwner *owner)
{
	GaStoredKey key;
	GaArray array;

	if (ga_stored_key(value, &key))
	{
		ga_batch_add_stored(owner, sum, type, &key);
		return;
	}
	ga_array_open(&array, value, type);
	send_elements(owner, sum, type, &array);
	ga_array_close(&array);
}

/* A sum that will not move any more: it has room for everything. */
static void *
settled(void *sum, GaElementType type, GaOwner *owner)
{
	return ga_element_is_float(type) ?
			   ga_float_state_fill(sum, &owner->states) :
			   sum;
}

/*
 * Add the elements of an array.  Returns the sum, which has moved within its
 * memory context if it needed more room.
 */
void *
ga_engine_add_array(void *sum, GaElementType type, Datum array,
					MemoryContext context)
{
	GaReason reason = ga_engine_choose(array, false);
	GaOwner *owner;

	if (reason != GA_NO_REASON)
		return add_by_cpu(sum, type, array, reason);
	owner = ga_batch_owner(context);
	sum = settled(sum, type, owner);
	ga_engine_has_pending = true;
	add_by_device(sum, type, array, owner);
	return sum;
}

/* The same with one value, if gpuagg.engine is gpu. */
void *
ga_engine_add_value(void *sum, GaElementType type, const void *value,
					MemoryContext context)
{
	GaOwner *owner = ga_batch_owner(context);

	sum = settled(sum, type, owner);
	if (ga_engine_choose((Datum) 0, false) != GA_NO_REASON ||
		ga_batch_add(owner, sum, type, value, 1, false) == 0)
		ga_cpu_add(sum, type, value, 1);
	ga_engine_has_pending = true;
	return sum;
}

/*
 * Add the elements of an array to a sum that has room for everything, and
 * that nobody else knows.
 */
void
ga_engine_sum_array(void *sum, GaElementType type, Datum array)
{
	GaReason reason = ga_engine_choose(array, true);
	GaOwner owner = {NULL};

	if (reason != GA_NO_REASON)
	{
		(void) add_by_cpu(sum, type, array, reason);
		return;
	}
	PG_TRY();
	{
		add_by_device(sum, type, array, &owner);
		ga_batch_finish();
	}
	PG_CATCH();
	{
		ga_batch_cancel(&owner);
		PG_RE_THROW();
	}
	PG_END_TRY();
}

/* Wait for all that the device does.  Throws if the query is cancelled. */
void
ga_engine_finish_pending(void)
{
	ga_batch_finish();
	ga_engine_has_pending = false;
}
