/*
 * self_test.c
 *		Does a device compute as another one does?
 *
 * gpuaggd has each GPU compute a little of everything when it starts, and the
 * emulated device, too: a GPU, driver or compiler that makes wrong bits is
 * found before a session sees them.  Each kernel runs once, over a few tiles of
 * plain elements, of elements of many exponents, and of few elements.
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

/* Return a float: a decimal, or one of 32 or 48 exponents, or a small one. */
static double
random_float(GaElementType type, int array, uint64_t *seed)
{
	const uint64_t r = next_random(seed);
	const int n_exponents = type == GA_float4 ? 48 : 32;

	if (array == 0)
		return ((double) (r % 2000000) - 1000000) / 100;
	if (array == 1)
		return ldexp((double) r - 0x1p47, (int) (r % n_exponents) - 64);
	return r % 4 == 0 ? -0.0 : (double) (r % 100);
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
			{
				const double x = random_float(type, array, &seed);
				const float single = (float) x;
				const uint64_t bits = next_random(&seed) << (array * 8);

				memcpy(to,
					   type == GA_float8 ? (const void *) &x :
					   type == GA_float4 ? (const void *) &single :
										   &bits,
					   ga_element_size(type));
			}
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

/* Compute and compare all types. */
static GaStatus
test_types(const GaTestSide sides[2], Work *work, GaReductionSet *wrong)
{
	GaStatus status = GA_OK;
	int type, i;

	for (type = 0; type < GA_N_ELEMENT_TYPES && status == GA_OK; type++)
	{
		fill((GaElementType) type, work->elements);
		for (i = 0; i < 2 && status == GA_OK; i++)
			status = ga_self_test_compute(&sides[i], (GaElementType) type,
										  work->elements, &work->results[i]);
		if (status == GA_OK)
			status = ga_self_test_pack(&sides[0], (GaElementType) type,
									   &work->results[0]);
		if (status != GA_OK)
			break;
		*wrong |= ga_self_test_compare((GaElementType) type, &work->results[0],
									   &work->results[1]);
		if (!ga_self_test_is_packed((GaElementType) type, &work->results[0],
									*wrong))
			*wrong |= (GaReductionSet) 1 << GA_PACKED_VECTORS;
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
