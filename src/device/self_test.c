/*
 * self_test.c
 *		Does a device compute as another one does?
 *
 * gpuaggd has each GPU compute a little of everything when it starts, and the
 * emulated device, too: a GPU, driver or compiler that makes wrong bits is
 * found before a session sees them.  Each kernel runs, over a few tiles of
 * elements as they mostly are, of elements of many exponents, and of few
 * elements; then over the same arrays when the device has packed them.
 *
 * Called by gpuaggd and by tests.  Allocates a megabyte or two of each device's
 * memory, and frees it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device_check.h"
#include "self_test.h"
#include "self_test_compute.h"

/* Everything that is too large for the stack. */
typedef struct Work
{
	char elements[2 * GA_TEST_ARRAYS_BYTES];
	GaSelfTestResults results[2];
} Work;

static uint64_t
next_random(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return *seed >> 16;
}

/*
 * Return an integer as the vectors of the first array have them, one kind each,
 * so that all forms of packed vectors come up: far from 0 and near to each
 * other, mostly 0, multiples of 100, and of more bits.
 */
static int64_t
packed_integer(GaElementType type, uint32_t vector, uint64_t r)
{
	switch (vector % 4)
	{
		case 0:
			return 15000 + (int64_t) (r % 1000);
		case 1:
			return r % 8 == 0 ? (int64_t) (r >> 8) % 2000 - 1000 : 0;
		case 2:
			return (int64_t) (r % 300) * 100;
		default:
			return (int64_t) (r >> (51 - 6 * ga_element_size(type)));
	}
}

/*
 * The same of floats: decimals and a few others, mostly 0, decimals that were
 * float4 once and were printed with six places, of all bits, and decimals of
 * more than 32 bits.  The first vectors are all of decimals.
 */
static double
packed_float(uint32_t vector, uint64_t r)
{
	if (vector < GA_SELF_TEST_FIRST_TOTALS / GA_PACKED_VECTOR)
		return ((double) (r % 2000000) - 1000000) / 100;
	switch (vector % 5)
	{
		case 0:
			if (r % 101 == 0)
				return r % 2 == 0 ? -0.0 : ldexp((double) r, -36);
			return ((double) (r % 2000000) - 1000000) / 100;
		case 1:
			return r % 8 == 0 ? (double) (r % 900) / 10 : 0;
		case 2:
			return rint((float) ((double) (r % 100000) / 100) * 1e6) / 1e6;
		case 3:
			return ldexp((double) r - 0x1p47, -36);
		default:
			return (double) (r % (UINT64_C(1) << 36)) / 100;
	}
}

/*
 * Return a float: of the first array as above, or one of 32 or 48 exponents, or
 * a small one.
 */
static double
random_float(GaElementType type, int array, uint32_t i, uint64_t r)
{
	const int n_exponents = type == GA_float4 ? 48 : 32;

	if (array == 0)
		return packed_float(i / GA_PACKED_VECTOR, r);
	if (array == 1)
		return ldexp((double) r - 0x1p47, (int) (r % n_exponents) - 64);
	return r % 4 == 0 ? -0.0 : (double) (r % 100);
}

/* Store an element of an array. */
static void
store_element(GaElementType type, int array, uint32_t i, uint64_t r, char *to)
{
	const double x = random_float(type, array, i, r);
	const float single = (float) x;
	const int64_t integer = array == 0 ?
								packed_integer(type, i / GA_PACKED_VECTOR, r) :
								(int64_t) (r << (array * 8));

	memcpy(to,
		   type == GA_float8 ? (const void *) &x :
		   type == GA_float4 ? (const void *) &single :
							   &integer,
		   ga_element_size(type));
}

/* Fill the arrays of a type, and those of the second factors, with elements. */
static void
fill(GaElementType type, char *elements)
{
	uint64_t seed = 1;
	int half, array;
	uint32_t i;

	for (half = 0; half < 2; half++)
	{
		char *to = elements + half * GA_TEST_ARRAYS_BYTES;

		for (array = 0; array < GA_SELF_TEST_ARRAYS; array++)
		{
			for (i = 0; i < ga_self_test_lengths[array];
				 i++, to += ga_element_size(type))
				store_element(type, array, i, next_random(&seed), to);
		}
	}
}

/* Have a queue and memory of a device. */
static GaStatus
open_side(GaTestSide *side, GaDeviceFailure *failure)
{
	GaStatus status;

	side->failure = failure;
	status = side->kind->queue_open(side->device, -1, &side->queue, failure);
	if (status != GA_OK)
		return status;
	status = side->kind->allocate(side->device, GA_TEST_BYTES, &side->memory,
								  failure);
	if (status != GA_OK)
		side->kind->queue_close(side->queue);
	return status;
}

static void
close_side(GaTestSide *side)
{
	side->kind->free(side->device, side->memory);
	side->kind->queue_close(side->queue);
}

/* Compute a type on both sides, and compare. */
static GaStatus
test_plain(const GaTestSide sides[2], GaElementType type, Work *work,
		   GaReductionSet *wrong)
{
	GaStatus status = GA_OK;
	int i;

	for (i = 0; i < 2 && status == GA_OK; i++)
	{
		const GaTestSide *side = &sides[i];
		GaDeviceArray arrays[GA_SELF_TEST_ARRAYS];

		ga_self_test_find(side->memory, type, arrays);
		status = side->kind->copy_in(side->queue, side->memory, work->elements,
									 sizeof(work->elements), side->failure);
		if (status == GA_OK)
			status = side->kind->wait(side->queue, side->failure);
		if (status == GA_OK)
			status =
				ga_self_test_compute(side, type, arrays, &work->results[i]);
	}
	if (status == GA_OK)
		*wrong |=
			ga_self_test_compare(type, &work->results[0], &work->results[1]);
	return status;
}

/*
 * Pack the arrays that a side has, and compute the same of them.  Reductions
 * that are wrong anyway tell nothing.
 */
static GaStatus
test_packed(const GaTestSide *side, GaElementType type, Work *work,
			GaReductionSet *wrong)
{
	GaDeviceArray arrays[GA_SELF_TEST_ARRAYS];
	bool is_right;
	GaStatus status = ga_self_test_pack(side, type, arrays, &is_right);

	if (status == GA_OK && is_right)
	{
		status = ga_self_test_compute(side, type, arrays, &work->results[0]);
		is_right =
			(ga_self_test_compare(type, &work->results[0], &work->results[1]) &
			 ~*wrong) == 0;
	}
	if (status == GA_OK && !is_right)
		*wrong |= (GaReductionSet) 1 << GA_PACKED_VECTORS;
	return status;
}

/* Compute and compare all types. */
static GaStatus
test_types(const GaTestSide sides[2], Work *work, GaReductionSet *wrong)
{
	GaStatus status = GA_OK;
	int type;

	for (type = 0; type < GA_N_ELEMENT_TYPES && status == GA_OK; type++)
	{
		fill((GaElementType) type, work->elements);
		status = test_plain(sides, (GaElementType) type, work, wrong);
		if (status == GA_OK)
			status = test_packed(&sides[0], (GaElementType) type, work, wrong);
	}
	return status;
}

/* Compare an open device with one that is open, too. */
static GaStatus
test_sides(GaTestSide sides[2], GaReductionSet *wrong, GaDeviceFailure *failure)
{
	Work *work = malloc(sizeof(Work));
	GaStatus status = work == NULL ? GA_NO_MEMORY : GA_OK;

	if (status == GA_OK)
		status = open_side(&sides[0], failure);
	if (status == GA_OK)
	{
		status = open_side(&sides[1], failure);
		if (status == GA_OK)
		{
			status = test_types(sides, work, wrong);
			close_side(&sides[1]);
		}
		close_side(&sides[0]);
	}
	free(work);
	return status;
}

/*
 * Have an open device compute what a device of the reference kind computes,
 * too.  GA_OK, and *wrong has the reductions that differ, or no bit; the sum
 * stands for running totals, too.  GA_NO_MEMORY, and nothing is known;
 * GA_DEVICE_FAILED.
 */
GaStatus
ga_self_test(const GaDeviceKind *kind, GaDevice *device,
			 const GaDeviceKind *reference, GaReductionSet *wrong,
			 GaDeviceFailure *failure)
{
	const GaDeviceOptions options = {.ordinal = 0};
	GaTestSide sides[2] = {{.kind = kind, .device = device},
						   {.kind = reference}};
	GaStatus status = reference->open(&options, &sides[1].device, failure);

	*wrong = 0;
	if (status != GA_OK)
		return status;
	status = test_sides(sides, wrong, failure);
	reference->close(sides[1].device);
	return status;
}
