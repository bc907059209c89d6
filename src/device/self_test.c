/*
 * self_test.c
 *		Does a device compute as another one does?
 *
 * gpuaggd has each GPU compute a little of everything when it starts, and the
 * emulated device, too: a GPU, driver or compiler that makes wrong bits is
 * found before a session sees them.  Each kernel runs once, over a few tiles of
 * plain elements, of elements of many exponents, and of few elements.
 *
 * Called by gpuaggd and by tests.  Allocates a megabyte of each device's
 * memory, and frees it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device_check.h"
#include "self_test.h"
#include "self_test_results.h"

/* The elements, their second factors, running totals, and sums by position. */
#define ARRAYS_BYTES (GA_SELF_TEST_ELEMENTS * sizeof(int64_t))
#define TOTALS_AT	 (2 * ARRAYS_BYTES)
#define ELEM_AT		 (TOTALS_AT + GA_SELF_TEST_TOTALS_BYTES)
#define ELEM_BYTES	 (GA_SELF_TEST_POSITIONS * sizeof(GaPartialSum))

/*
 * Elements from one array of sums by position to the next: in the first piece
 * the arrays are aligned, in the others hardly.
 */
#define ALIGNED_STEP 64
#define ODD_STEP	 37

/* A device at work. */
typedef struct Side
{
	const GaDeviceKind *kind;
	GaDevice *device;
	GaDeviceQueue *queue;
	GaDeviceAddress memory;
	GaDeviceFailure *failure;
} Side;

/* Everything that is too large for the stack. */
typedef struct Work
{
	char elements[2 * ARRAYS_BYTES];
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
		char *to = elements + half * ARRAYS_BYTES;

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

/* Wait for a submission, if there was one. */
static GaStatus
finish(const Side *side, GaStatus status)
{
	return status == GA_OK ? side->kind->wait(side->queue, side->failure) :
							 status;
}

/* Set where the arrays of a type lie, and their second factors. */
static void
find_arrays(const Side *side, GaElementType type, GaDeviceArray arrays[],
			GaDeviceArray others[])
{
	GaDeviceAddress at = side->memory;
	int i;

	for (i = 0; i < GA_SELF_TEST_ARRAYS; i++)
	{
		arrays[i] = (GaDeviceArray){at, ga_self_test_lengths[i]};
		others[i] = (GaDeviceArray){at + ARRAYS_BYTES, ga_self_test_lengths[i]};
		at += ga_self_test_lengths[i] * ga_element_size(type);
	}
}

static GaStatus
compute_sums(const Side *side, GaElementType type, GaSelfTestResults *results)
{
	GaDeviceArray arrays[GA_SELF_TEST_ARRAYS], others[GA_SELF_TEST_ARRAYS];
	GaSumRequest request = {.type = type,
							.n_arrays = GA_SELF_TEST_ARRAYS,
							.arrays = arrays,
							.results = results->sums,
							.full = results->full,
							.full_capacity = GA_SELF_TEST_ARRAYS};

	find_arrays(side, type, arrays, others);
	return finish(side, side->kind->sum(side->queue, &request, side->failure));
}

static GaStatus
compute_reduction(const Side *side, GaElementType type, GaReduction reduction,
				  GaSelfTestResults *results)
{
	static const uint32_t n_parts_of[GA_SELF_TEST_ARRAYS] = {1, 1, 1};
	GaDeviceArray arrays[GA_SELF_TEST_ARRAYS], others[GA_SELF_TEST_ARRAYS];
	GaReduceRequest request = {.reduction = reduction,
							   .type = type,
							   .n_parts = GA_SELF_TEST_ARRAYS,
							   .parts = arrays,
							   .others = others,
							   .n_results = GA_SELF_TEST_ARRAYS,
							   .n_parts_of = n_parts_of,
							   .results = results->records[reduction]};

	find_arrays(side, type, arrays, others);
	return finish(side,
				  side->kind->reduce(side->queue, &request, side->failure));
}

/* Compute the running totals of the first array. */
static GaStatus
compute_totals(const Side *side, GaElementType type, GaSelfTestResults *results)
{
	GaScanRequest request = {.type = type,
							 .totals = type == GA_int8 ? GA_TOTALS_INT128 :
														 GA_TOTALS_PLAIN,
							 .in = side->memory,
							 .out = side->memory + TOTALS_AT,
							 .n = ga_self_test_lengths[0]};
	GaStatus status =
		finish(side, side->kind->scan(side->queue, &request, side->failure));

	results->n_totals = request.n_totals;
	if (status == GA_OK)
		status = finish(side, side->kind->copy_out(
								  side->queue, results->totals, request.out,
								  ga_self_test_lengths[0] *
									  ga_scan_total_size(type, request.totals),
								  side->failure));
	return status;
}

/* Set where the arrays of sums by position lie, one piece after the other. */
static void
find_elem_arrays(const Side *side, GaElementType type, GaDeviceAddress *to)
{
	GaDeviceArray arrays[GA_SELF_TEST_ARRAYS], others[GA_SELF_TEST_ARRAYS];
	uint32_t p, r;

	find_arrays(side, type, arrays, others);
	for (p = 0; p < GA_SELF_TEST_ARRAYS; p++)
	{
		const uint32_t n_firsts =
			ga_self_test_lengths[p] - ga_self_test_positions[p];

		for (r = 0; r < GA_SELF_TEST_ELEM_ARRAYS; r++)
			*to++ = arrays[p].data + r * (p == 0 ? ALIGNED_STEP : ODD_STEP) %
										 n_firsts * ga_element_size(type);
	}
}

/* Compute one form of the results by position. */
static GaStatus
compute_elem(const Side *side, GaElementType type, GaElemForm form, void *to)
{
	GaDeviceAddress arrays[GA_SELF_TEST_ARRAYS * GA_SELF_TEST_ELEM_ARRAYS];
	GaElemRequest request = {.type = type,
							 .n_arrays = GA_SELF_TEST_ELEM_ARRAYS,
							 .n_pieces = GA_SELF_TEST_ARRAYS,
							 .n_of = ga_self_test_positions,
							 .arrays = arrays,
							 .form = form,
							 .out = side->memory + ELEM_AT};
	GaStatus status;

	find_elem_arrays(side, type, arrays);
	status =
		finish(side, side->kind->elem(side->queue, &request, side->failure));
	if (status == GA_OK)
		status =
			finish(side, side->kind->copy_out(
							 side->queue, to, request.out,
							 ga_elem_all_bytes(form, GA_SELF_TEST_POSITIONS),
							 side->failure));
	return status;
}

/* Compute all forms that a type has. */
static GaStatus
compute_forms(const Side *side, GaElementType type, GaSelfTestResults *results)
{
	GaStatus status = compute_elem(side, type, GA_FORM_RECORD, results->elem);
	uint32_t form;

	for (form = GA_FORM_RECORD + 1; form < GA_N_ELEM_FORMS && status == GA_OK;
		 form++)
	{
		if (ga_elem_has_form(type, form))
			status = compute_elem(side, type, (GaElemForm) form,
								  results->values[form]);
	}
	return status;
}

/* Compute everything of a type. */
static GaStatus
compute(const Side *side, GaElementType type, const char *elements,
		GaSelfTestResults *results)
{
	GaStatus status =
		finish(side, side->kind->copy_in(side->queue, side->memory, elements,
										 2 * ARRAYS_BYTES, side->failure));
	int reduction;

	memset(results, 0, sizeof(*results));
	if (status == GA_OK)
		status = compute_sums(side, type, results);
	for (reduction = GA_REDUCE_SUM + 1;
		 reduction < GA_N_ALL_REDUCTIONS && status == GA_OK; reduction++)
		status =
			compute_reduction(side, type, (GaReduction) reduction, results);
	if (status == GA_OK)
		status = compute_totals(side, type, results);
	if (status == GA_OK)
		status = compute_forms(side, type, results);
	return status;
}

/* Have a queue and memory of a device. */
static GaStatus
open_side(Side *side, GaDeviceFailure *failure)
{
	GaStatus status;

	side->failure = failure;
	status = side->kind->queue_open(side->device, -1, &side->queue, failure);
	if (status != GA_OK)
		return status;
	status = side->kind->allocate(side->device, ELEM_AT + ELEM_BYTES,
								  &side->memory, failure);
	if (status != GA_OK)
		side->kind->queue_close(side->queue);
	return status;
}

static void
close_side(Side *side)
{
	side->kind->free(side->device, side->memory);
	side->kind->queue_close(side->queue);
}

/* Compute and compare all types. */
static GaStatus
test_types(const Side sides[2], Work *work, GaReductionSet *wrong)
{
	GaStatus status = GA_OK;
	int type, i;

	for (type = 0; type < GA_N_ELEMENT_TYPES && status == GA_OK; type++)
	{
		fill((GaElementType) type, work->elements);
		for (i = 0; i < 2 && status == GA_OK; i++)
			status = compute(&sides[i], (GaElementType) type, work->elements,
							 &work->results[i]);
		if (status == GA_OK)
			*wrong |= ga_self_test_compare(
				(GaElementType) type, &work->results[0], &work->results[1]);
	}
	return status;
}

/* Compare an open device with one that is open, too. */
static GaStatus
test_sides(Side sides[2], GaReductionSet *wrong, GaDeviceFailure *failure)
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
	Side sides[2] = {{.kind = kind, .device = device}, {.kind = reference}};
	GaStatus status = reference->open(&options, &sides[1].device, failure);

	*wrong = 0;
	if (status != GA_OK)
		return status;
	status = test_sides(sides, wrong, failure);
	reference->close(sides[1].device);
	return status;
}
