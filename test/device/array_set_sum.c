/*
 * array_set_sum.c
 *		Checks of a device's sums of a set.
 *
 * The list of full records is too short for most sets.  Arrays whose full
 * record did not fit are submitted again, as callers must.
 */
#include <stdlib.h>

#include "array_set.h"
#include "exact/exact_sum_io.h"
#include "oracle.h"
#include "tap.h"

/* Is the sum what MPFR makes of the elements? */
static void
check_mpfr(const ArraySet *set, const ArraySetMember *array,
		   const GaExactSum *sum)
{
	const FloatType *type = element_float_type(set->type);
	double *x = malloc((array->n + 1) * sizeof(double));
	double is = 0;
	double must = 0;
	GaStatus is_status = sum_result(sum, type, &is);
	GaStatus must_status;

	elements_get(set->type, set->image + array->at, array->n, x);
	must_status = oracle_sum(type, x, array->n, &must);
	tap_check(same_result(is_status, is, must_status, must),
			  "%s, %zu of %s: %d %a, by MPFR %d %a", type->name, array->n,
			  array->name, is_status, is, must_status, must);
	free(x);
}

static void
check_float(const ArraySet *set, uint32_t i, const GaPartialSum *partial,
			const GaFullRecord *full)
{
	const ArraySetMember *array = &set->arrays[i];
	GaFullSum buffer;
	GaFullSum full_expected;
	GaExactSum *sum = ga_full_sum_init(&buffer);
	GaExactSum *expected = ga_full_sum_init(&full_expected);
	GaStatus status = ga_partial_merge(sum, (int64_t) array->n, partial, full);

	elements_sum_float(set->type, expected, set->image + array->at, array->n);
	tap_check(status == GA_OK, "%s, array %u, %zu of %s: merging answers %d",
			  ga_element_name(set->type), (unsigned) i, array->n, array->name,
			  status);
	tap_check(same_sums(sum, expected),
			  "%s, array %u, %zu of %s: the bytes of the sum differ; -0: %lld, "
			  "must be %lld",
			  ga_element_name(set->type), (unsigned) i, array->n, array->name,
			  (long long) sum->n_neg_zero, (long long) expected->n_neg_zero);
	if (array_set_wants_mpfr(set, i))
		check_mpfr(set, array, sum);
}

static void
check_int(const ArraySet *set, uint32_t i, const GaPartialSum *partial)
{
	const ArraySetMember *array = &set->arrays[i];
	GaIntSum sum = {0};
	GaIntSum expected = {0};

	ga_partial_merge_int(&sum, (int64_t) array->n, partial);
	elements_sum_int(set->type, &expected, set->image + array->at, array->n);
	expected.n = (int64_t) array->n;
	tap_check(partial->kind == GA_PARTIAL_COMPACT && sum.n == expected.n &&
				  sum.low == expected.low && sum.high == expected.high,
			  "%s, array %u, %zu of %s: the sum is %lld, must be %lld",
			  ga_element_name(set->type), (unsigned) i, array->n, array->name,
			  (long long) sum.low, (long long) expected.low);
}

void
array_set_check_sum(const ArraySet *set, uint32_t i,
					const GaPartialSum *partial, const GaFullRecord *full)
{
	if (ga_element_is_float(set->type))
		check_float(set, i, partial, full);
	else
		check_int(set, i, partial);
}

/*
 * Request the sums of the arrays in the list and check them.  The list keeps
 * those whose full record did not fit; returns their number.
 */
static uint32_t
check_listed(Fixture *fixture, const ArraySet *set, GaDeviceAddress image,
			 uint32_t *list, uint32_t n, uint32_t full_capacity)
{
	GaDeviceArray *arrays = calloc(n + 1, sizeof(*arrays));
	GaPartialSum *results = malloc((n + 1) * sizeof(*results));
	GaFullRecord *full = malloc((full_capacity + 1) * sizeof(*full));
	GaSumRequest request = {.type = set->type,
							.n_arrays = n,
							.arrays = arrays,
							.results = results,
							.full = full,
							.full_capacity = full_capacity};
	uint32_t n_left = 0;
	uint32_t i;

	for (i = 0; i < n; i++)
	{
		arrays[i].data = image + set->arrays[list[i]].at;
		arrays[i].n = set->arrays[list[i]].n;
	}
	memset(results, 0xa5, (n + 1) * sizeof(*results));
	fixture_sum(fixture, &request);
	for (i = 0; i < n; i++)
	{
		if (results[i].kind == GA_PARTIAL_NO_CAPACITY)
			list[n_left++] = list[i];
		else
			array_set_check_sum(set, list[i], &results[i], full);
	}
	tap_check(n_left == (request.n_full > full_capacity ?
							 request.n_full - full_capacity :
							 0),
			  "%u sums without capacity, %u full, capacity for %u",
			  (unsigned) n_left, (unsigned) request.n_full,
			  (unsigned) full_capacity);
	free(arrays);
	free(results);
	free(full);
	return n_left;
}

void
array_set_check_sums(Fixture *fixture, const ArraySet *set)
{
	GaDeviceAddress image = array_set_copy_in(fixture, set);
	uint32_t *list = malloc((set->n_arrays + 1) * sizeof(*list));
	uint32_t n;
	uint32_t i;

	for (i = 0; i < set->n_arrays; i++)
		list[i] = i;
	n = check_listed(fixture, set, image, list, set->n_arrays,
					 set->n_arrays / 8 + 1);
	if (n > 0)
		n = check_listed(fixture, set, image, list, n, n);
	tap_check(n == 0, "%u sums without capacity, submitted again",
			  (unsigned) n);
	free(list);
}
