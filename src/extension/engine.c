/*
 * engine.c
 *		Sums and running totals, by the engine that is in charge of them.
 *
 * Today that is the CPU engine of src/common, which sums an array where it
 * lies.  A query can be cancelled between pieces of PIECE elements, some
 * milliseconds of work.
 */
#include "postgres.h"
#include "miscadmin.h"

#include "array.h"
#include "engine.h"
#include "float_state.h"
#include "settings.h"

#define PIECE			(1 << 22)

GaEngineStat ga_cpu_stat;

/*
 * Add n floats, and return the sum, which has moved if it needed more room.
 */
static GaExactSum *
cpu_add_floats(GaExactSum *sum, GaElementType type, const char *data, size_t n)
{
	size_t		size = ga_element_size(type);
	size_t		done = 0;

	while (done < n)
	{
		size_t		piece = Min(n - done, PIECE);
		const char *from = data + done * size;
		size_t		added = type == GA_float4 ?
			ga_cpu->sum_float4(sum, from, piece) :
			ga_cpu->sum_float8(sum, from, piece);

		if (added < piece)
			sum = ga_float_state_grow(sum);
		done += added;
		CHECK_FOR_INTERRUPTS();
	}
	return sum;
}

static void
cpu_add_ints(GaIntSum *sum, GaElementType type, const char *data, size_t n)
{
	size_t		size = ga_element_size(type);
	size_t		done;

	for (done = 0; done < n; done += PIECE)
	{
		size_t		piece = Min(n - done, PIECE);
		const char *from = data + done * size;

		if (type == GA_int2)
			ga_cpu->sum_int2(sum, from, piece);
		else if (type == GA_int4)
			ga_cpu->sum_int4(sum, from, piece);
		else
			ga_cpu->sum_int8(sum, from, piece);
		CHECK_FOR_INTERRUPTS();
	}
}

/* Count arrays that came to the engine, and elements that it did. */
void
ga_engine_count(int64 requests, int64 elements)
{
	ga_cpu_stat.requests += requests;
	ga_cpu_stat.elements += elements;
}

/*
 * Add the elements of an array of floats to a sum.  Returns the sum, which
 * has moved within its memory context if it needed more room.
 */
GaExactSum *
ga_engine_sum_floats(GaExactSum *sum, Datum value, GaElementType type)
{
	int64		before = sum->n;
	GaArray		array;
	const void *run;
	int			n;

	ga_array_open(&array, value, type);
	while ((n = ga_array_next_run(&array, &run)) > 0)
		sum = cpu_add_floats(sum, type, run, n);
	ga_array_close(&array);
	ga_engine_count(1, sum->n - before);
	return sum;
}

/* Add the elements of an array of integers to a sum. */
void
ga_engine_sum_ints(GaIntSum *sum, Datum value, GaElementType type)
{
	int64		before = sum->n;
	GaArray		array;
	const void *run;
	int			n;

	ga_array_open(&array, value, type);
	while ((n = ga_array_next_run(&array, &run)) > 0)
		cpu_add_ints(sum, type, run, n);
	ga_array_close(&array);
	ga_engine_count(1, sum->n - before);
}

/*
 * Running totals of n floats, at most what may go without looking for a
 * cancellation.  in may be unaligned; out is of the elements' type.  Returns
 * the number of outputs: n, or the index of the element whose total overflows.
 */
size_t
ga_engine_scan_floats(GaExactSum *sum, GaElementType type, const void *in,
					  size_t n, void *out)
{
	CHECK_FOR_INTERRUPTS();
	return type == GA_float4 ? ga_cpu->scan_float4(sum, in, n, out) :
		ga_cpu->scan_float8(sum, in, n, out);
}

/* The same of n integers; out is int64, or GaInt128 for int8. */
size_t
ga_engine_scan_ints(GaIntSum *sum, GaElementType type, const void *in,
					size_t n, void *out)
{
	CHECK_FOR_INTERRUPTS();
	if (type == GA_int2)
		return ga_int_scan_int2(sum, in, n, out);
	if (type == GA_int4)
		return ga_int_scan_int4(sum, in, n, out);
	return ga_int_scan_int8(sum, in, n, out);
}
