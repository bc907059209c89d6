/*
 * test_elem_sum.c
 *		Sums position by position: adding, removing, merging, results, bytes.
 *
 * Each position is compared with an exact sum of its own, and states with the
 * same inputs but other histories with each other, by their bytes.
 */
#include <math.h>
#include <stdlib.h>

#include "cpu/elem_add.h"
#include "exact/exact_sum_value.h"
#include "float_families.h"
#include "sums.h"
#include "tap.h"

#define MAX_POSITIONS 600
#define MAX_ROWS	  24

static void *
allocate(void *context, size_t n_bytes)
{
	(void) context;
	return calloc(1, n_bytes ? n_bytes : 1);
}

static const GaElemMemory memory = {NULL, allocate, free, NULL};

/* Arrays of one shape, and which of their elements are NULL. */
typedef struct Rows
{
	GaElementType type;
	size_t n; /* positions */
	int n_rows;
	double x[MAX_ROWS][MAX_POSITIONS];
	int64_t k[MAX_ROWS][MAX_POSITIONS]; /* of integer types */
	bool nulls[MAX_ROWS][MAX_POSITIONS];
	char data[MAX_ROWS][MAX_POSITIONS * 8 + 1]; /* unaligned, NULLs are 0 */
} Rows;

static Rows rows;

static size_t
random_length(Rng *rng)
{
	static const size_t lengths[] = {1, 2, 7, 31, 33, 255, 256, 257, 300, 600};

	if (rng_chance(rng, 3))
		return 1 + rng_below(rng, MAX_POSITIONS);
	return lengths[rng_below(rng, 10)];
}

/* Fill a row with floats. */
static void
fill_floats(Rng *rng, const FloatType *type, int r)
{
	const Family *family =
		rng_chance(rng, 3) ? &families[rng_below(rng, n_families)] : families;
	double *x = rows.x[r];
	size_t i;

	family_fill(family, rng, type, x, rows.n);
	float_shuffle(rng, x, rows.n);
	if (rng_chance(rng, 6))
		sprinkle_neg_zeros(rng, rng_between(rng, 1, 9), x, rows.n);
	if (rng_chance(rng, 8))
		sprinkle_specials(rng, rng_between(rng, 1, 99), x, rows.n);
	for (i = 0; i < rows.n; i++)
	{
		if (rows.nulls[r][i])
			x[i] = 0;
		if (rows.type == GA_float4)
			memcpy(rows.data[r] + 1 + i * 4, &(float){(float) x[i]}, 4);
		else
			memcpy(rows.data[r] + 1 + i * 8, &x[i], 8);
	}
}

/* Fill a row with integers, many at the ends of the range. */
static void
fill_ints(Rng *rng, int r)
{
	const size_t size = ga_element_size(rows.type);
	const int shift = 64 - 8 * (int) size;
	const bool is_extreme = rng_chance(rng, 2);
	size_t i;

	for (i = 0; i < rows.n; i++)
	{
		int64_t k = (int64_t) rng_next(rng) >> shift;

		if (is_extreme)
			k = rng_chance(rng, 2) ? INT64_MIN >> shift : INT64_MAX >> shift;
		else if (rng_chance(rng, 3))
			k >>= rng_below(rng, 62 - (uint64_t) shift);
		rows.k[r][i] = rows.nulls[r][i] ? 0 : k;
		memcpy(rows.data[r] + 1 + i * size, &rows.k[r][i], size);
	}
}

static void
fill_rows(Rng *rng, GaElementType type)
{
	int r;
	size_t i;

	memset(&rows, 0, sizeof(rows));
	rows.type = type;
	rows.n = random_length(rng);
	rows.n_rows = 1 + (int) rng_below(rng, MAX_ROWS);
	for (r = 0; r < rows.n_rows; r++)
	{
		const bool has_nulls = rng_chance(rng, 3);

		for (i = 0; i < rows.n; i++)
			rows.nulls[r][i] = has_nulls && rng_chance(rng, 3);
		if (!ga_element_is_float(type))
			fill_ints(rng, r);
		else
			fill_floats(rng, type == GA_float4 ? &float4_type : &float8_type,
						r);
	}
}

/* Add a row, in pieces, or remove it. */
static void
apply(Rng *rng, GaElemSum *sum, int r, int by)
{
	const GaCpuEngine *cpu = &ga_cpu_baseline;
	const size_t size = ga_element_size(rows.type);
	const int k = (int) rng_below(rng, ga_cpu_n_engines);
	size_t at = 0;

	if (ga_cpu_engines[k]->is_supported())
		cpu = ga_cpu_engines[k];
	while (at < rows.n)
	{
		size_t n = rows.n - at;

		if (rng_chance(rng, 3))
			n = 1 + rng_below(rng, n);
		ga_elem_add(cpu, sum, at, rows.data[r] + 1 + at * size, n, by);
		(void) ga_elem_add_nulls(sum, at, rows.nulls[r] + at, n, by);
		at += n;
	}
	sum->n_arrays += by;
}

typedef struct Bytes
{
	size_t n;
	uint8_t *bytes;
} Bytes;

static Bytes
bytes_of(const GaElemSum *sum)
{
	Bytes to;
	const size_t most = ga_elem_max_bytes(sum);

	to.bytes = malloc(most);
	to.n = ga_elem_serialize(sum, to.bytes);
	tap_check(to.n <= most, "%zu bytes, at most %zu", to.n, most);
	return to;
}

static void
check_same(const GaElemSum *a, const GaElemSum *b, const char *what)
{
	Bytes x = bytes_of(a);
	Bytes y = bytes_of(b);

	tap_check(x.n == y.n && memcmp(x.bytes, y.bytes, x.n) == 0,
			  "%s: other bytes, %zu and %zu, type %d, %zu positions, %d rows",
			  what, x.n, y.n, rows.type, rows.n, rows.n_rows);
	free(x.bytes);
	free(y.bytes);
}

/* Compare a position of floats with an exact sum. */
static void
check_float(const GaElemSum *sum, size_t i)
{
	const GaElemBlock *block = &sum->blocks[i / GA_ELEM_BLOCK];
	const int at = (int) (i % GA_ELEM_BLOCK);
	GaExactSum *exact = sum_new(GA_MAX_CELLS);
	double expected = 0, result = 0;
	float expected4 = 0, result4 = 0;
	GaStatus status, found;
	int r;

	for (r = 0; r < rows.n_rows; r++)
	{
		if (!rows.nulls[r][i])
			sum_add(&exact, rows.x[r][i]);
	}
	tap_check(exact->n == ga_elem_n_inputs(sum, block, at), "number of inputs");
	if (exact->n > 0)
	{
		status = ga_exact_sum_float8(exact, &expected);
		found = ga_elem_float(sum, block, at, false, &result);
		tap_check(same_result(status, expected, found, result),
				  "sum %a, expected %a", result, expected);
		status = ga_exact_sum_mean(exact, &expected);
		found = ga_elem_float(sum, block, at, true, &result);
		tap_check(same_result(status, expected, found, result),
				  "mean %a, expected %a", result, expected);
		status = ga_exact_sum_float4(exact, &expected4);
		found = ga_elem_float4(sum, block, at, &result4);
		tap_check(same_result(status, expected4, found, result4),
				  "real %a, expected %a", result4, expected4);
	}
	sum_free(exact);
}

static void
check_int(const GaElemSum *sum, size_t i)
{
	const GaElemBlock *block = &sum->blocks[i / GA_ELEM_BLOCK];
	GaInt128 total = 0;
	int r;

	for (r = 0; r < rows.n_rows; r++)
		total += rows.k[r][i];
	tap_check(ga_elem_int_total(block, (int) (i % GA_ELEM_BLOCK)) == total,
			  "total of position %zu", i);
}

static void
check_results(const GaElemSum *sum)
{
	size_t i;

	for (i = 0; i < rows.n; i++)
	{
		if (ga_element_is_float(rows.type))
			check_float(sum, i);
		else
			check_int(sum, i);
	}
}

/* Write sums, read them again, and compare; what is cut off is refused. */
static void
check_bytes(Rng *rng, const GaElemSum *sum)
{
	Bytes bytes = bytes_of(sum);
	const size_t n = rng_below(rng, bytes.n);
	GaElemSum copy;

	ga_elem_init(&copy, rows.type, rows.n, memory);
	tap_check(ga_elem_deserialize(&copy, bytes.bytes, bytes.n) == GA_OK,
			  "own bytes are refused");
	check_same(&copy, sum, "read again");
	if (rng_chance(rng, 4))
		check_results(&copy);
	apply(rng, &copy, 0, 1);
	apply(rng, &copy, 0, -1);
	check_same(&copy, sum, "read again, and worked on");
	ga_elem_release(&copy);

	ga_elem_init(&copy, rows.type, rows.n, memory);
	tap_check(ga_elem_deserialize(&copy, bytes.bytes, n) != GA_OK,
			  "%zu of %zu bytes are taken", n, bytes.n);
	ga_elem_release(&copy);
	free(bytes.bytes);
}

/* Sums of the same rows: in order, backwards and merged, with removals. */
static void
test_type(Rng *rng, GaElementType type)
{
	long cases;
	int r;

	tap_begin("sums of %s, as one by one", ga_element_name(type));
	for (cases = tap_cases(1500); cases > 0; cases--)
	{
		GaElemSum sum, other, part;

		fill_rows(rng, type);
		ga_elem_init(&sum, type, rows.n, memory);
		ga_elem_init(&other, type, rows.n, memory);
		ga_elem_init(&part, type, rows.n, memory);
		for (r = 0; r < rows.n_rows; r++)
			apply(rng, &sum, r, 1);
		check_results(&sum);
		check_bytes(rng, &sum);

		for (r = rows.n_rows - 1; r >= 0; r--)
			apply(rng, rng_chance(rng, 2) ? &other : &part, r, 1);
		ga_elem_merge(&other, &part);
		check_same(&sum, &other, "merged");
		ga_elem_release(&part);

		/* take rows out, and put them in again */
		for (r = 0; r < rows.n_rows; r += 2)
			apply(rng, &sum, r, -1);
		ga_elem_init(&part, type, rows.n, memory);
		for (r = 1; r < rows.n_rows; r += 2)
			apply(rng, &part, r, 1);
		check_same(&sum, &part, "rows removed");
		for (r = 0; r < rows.n_rows; r += 2)
			apply(rng, &sum, r, 1);
		check_same(&sum, &other, "rows added again");
		ga_elem_release(&sum);
		ga_elem_release(&other);
		ga_elem_release(&part);
	}
	tap_end();
}

#define DOUBLINGS 40

/* Add sums to themselves, by way of a copy. */
static void
double_sum(GaElemSum *sum)
{
	Bytes bytes = bytes_of(sum);
	GaElemSum copy;

	ga_elem_init(&copy, sum->type, sum->n, memory);
	tap_check(ga_elem_deserialize(&copy, bytes.bytes, bytes.n) == GA_OK,
			  "own bytes are refused");
	ga_elem_merge(sum, &copy);
	ga_elem_release(&copy);
	free(bytes.bytes);
}

/* Are the totals those of another sum, doubled so often? */
static void
check_doubled(const GaElemSum *doubled, const GaElemSum *sum)
{
	size_t i;

	for (i = 0; i < sum->n; i++)
	{
		const int at = (int) (i % GA_ELEM_BLOCK);
		const GaElemBlock *a = &doubled->blocks[i / GA_ELEM_BLOCK];
		const GaElemBlock *b = &sum->blocks[i / GA_ELEM_BLOCK];
		double x = 0, y = 0;
		GaStatus status;

		if (!ga_element_is_float(sum->type))
			tap_check(ga_elem_int_total(a, at) ==
						  ga_elem_int_total(b, at) * (INT64_C(1) << DOUBLINGS),
					  "total of position %zu", i);
		else if (ga_elem_n_inputs(sum, b, at) > 0)
		{
			status = ga_elem_float(doubled, a, at, true, &x);
			tap_check(status == GA_OK, "no mean");
			status = ga_elem_float(sum, b, at, true, &y);
			tap_check(same_result(GA_OK, x, status, y), "mean %a, of one %a", x,
					  y);
		}
	}
}

/* Fill rows with floats of so many exponents, which each row has more of. */
static void
fill_growing(Rng *rng, GaElementType type, int spread, int step)
{
	const int most = type == GA_float4 ? 120 : 1000;
	int r;
	size_t i;

	memset(&rows, 0, sizeof(rows));
	rows.type = type;
	rows.n = random_length(rng);
	rows.n_rows = MAX_ROWS;
	for (r = 0; r < rows.n_rows; r++)
	{
		for (i = 0; i < rows.n; i++)
		{
			int exponent = (rng_chance(rng, 2) ? 1 : -1) *
						   (spread + r * step - (int) rng_below(rng, 3));
			double x;

			exponent = exponent > most ? most : exponent;
			x = ldexp((double) (rng_next(rng) >> (type == GA_float4 ? 41 : 12)),
					  exponent - 26);
			if (rng_chance(rng, 2))
				x = -x;
			rows.x[r][i] = x;
			if (type == GA_float4)
			{
				const float single = (float) x;

				rows.x[r][i] = single;
				memcpy(rows.data[r] + 1 + i * 4, &single, 4);
			}
			else
				memcpy(rows.data[r] + 1 + i * 8, &x, 8);
		}
	}
}

/* Elements beyond the digits that a block has, by a bit or by many. */
static void
test_growing(Rng *rng, GaElementType type)
{
	long cases;
	int r;

	tap_begin("%s of ever more exponents", ga_element_name(type));
	for (cases = tap_cases(300); cases > 0; cases--)
	{
		GaElemSum sum;

		fill_growing(rng, type, (int) rng_below(rng, 120),
					 (int) rng_below(rng, type == GA_float4 ? 5 : 40));
		ga_elem_init(&sum, type, rows.n, memory);
		for (r = 0; r < rows.n_rows; r++)
			apply(rng, &sum, r, 1);
		check_results(&sum);
		ga_elem_release(&sum);
	}
	tap_end();
}

/* Many additions of the largest elements, so that carries reach new planes. */
static void
test_carries(Rng *rng, GaElementType type)
{
	GaElemSum sum, part;
	int r, c;

	tap_begin("carries of %s", ga_element_name(type));
	for (c = 0; c < 6; c++)
	{
		fill_rows(rng, type);
		while (rows.n > 40)
			fill_rows(rng, type);
		ga_elem_init(&sum, type, rows.n, memory);
		ga_elem_init(&part, type, rows.n, memory);
		for (r = 0; r < rows.n_rows; r++)
			apply(rng, &part, r, 1);

		ga_elem_merge(&sum, &part);
		for (r = 0; r < DOUBLINGS; r++)
			double_sum(&part);
		check_doubled(&part, &sum);
		ga_elem_release(&part);
		ga_elem_init(&part, type, rows.n, memory);
		for (r = 0; r < 3000; r++)
			apply(rng, &part, r % rows.n_rows, 1);
		for (r = 2999; r >= 0; r--)
		{
			if (r >= rows.n_rows)
				apply(rng, &part, r % rows.n_rows, -1);
		}
		check_same(&sum, &part, "thousands added and removed");
		check_results(&part);
		ga_elem_release(&part);
		ga_elem_release(&sum);
	}
	tap_end();
}

/* Bytes with one that differs are refused, or are those of what is read. */
static void
test_damage(Rng *rng)
{
	long cases;
	int r;

	tap_begin("damaged bytes");
	for (cases = tap_cases(3000); cases > 0; cases--)
	{
		GaElemSum sum, copy;
		Bytes bytes;

		fill_rows(rng, (GaElementType) rng_below(rng, GA_N_ELEMENT_TYPES));
		ga_elem_init(&sum, rows.type, rows.n, memory);
		for (r = 0; r < rows.n_rows; r++)
			apply(rng, &sum, r, 1);
		bytes = bytes_of(&sum);
		bytes.bytes[rng_below(rng, rng_chance(rng, 2) ? 24 : bytes.n) %
					bytes.n] ^= (uint8_t) (1 << rng_below(rng, 8));
		ga_elem_init(&copy, rows.type, rows.n, memory);
		if (ga_elem_deserialize(&copy, bytes.bytes, bytes.n) == GA_OK)
		{
			Bytes again = bytes_of(&copy);

			tap_check(again.n == bytes.n &&
						  memcmp(again.bytes, bytes.bytes, bytes.n) == 0,
					  "not canonical");
			free(again.bytes);
		}
		ga_elem_release(&copy);
		ga_elem_release(&sum);
		free(bytes.bytes);
	}
	tap_end();
}

int
main(void)
{
	Rng rng = {20261125};

#define X(name, family, ctype)  \
	test_type(&rng, GA_##name); \
	test_carries(&rng, GA_##name);
	GA_ELEMENT_TYPES(X)
#undef X
	test_growing(&rng, GA_float4);
	test_growing(&rng, GA_float8);
	test_damage(&rng);
	return tap_done();
}
