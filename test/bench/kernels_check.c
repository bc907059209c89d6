/*
 * kernels_check.c
 *		What answers of a device must be, by the CPU engine.
 *
 * Ours must be right to the last bit: the exact sums are compared in their
 * serialized form, which is canonical, and running totals by their bytes.
 * Those of CUB have to be near, to show that it did the same work.
 */
#include <math.h>
#include <stdlib.h>

#include "cpu/cpu.h"
#include "exact/exact_sum_io.h"
#include "kernels_check.h"

/* Elements whose totals are compared at once. */
#define SEGMENT 65536

struct BenchCheck
{
	GaElementType type;
	GaIntSum ints;
	GaFullSum floats;
	GaInt128 int128[SEGMENT]; /* totals of int8 */
	union
	{
		int64_t int8[SEGMENT];
		float float4[SEGMENT];
		double float8[SEGMENT];
	} totals; /* other totals */
};

/* With nothing in it; there is no return without memory. */
BenchCheck *
bench_check_new(GaElementType type)
{
	BenchCheck *check = malloc(sizeof(*check));

	if (check == NULL)
		abort();
	check->type = type;
	bench_check_reset(check);
	return check;
}

void
bench_check_free(BenchCheck *check)
{
	free(check);
}

void
bench_check_reset(BenchCheck *check)
{
	memset(&check->ints, 0, sizeof(check->ints));
	(void) ga_full_sum_init(&check->floats);
}

void
bench_check_add(BenchCheck *check, const void *data, size_t n)
{
	const GaCpuEngine *cpu = ga_cpu_best();
	GaExactSum *sum = ga_full_sum(&check->floats);
	size_t n_added = n;

	switch (check->type)
	{
#define X(name, family, ctype)                  \
	case GA_##name:                             \
		cpu->sum_##name(&check->ints, data, n); \
		break;
		GA_INT_TYPES(X)
#undef X
#define X(name, family, ctype)                   \
	case GA_##name:                              \
		n_added = cpu->sum_##name(sum, data, n); \
		break;
		GA_FLOAT_TYPES(X)
#undef X
		default:
			abort();
	}
	if (n_added != n)
		abort(); /* there is room for everything */
}

/* The totals of a segment: where they are, and how many bytes. */
static const void *
scan_segment(BenchCheck *check, const void *in, size_t n, GaScanTotals totals,
			 size_t *n_bytes)
{
	const GaCpuEngine *cpu = ga_cpu_best();
	GaExactSum *sum = ga_full_sum(&check->floats);
	int64_t *int8 = check->totals.int8;
	size_t n_totals = n;
	size_t i;

	*n_bytes = n * (check->type == GA_float4 ? 4 : 8);
	switch (check->type)
	{
		case GA_int2:
			n_totals = ga_int_scan_int2(&check->ints, in, n, int8);
			break;
		case GA_int4:
			n_totals = ga_int_scan_int4(&check->ints, in, n, int8);
			break;
		case GA_float4:
			n_totals = cpu->scan_float4(sum, in, n, check->totals.float4);
			break;
		case GA_float8:
			n_totals = cpu->scan_float8(sum, in, n, check->totals.float8);
			break;
		default:
			ga_int_scan_int8(&check->ints, in, n, check->int128);
			for (i = 0; i < n; i++)
				int8[i] = (int64_t) check->int128[i];
	}
	if (n_totals != n)
		abort(); /* the data is not of that size */
	if (totals == GA_TOTALS_PLAIN)
		return &check->totals;
	*n_bytes = n * sizeof(GaInt128);
	return check->int128;
}

/*
 * Are these the running totals of n elements after those that were added so
 * far?  They are added, unless the answer is no.
 */
bool
bench_check_totals(BenchCheck *check, const void *in, size_t n,
				   GaScanTotals totals, const void *out)
{
	const char *from = in;
	const char *to = out;
	const void *expected;
	size_t n_bytes;
	size_t done;
	size_t m;

	for (done = 0; done < n; done += m)
	{
		m = n - done < SEGMENT ? n - done : SEGMENT;
		expected = scan_segment(check, from, m, totals, &n_bytes);
		if (memcmp(expected, to, n_bytes) != 0)
			return false;
		from += m * ga_element_size(check->type);
		to += n_bytes;
	}
	return true;
}

static bool
is_float(GaElementType type)
{
	return type == GA_float4 || type == GA_float8;
}

/* Is this the very sum of what was added? */
bool
bench_check_sum(const BenchCheck *check, const GaPartialSum *partial,
				const GaFullRecord *full)
{
	const GaExactSum *sum = (const GaExactSum *) check->floats.bytes;
	uint8_t expected[GA_EXACT_SUM_MAX_BYTES];
	uint8_t found[GA_EXACT_SUM_MAX_BYTES];
	GaFullSum buffer;
	GaIntSum ints = {0, 0, 0};
	size_t n_bytes;

	if (!is_float(check->type))
	{
		ga_partial_merge_int(&ints, check->ints.n, partial);
		return memcmp(&ints, &check->ints, sizeof(ints)) == 0;
	}
	if (ga_partial_merge(ga_full_sum_init(&buffer), sum->n, partial, full) !=
		GA_OK)
		return false;
	n_bytes = ga_exact_sum_serialize(sum, expected);
	return ga_exact_sum_serialize(ga_full_sum(&buffer), found) == n_bytes &&
		   memcmp(expected, found, n_bytes) == 0;
}

/* Bits of the result that a sum has, whatever its type. */
static uint64_t
round_sum(GaElementType type, const GaExactSum *floats, const GaIntSum *ints)
{
	double float8 = NAN;
	float float4 = NAN;
	uint32_t bits;

	if (!is_float(type))
		return ints->low;
	if (type == GA_float8)
	{
		(void) ga_exact_sum_float8(floats, &float8);
		return ga_float8_bits(float8);
	}
	(void) ga_exact_sum_float4(floats, &float4);
	memcpy(&bits, &float4, sizeof(bits));
	return bits;
}

/* What was added, rounded to its type; integers modulo 2^64. */
uint64_t
bench_check_round(const BenchCheck *check)
{
	return round_sum(check->type, (const GaExactSum *) check->floats.bytes,
					 &check->ints);
}

/* The same of a device's sum of n elements, 0 if there is none. */
uint64_t
bench_round(GaElementType type, int64_t n, const GaPartialSum *partial,
			const GaFullRecord *full)
{
	GaFullSum buffer;
	GaExactSum *sum = ga_full_sum_init(&buffer);
	GaIntSum ints = {0, 0, 0};

	if (!is_float(type))
		ga_partial_merge_int(&ints, n, partial);
	else if (ga_partial_merge(sum, n, partial, full) != GA_OK)
		return 0;
	return round_sum(type, sum, &ints);
}

/* A digest of all that is in a sum of floats (FNV-1a). */
static uint64_t
digest_sum(const GaExactSum *sum)
{
	uint8_t bytes[GA_EXACT_SUM_MAX_BYTES];
	size_t n_bytes = ga_exact_sum_serialize(sum, bytes);
	uint64_t digest = UINT64_C(0xcbf29ce484222325);
	size_t i;

	for (i = 0; i < n_bytes; i++)
		digest = (digest ^ bytes[i]) * UINT64_C(0x100000001b3);
	return digest;
}

/* Of what was added. */
uint64_t
bench_check_digest(const BenchCheck *check)
{
	return digest_sum((const GaExactSum *) check->floats.bytes);
}

/* Of a device's sum of n floats, 0 if there is none. */
uint64_t
bench_digest_sum(int64_t n, const GaPartialSum *partial,
				 const GaFullRecord *full)
{
	GaFullSum buffer;

	if (ga_partial_merge(ga_full_sum_init(&buffer), n, partial, full) != GA_OK)
		return 0;
	return digest_sum(ga_full_sum(&buffer));
}

/* How far CUB's sums of n floats may be off, which are of about 1 each. */
double
bench_tolerance(GaElementType type, size_t n)
{
	return (double) n * (type == GA_float4 ? 1e-6 : 1e-13);
}

/*
 * Is that near the sum of what was added?  A sum of CUB's has the bits of the
 * result's type.
 */
bool
bench_check_near(const BenchCheck *check, const void *sum)
{
	const GaExactSum *floats = (const GaExactSum *) check->floats.bytes;
	double expected = NAN;
	double found;
	float float4;

	if (!is_float(check->type))
		return memcmp(sum, &check->ints.low, sizeof(check->ints.low)) == 0;
	(void) ga_exact_sum_float8(floats, &expected);
	memcpy(&float4, sum, sizeof(float4));
	memcpy(&found, sum, sizeof(found));
	if (check->type == GA_float4)
		found = float4;
	return fabs(found - expected) <=
		   bench_tolerance(check->type, (size_t) floats->n);
}
