/*
 * test_sum_many.c
 *		A device's sums of many arrays in one request; full records.
 */
#include <math.h>
#include <stdlib.h>

#include "array_set.h"
#include "tap.h"

#define TINY_LENGTH 8

static Fixture fixture;

static void
test_mixed(Rng *rng, GaElementType type)
{
	long n = tap_cases(6000);
	ArraySet set;
	long i;

	tap_begin("%s: %ld arrays of mixed lengths", ga_element_name(type), n);
	array_set_init(&set, type);
	set.mpfr_one_in = 9;
	for (i = 0; i < n; i++)
		array_set_add_random(&set, rng, array_set_mixed_length(rng),
							 ARRAY_SET_PACKED, ARRAY_SET_PACKED);
	array_set_check_sums(&fixture, &set);
	array_set_free(&set);
	tap_end();
}

static void
test_tiny(Rng *rng, GaElementType type)
{
	long n = tap_cases(100000);
	ArraySet set;
	long i;

	tap_begin("%s: %ld tiny arrays", ga_element_name(type), n);
	array_set_init(&set, type);
	set.mpfr_one_in = 9;
	for (i = 0; i < n; i++)
		array_set_add_random(&set, rng, rng_below(rng, TINY_LENGTH),
							 ARRAY_SET_PACKED, ARRAY_SET_PACKED);
	array_set_check_sums(&fixture, &set);
	array_set_free(&set);
	tap_end();
}

/*
 * Long arrays, and a few short ones and an empty one, as pieces of resident
 * arrays are.
 */
static void
test_mostly_long(Rng *rng, GaElementType type)
{
	const size_t n_long = (288 << 10) / ga_element_size(type);
	ArraySet set;
	int i;

	tap_begin("%s: long arrays and a few short ones", ga_element_name(type));
	array_set_init(&set, type);
	set.mpfr_one_in = 9;
	for (i = 0; i < 72; i++)
		array_set_add_random(&set, rng,
							 i == 0		? 0 :
							 i % 3 == 0 ? rng_below(rng, 300) :
										  n_long + rng_below(rng, 100),
							 ARRAY_SET_PACKED, ARRAY_SET_PACKED);
	array_set_check_sums(&fixture, &set);
	array_set_free(&set);
	tap_end();
}

/* Nothing but empty arrays, and no array at all. */
static void
test_empty(GaElementType type)
{
	ArraySet set;
	int i;

	tap_begin("%s: empty arrays", ga_element_name(type));
	array_set_init(&set, type);
	array_set_check_sums(&fixture, &set);
	for (i = 0; i < 1000; i++)
		array_set_add(&set, "nothing", 0, ARRAY_SET_PACKED, ARRAY_SET_PACKED);
	array_set_check_sums(&fixture, &set);
	array_set_free(&set);
	tap_end();
}

/*
 * Arrays of which each third one is full without doubt: it has a NaN, an
 * infinity, or bits too far apart; and all others are narrow.
 */
static void
add_wide_and_narrow(ArraySet *set, Rng *rng, int n)
{
	const FloatType *type = element_float_type(set->type);
	double x[50];
	int i, k;

	for (i = 0; i < n; i++)
	{
		size_t length = rng_below(rng, 40) + 10;

		for (k = 0; k < 50; k++)
			x[k] = rng_between(rng, -1000, 1000);
		if (i % 3 == 0)
			x[i % 10] = i % 2 ? INFINITY : NAN;
		if (i % 3 == 0 && i % 9 == 0 && type->size == 8)
		{
			x[i % 10] = 0x1p900;
			x[(i + 1) % 10] = 0x1p-900;
		}
		array_set_add_doubles(set, "full and compact", x, length);
	}
}

/* As many sums have no capacity as need a full record beyond it. */
static void
check_capacity(const ArraySet *set, GaDeviceAddress image,
			   uint32_t full_capacity)
{
	uint32_t n = set->n_arrays;
	uint32_t n_full = (n + 2) / 3;
	GaDeviceArray *arrays = calloc(n, sizeof(*arrays));
	GaPartialSum *results = calloc(n, sizeof(*results));
	GaFullRecord *full = calloc(full_capacity + 1, sizeof(*full));
	bool *taken = calloc(full_capacity + 1, sizeof(*taken));
	GaSumRequest request = {.type = set->type,
							.n_arrays = n,
							.arrays = arrays,
							.results = results,
							.full = full,
							.full_capacity = full_capacity};
	uint32_t n_without = 0;
	uint32_t i;

	for (i = 0; i < n; i++)
	{
		arrays[i].data = image + set->arrays[i].at;
		arrays[i].n = set->arrays[i].n;
	}
	memset(&full[full_capacity], 0xa5, sizeof(*full));
	fixture_sum(&fixture, &request);
	tap_check(request.n_full == n_full, "%u full records, must be %u",
			  (unsigned) request.n_full, (unsigned) n_full);
	for (i = 0; i < n; i++)
	{
		n_without += results[i].kind == GA_PARTIAL_NO_CAPACITY;
		tap_check((results[i].kind == GA_PARTIAL_COMPACT) == (i % 3 != 0),
				  "array %u: kind %d", (unsigned) i, results[i].kind);
		if (results[i].kind == GA_PARTIAL_FULL)
		{
			uint64_t at = results[i].limb[0];

			tap_check(at < full_capacity && !taken[at],
					  "the full sum of array "
					  "%u is at %llu",
					  (unsigned) i, (unsigned long long) at);
			if (at < full_capacity)
				taken[at] = true;
		}
		if (results[i].kind != GA_PARTIAL_NO_CAPACITY)
			array_set_check_sum(set, i, &results[i], full);
	}
	tap_check(n_without ==
				  (n_full > full_capacity ? n_full - full_capacity : 0),
			  "%u sums without capacity, capacity for %u", (unsigned) n_without,
			  (unsigned) full_capacity);
	for (i = 0; i < sizeof(*full); i++)
		tap_check(((unsigned char *) &full[full_capacity])[i] == 0xa5,
				  "written behind the full records");
	free(arrays);
	free(results);
	free(full);
	free(taken);
}

static void
test_full_capacity(Rng *rng, GaElementType type)
{
	static const int capacities[] = {0, 1, 7, 99, 100, 101, 1000};
	ArraySet set;
	GaDeviceAddress image;
	int i;

	tap_begin("%s: capacity for full records", ga_element_name(type));
	array_set_init(&set, type);
	add_wide_and_narrow(&set, rng, 300);
	image = array_set_copy_in(&fixture, &set);
	for (i = 0; i < 7; i++)
		check_capacity(&set, image, (uint32_t) capacities[i]);
	array_set_check_sums(&fixture, &set);
	array_set_free(&set);
	tap_end();
}

int
main(void)
{
	Rng rng = {33};
	int type;

	fixture_open(&fixture);
	for (type = 0; type < GA_N_ELEMENT_TYPES; type++)
	{
		test_mixed(&rng, (GaElementType) type);
		test_tiny(&rng, (GaElementType) type);
		test_mostly_long(&rng, (GaElementType) type);
		test_empty((GaElementType) type);
	}
	test_full_capacity(&rng, GA_float4);
	test_full_capacity(&rng, GA_float8);
	fixture_close(&fixture);
	return tap_done();
}
