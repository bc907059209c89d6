/*
 * engine.c
 *		The sum of an array argument, by the engine that is in charge of it.
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

static void
count_request(int64 elements)
{
	ga_cpu_stat.requests++;
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
	count_request(sum->n - before);
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
	count_request(sum->n - before);
}
