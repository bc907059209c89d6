/*
 * small_sum.c
 *		The sum of a few integers, 1 to n, as a request of its own.
 */
#include <string.h>

#include "small_sum.h"
#include "tap.h"

GaDeviceAddress
small_put(Fixture *fixture)
{
	GaDeviceAddress at = fixture_memory(fixture, FIXTURE_IN, SMALL_MAX * 8);
	int64_t x[SMALL_MAX];
	int i;

	for (i = 0; i < SMALL_MAX; i++)
		x[i] = i + 1;
	fixture_copy_in(fixture, at, x, sizeof(x));
	return at;
}

void
small_init(Small *small, GaDeviceAddress at, int64_t n)
{
	memset(small, 0, sizeof(*small));
	small->n = n;
	small->array.data = at;
	small->array.n = (uint64_t) n;
	small->request.type = GA_int8;
	small->request.n_arrays = 1;
	small->request.arrays = &small->array;
	small->request.results = &small->result;
}

void
small_check(const Small *small)
{
	GaIntSum sum = {0};

	ga_partial_merge_int(&sum, small->n, &small->result);
	tap_check(ga_int_sum_total(&sum) == small->n * (small->n + 1) / 2,
			  "the sum of 1 to %lld is %lld", (long long) small->n,
			  (long long) sum.low);
}
