/*
 * self_test_compute.c
 *		What a device computes in its self-test.
 *
 * Called by self_test.c; keeps nothing.
 */
#include <string.h>

#include "device_check.h"
#include "self_test_compute.h"

/*
 * Elements from one array of sums by position to the next: in the first piece
 * the arrays are aligned, in the others hardly.
 */
#define ALIGNED_STEP 64
#define ODD_STEP	 37

/* Wait for a submission, if there was one. */
static GaStatus
finish(const GaTestSide *side, GaStatus status)
{
	return status == GA_OK ? side->kind->wait(side->queue, side->failure) :
							 status;
}

/* Set where the arrays of a type lie, which begin at an address. */
void
ga_self_test_find(GaDeviceAddress at, GaElementType type,
				  GaDeviceArray arrays[])
{
	int i;

	for (i = 0; i < GA_SELF_TEST_ARRAYS; i++)
	{
		arrays[i] = (GaDeviceArray){at, ga_self_test_lengths[i]};
		at += ga_self_test_lengths[i] * ga_element_size(type);
	}
}

static GaStatus
compute_sums(const GaTestSide *side, GaElementType type,
			 const GaDeviceArray arrays[], GaSelfTestResults *results)
{
	GaSumRequest request = {.type = type,
							.n_arrays = GA_SELF_TEST_ARRAYS,
							.arrays = arrays,
							.results = results->sums,
							.full = results->full,
							.full_capacity = GA_SELF_TEST_ARRAYS};

	return finish(side, side->kind->sum(side->queue, &request, side->failure));
}

static GaStatus
compute_reduction(const GaTestSide *side, GaElementType type,
				  const GaDeviceArray arrays[], GaReduction reduction,
				  GaSelfTestResults *results)
{
	static const uint32_t n_parts_of[GA_SELF_TEST_ARRAYS] = {1, 1, 1};
	GaDeviceArray others[GA_SELF_TEST_ARRAYS];
	GaReduceRequest request = {.reduction = reduction,
							   .type = type,
							   .n_parts = GA_SELF_TEST_ARRAYS,
							   .parts = arrays,
							   .others = others,
							   .n_results = GA_SELF_TEST_ARRAYS,
							   .n_parts_of = n_parts_of,
							   .results = results->records[reduction]};

	ga_self_test_find(side->memory + GA_TEST_ARRAYS_BYTES, type, others);
	/* pairs of which both may be packed */
	if (reduction == GA_REDUCE_PRODUCTS)
		others[0] = arrays[0];
	return finish(side,
				  side->kind->reduce(side->queue, &request, side->failure));
}

/* Compute the running totals of a part of the first array. */
static GaStatus
compute_totals(const GaTestSide *side, GaElementType type,
			   const GaDeviceArray arrays[], uint32_t from, uint32_t end,
			   GaSelfTestResults *results)
{
	GaScanRequest request = {
		.type = type,
		.totals = type == GA_int8 ? GA_TOTALS_INT128 : GA_TOTALS_PLAIN,
		.in = arrays[0].data + from * ga_element_size(type),
		.out = side->memory + GA_TEST_TOTALS_AT,
		.n = end - from};
	const size_t size = ga_scan_total_size(type, request.totals);
	GaStatus status =
		finish(side, side->kind->scan(side->queue, &request, side->failure));

	results->n_totals += request.n_totals;
	if (status == GA_OK)
		status = finish(
			side,
			side->kind->copy_out(side->queue, results->totals + from * size,
								 request.out, request.n * size, side->failure));
	return status;
}

/* Set where the arrays of sums by position lie, one piece after the other. */
static void
find_elem_arrays(GaElementType type, const GaDeviceArray arrays[],
				 GaDeviceAddress *to)
{
	uint32_t p, r;

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
compute_elem(const GaTestSide *side, GaElementType type,
			 const GaDeviceArray arrays[], GaElemForm form, void *to)
{
	GaDeviceAddress parts[GA_SELF_TEST_ARRAYS * GA_SELF_TEST_ELEM_ARRAYS];
	GaElemRequest request = {.type = type,
							 .n_arrays = GA_SELF_TEST_ELEM_ARRAYS,
							 .n_pieces = GA_SELF_TEST_ARRAYS,
							 .n_of = ga_self_test_positions,
							 .arrays = parts,
							 .form = form,
							 .out = side->memory + GA_TEST_ELEM_AT};
	GaStatus status;

	find_elem_arrays(type, arrays, parts);
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
compute_forms(const GaTestSide *side, GaElementType type,
			  const GaDeviceArray arrays[], GaSelfTestResults *results)
{
	GaStatus status =
		compute_elem(side, type, arrays, GA_FORM_RECORD, results->elem);
	uint32_t form;

	for (form = GA_FORM_RECORD + 1; form < GA_N_ELEM_FORMS && status == GA_OK;
		 form++)
	{
		if (ga_elem_has_form(type, form))
			status = compute_elem(side, type, arrays, (GaElemForm) form,
								  results->values[form]);
	}
	return status;
}

/*
 * Compute the values of some windows, of an array that is in two pieces or of
 * two arrays, in all forms that they have.
 */
static GaStatus
compute_windows(const GaTestSide *side, GaElementType type,
				const GaDeviceArray arrays[], int which,
				GaSelfTestResults *results)
{
	const GaSelfTestWindows *test = &ga_self_test_windows[which];
	const size_t size = ga_element_size(type);
	const uint32_t n_pieces_of[2] = {1, 1};
	GaDeviceArray pieces[2];
	GaWindowRequest request = {.type = type,
							   .n_pieces = 2,
							   .pieces = pieces,
							   .n_arrays = test->are_two ? 2 : 0,
							   .n_pieces_of = n_pieces_of,
							   .windows = test->windows,
							   .first = test->first,
							   .n = test->n};
	GaStatus status = GA_OK;
	uint32_t form;

	pieces[0] = pieces[1] = arrays[test->array];
	pieces[0].n = pieces[1].n / 2 + 1;
	pieces[1].data += pieces[0].n * size;
	pieces[1].n -= pieces[0].n;
	for (form = GA_FORM_RECORD + 1; form < GA_N_ALL_FORMS && status == GA_OK;
		 form++)
	{
		if (!ga_window_has_form(type, form) ||
			ga_windows_fault(&test->windows, (GaElemForm) form) != NULL)
			continue;
		request.form = (GaElemForm) form;
		request.out = results->windows[which][form];
		status = finish(
			side, side->kind->window(side->queue, &request, side->failure));
	}
	return status;
}

/*
 * Compute everything of the arrays of a type, which are plain or packed.
 * Second factors are plain, but for some of one reduction.
 */
GaStatus
ga_self_test_compute(const GaTestSide *side, GaElementType type,
					 const GaDeviceArray arrays[], GaSelfTestResults *results)
{
	GaStatus status;
	int reduction, i;

	memset(results, 0, sizeof(*results));
	status = compute_sums(side, type, arrays, results);
	for (reduction = GA_REDUCE_SUM + 1;
		 reduction < GA_N_ALL_REDUCTIONS && status == GA_OK; reduction++)
		status = compute_reduction(side, type, arrays, (GaReduction) reduction,
								   results);
	if (status == GA_OK)
		status = compute_totals(side, type, arrays, 0,
								GA_SELF_TEST_FIRST_TOTALS, results);
	if (status == GA_OK)
		status = compute_totals(side, type, arrays, GA_SELF_TEST_FIRST_TOTALS,
								ga_self_test_lengths[0], results);
	if (status == GA_OK)
		status = compute_forms(side, type, arrays, results);
	for (i = 0; i < GA_SELF_TEST_WINDOWS && status == GA_OK; i++)
		status = compute_windows(side, type, arrays, i, results);
	return status;
}
