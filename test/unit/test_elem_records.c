/*
 * test_elem_records.c
 *		Sums position by position: records of a device are added as the arrays
 *		that they are of.
 */
#include <math.h>
#include <stdlib.h>

#include "cpu/elem_add.h"
#include "random_floats.h"
#include "tap.h"

#define MAX_POSITIONS 600
#define MAX_ROWS	  12

static void *
allocate(void *context, size_t n_bytes)
{
	(void) context;
	return calloc(1, n_bytes ? n_bytes : 1);
}

static const GaElemMemory memory = {NULL, allocate, free, NULL};

/* Arrays, and the records of what a device makes of them. */
static int64_t rows[MAX_ROWS][MAX_POSITIONS];
static GaPartialSum records[MAX_POSITIONS];

/* A float whose bits lie within some 130 places; often zero, or -0. */
static double
random_float(Rng *rng, int exponent, int spread)
{
	const double x = ldexp((double) (rng_next(rng) >> 11),
						   exponent + rng_between(rng, 0, spread));

	return rng_chance(rng, 9) ? 0.0 :
		   rng_chance(rng, 9) ? -0.0 :
		   rng_chance(rng, 2) ? -x :
								x;
}

/* Fill a row; data of a type are the first bytes of it. */
static void
fill_row(Rng *rng, GaElementType type, int r, size_t n, int exponent,
		 int spread)
{
	const size_t size = ga_element_size(type);
	char *to = (char *) rows[r];
	size_t i;

	for (i = 0; i < n; i++, to += size)
	{
		const int64_t k = (int64_t) rng_next(rng) >> rng_between(rng, 0, 63);
		const double x = random_float(rng, exponent, spread);
		const float single = (float) x;

		memcpy(to,
			   type == GA_float8 ? (const void *) &x :
			   type == GA_float4 ? (const void *) &single :
								   &k,
			   size);
	}
}

/* Make the record of position i as a device does. */
static bool
make_record(GaElementType type, int n_rows, size_t i)
{
	const size_t size = ga_element_size(type);
	GaFullSum full;
	GaExactSum *sum = ga_full_sum_init(&full);
	GaIntSum ints = {0};
	int r;

	for (r = 0; r < n_rows; r++)
	{
		const char *at = (const char *) rows[r] + i * size;

#define X_int(name) ga_cpu_best()->sum_##name(&ints, (const void *) at, 1);
#define X_float(name) \
	(void) ga_cpu_best()->sum_##name(sum, (const void *) at, 1);
#define X(name, family, ctype) \
	if (type == GA_##name)     \
	X_##family(name)
		GA_ELEMENT_TYPES(X)
#undef X
#undef X_float
#undef X_int
	}
	if (ga_element_is_float(type))
		return ga_partial_from_sum(&records[i], sum);
	records[i] = ga_partial_from_int_sum(&ints);
	return true;
}

/* The bytes of sums are those of others. */
static void
check_same(const GaElemSum *a, const GaElemSum *b, const char *what)
{
	uint8_t *bytes_a = malloc(ga_elem_max_bytes(a));
	uint8_t *bytes_b = malloc(ga_elem_max_bytes(b));
	const size_t n = ga_elem_serialize(a, bytes_a);

	tap_check(ga_elem_serialize(b, bytes_b) == n &&
				  memcmp(bytes_a, bytes_b, n) == 0,
			  "%s: other sums", what);
	free(bytes_a);
	free(bytes_b);
}

/* Add some rows by the CPU, and the others as records, in two pieces. */
static void
try_case(Rng *rng, GaElementType type)
{
	const size_t n = 1 + rng_below(rng, MAX_POSITIONS);
	const size_t cut = rng_below(rng, n + 1);
	const int n_rows = rng_between(rng, 1, MAX_ROWS);
	const int n_before = rng_between(rng, 0, n_rows - 1);
	const bool is_single = type == GA_float4;
	const int spread = rng_between(rng, 0, is_single ? 40 : 70);
	const int exponent =
		is_single ? rng_between(rng, -200, 20) : rng_between(rng, -1074, 700);
	GaElemSum all, by_records;
	size_t i;
	int r;

	ga_elem_init(&all, type, n, memory);
	ga_elem_init(&by_records, type, n, memory);
	for (r = 0; r < n_rows; r++)
	{
		fill_row(rng, type, r, n, exponent, spread);
		ga_elem_add(ga_cpu_best(), &all, 0, rows[r], n, 1);
	}
	all.n_arrays = n_rows;
	for (i = 0; i < n; i++)
	{
		tap_check(make_record(type, n_rows, i), "no record");
		tap_check(ga_elem_is_record(type, n_rows, &records[i]), "refused");
	}
	for (r = 0; r < n_before; r++)
		ga_elem_add(ga_cpu_best(), &by_records, 0, rows[r], n, 1);
	ga_elem_add_records(&by_records, 0, records, cut);
	ga_elem_add_records(&by_records, cut, records + cut, n - cut);
	by_records.n_arrays = n_before + n_rows;
	for (r = 0; r < n_before; r++)
		ga_elem_add(ga_cpu_best(), &by_records, 0, rows[r], n, -1);
	by_records.n_arrays -= n_before;
	check_same(&all, &by_records, ga_element_name(type));
	ga_elem_release(&all);
	ga_elem_release(&by_records);
}

static void
test_type(Rng *rng, GaElementType type)
{
	long cases;

	tap_begin("records of %s, as the arrays", ga_element_name(type));
	for (cases = tap_cases(4000); cases > 0; cases--)
		try_case(rng, type);
	tap_end();
}

/* The ends of a record: its sign, its limbs, its highest and lowest bits. */
static void
test_bits(void)
{
	int bit, sign;

	tap_begin("each bit of a record");
	for (bit = 0; bit < 64 * GA_PARTIAL_LIMBS - 1; bit++)
	{
		for (sign = 0; sign < 2; sign++)
		{
			GaPartialSum record = {.first = 3, .kind = GA_PARTIAL_COMPACT};
			GaElemSum sum;
			double result = 0;
			int i;

			record.limb[bit / 64] = UINT64_C(1) << bit % 64;
			for (i = 0; sign && i < GA_PARTIAL_LIMBS; i++)
				record.limb[i] = i < bit / 64 ? 0 :
								 i > bit / 64 ? UINT64_MAX :
												-record.limb[i];
			ga_elem_init(&sum, GA_float8, 1, memory);
			tap_check(ga_elem_is_record(GA_float8, 1, &record), "refused");
			ga_elem_add_records(&sum, 0, &record, 1);
			sum.n_arrays = 1;
			tap_check(ga_elem_float(&sum, sum.blocks, 0, false, &result) ==
							  GA_OK &&
						  result == ldexp(sign ? -1 : 1, bit + 96 - 1074),
					  "bit %d, sign %d: %a", bit, sign, result);
			ga_elem_release(&sum);
		}
	}
	tap_end();
}

/* What no device may say. */
static void
test_refused(void)
{
	const GaPartialSum bad[] = {
		{.kind = GA_PARTIAL_REFUSED},
		{.kind = GA_PARTIAL_FULL},
		{.kind = GA_PARTIAL_NO_CAPACITY},
		{.first = GA_MAX_CELLS},
		{.n_neg_zero = 8},
		{.limb = {0, 1}, .first = GA_MAX_CELLS - 1},
		{.limb = {7 << 18}, .first = 65}, /* 7 * 2^1024 */
		{.limb = {-(UINT64_C(7) << 18) - 1, UINT64_MAX, UINT64_MAX},
		 .first = 65},
		{.limb = {1}, .n_neg_zero = 7},
		{.limb = {1}, .first = 66},
	};
	const GaPartialSum most = {.limb = {(7 << 18) - 1}, .first = 65};
	const GaPartialSum large = {.limb = {0, UINT64_C(1) << 10}};
	const GaPartialSum bad_int[] = {
		{.limb = {1, 0, 1}}, {.limb = {1, UINT64_MAX, 0}}, {.n_neg_zero = 1}};
	const GaPartialSum int2_ends[] = {
		{.limb = {7 << 15}},
		{.limb = {-(UINT64_C(7) << 15) - 1, UINT64_MAX, UINT64_MAX}},
		{.limb = {7 * 32767}},
		{.limb = {-(UINT64_C(7) << 15), UINT64_MAX, UINT64_MAX}}};
	size_t i;

	tap_begin("what is no record");
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		tap_check(!ga_elem_is_record(GA_float8, 7, &bad[i]),
				  "record %zu is taken", i);
	for (i = 0; i < sizeof(bad_int) / sizeof(bad_int[0]); i++)
		tap_check(!ga_elem_is_record(GA_int8, 7, &bad_int[i]),
				  "record %zu of integers is taken", i);
	for (i = 0; i < 4; i++)
		tap_check(ga_elem_is_record(GA_int2, 7, &int2_ends[i]) == (i > 1),
				  "record %zu of smallint", i);
	tap_check(!ga_elem_is_record(GA_int8, 7, &large), "too large");
	tap_check(ga_elem_is_record(GA_float8, 7, &large), "refused");
	tap_check(ga_elem_is_record(GA_float8, 7, &most), "the largest");
	tap_end();
}

int
main(void)
{
	Rng rng = {20261125};
	int type;

	for (type = 0; type < GA_N_ELEMENT_TYPES; type++)
		test_type(&rng, (GaElementType) type);
	test_bits();
	test_refused();
	return tap_done();
}
