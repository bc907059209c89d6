/*
 * running_case.c
 *		An array of floats, what its running totals must be, and whether
 *		engines agree, bit by bit.
 *
 * After an overflow a scan goes on behind it: the sum has its element, and
 * later totals may well be in range.
 */
#include <math.h>
#include <stdlib.h>

#include "running.h"
#include "running_case.h"
#include "tap.h"

#define GARBAGE 0xa5 /* where no total has been written */

/* A total in the type's own format; the one NaN that results are. */
static void
put_total(const FloatType *type, double total, GaStatus status, char *to)
{
	static const uint64_t overflow = OVERFLOW_BITS;
	static const uint64_t nan8 = UINT64_C(0x7ff8000000000000);
	static const uint32_t nan4 = UINT32_C(0x7fc00000);
	float narrow;

	if (status != GA_OK)
		memcpy(to, &overflow, type->size);
	else if (isnan(total))
		memcpy(to, type->size == 8 ? (const void *) &nan8 : &nan4, type->size);
	else if (type->size == 8)
		memcpy(to, &total, sizeof(total));
	else
	{
		narrow = (float) total;
		memcpy(to, &narrow, sizeof(narrow));
	}
}

void
running_case_new(RunningCase *rc, const FloatType *type, const char *name,
				 const double *x, size_t n)
{
	Running running;
	size_t i;

	float_case_new(&rc->whole, type, name, x, n);
	rc->totals = malloc(n * type->size + 1);
	rc->any_overflow = false;
	running_init(&running);
	for (i = 0; i < n; i++)
	{
		double total;
		GaStatus status;

		running_add(&running, x[i]);
		status = running_total(&running, type, &total);
		put_total(type, total, status, rc->totals + i * type->size);
		rc->any_overflow |= status != GA_OK;
	}
	running_clear(&running);
}

void
running_case_free(RunningCase *rc)
{
	float_case_free(&rc->whole);
	free(rc->totals);
}

/* The bits of a total, or of an input. */
static uint64_t
bits_at(const FloatType *type, const char *from, size_t i)
{
	uint64_t bits;
	uint32_t word;

	if (type->size == 4)
	{
		memcpy(&word, from + i * sizeof(word), sizeof(word));
		return word;
	}
	memcpy(&bits, from + i * sizeof(bits), sizeof(bits));
	return bits;
}

static bool
is_overflow(const RunningCase *rc, size_t i)
{
	const FloatType *type = rc->whole.type;

	return rc->any_overflow &&
		   bits_at(type, rc->totals, i) ==
			   (type->size == 4 ? (uint32_t) OVERFLOW_BITS : OVERFLOW_BITS);
}

const GaCpuEngine *
random_engine(Rng *rng)
{
	const GaCpuEngine *engine;

	do
		engine = ga_cpu_engines[rng_below(rng, ga_cpu_n_engines)];
	while (!engine->is_supported());
	return engine;
}

static const char *
way_name(const ScanWay *way)
{
	return way->engine ? way->engine->name : "any engine";
}

/* What is in the sum before the scan: added one by one, or by an engine. */
static GaExactSum *
sum_before(const RunningCase *rc, const ScanWay *way)
{
	GaExactSum *sum = sum_new(GA_MAX_CELLS);

	if (way->parts && rng_chance(way->parts, 2))
		sum_add_run(&sum, random_engine(way->parts), rc->whole.type,
					rc->whole.data, way->n_before);
	else
		sum_add_all(&sum, rc->whole.x, way->n_before);
	return sum;
}

/* One call for n elements from `at` on; returns how many are in the sum. */
static size_t
scan_some(const RunningCase *rc, const ScanWay *way, GaExactSum *sum, size_t at,
		  size_t n)
{
	const GaCpuEngine *engine =
		way->engine ? way->engine : random_engine(way->parts);
	size_t size = rc->whole.type->size;
	const char *in = (const char *) way->in + at * size;
	char *out = (char *) way->out + at * size;
	size_t done = size == 8 ? engine->scan_float8(sum, in, n, (double *) out) :
							  engine->scan_float4(sum, in, n, (float *) out);
	size_t must = 0;

	sum_check(sum);
	while (must < n && !is_overflow(rc, at + must))
		must++;
	tap_check(done == must,
			  "%s: %s, %zu of %s from %zu on: %zu totals, must "
			  "be %zu",
			  engine->name, rc->whole.type->name, n, rc->whole.family, at, done,
			  must);
	return must < n ? must + 1 : n;
}

static void
scan_all(const RunningCase *rc, const ScanWay *way, GaExactSum *sum)
{
	size_t done = way->n_before;
	size_t most = way->n;

	if (way->parts)
		most = rng_chance(way->parts, 2) ? 40 : 3000;
	while (done < way->n)
	{
		size_t n = way->parts ? rng_below(way->parts, most) : way->n;

		n = n < way->n - done ? n : way->n - done;
		done += scan_some(rc, way, sum, done, n);
	}
}

/* Are all totals of the way what they must be, and is all else untouched? */
static void
check_totals(const RunningCase *rc, const ScanWay *way)
{
	const FloatType *type = rc->whole.type;
	const char *out = way->out;
	size_t from = way->n_before * type->size;
	size_t end = way->n * type->size;
	size_t i;

	for (i = 0; i < from; i++)
		tap_check((unsigned char) out[i] == GARBAGE,
				  "%s: a byte before the totals was written", way_name(way));
	tap_n_checks += (long) (way->n - way->n_before);
	if (end == from || memcmp(out + from, rc->totals + from, end - from) == 0)
		return;
	for (i = way->n_before; i < way->n; i++)
	{
		uint64_t is = bits_at(type, out, i);
		uint64_t must = bits_at(type, rc->totals, i);

		tap_check(is == must || is_overflow(rc, i),
				  "%s: %s, %zu of %s, %zu before%s: total %zu is %llx, must "
				  "be %llx",
				  way_name(way), type->name, way->n, rc->whole.family,
				  way->n_before, way->parts ? ", in parts" : "", i,
				  (unsigned long long) is, (unsigned long long) must);
	}
}

/*
 * Is the sum after the scan what it is after additions one by one?  A scan
 * counts -0 only as long as there is nothing else, all that a total can
 * depend on.
 */
static void
check_sum(const RunningCase *rc, const ScanWay *way, GaExactSum *sum)
{
	GaExactSum *expected = sum_of(rc->whole.x, way->n);

	tap_check(sum->n_neg_zero <= expected->n_neg_zero &&
				  (sum->n_neg_zero == sum->n) ==
					  (expected->n_neg_zero == expected->n),
			  "%s: %s, %zu of %s: %lld times -0, must be %lld", way_name(way),
			  rc->whole.type->name, way->n, rc->whole.family,
			  (long long) sum->n_neg_zero, (long long) expected->n_neg_zero);
	sum->n_neg_zero = expected->n_neg_zero;
	tap_check(same_sums(sum, expected),
			  "%s: %s, %zu of %s, %zu before%s: the "
			  "sum that is left differs",
			  way_name(way), rc->whole.type->name, way->n, rc->whole.family,
			  way->n_before, way->parts ? ", in parts" : "");
	sum_free(expected);
}

/* The last total is the sum. */
static void
check_last(const RunningCase *rc, const ScanWay *way, const GaExactSum *sum)
{
	const FloatType *type = rc->whole.type;
	double result = 0;
	GaStatus status = sum_result(sum, type, &result);
	uint64_t total;
	char bytes[8];

	if (way->n == way->n_before)
		return;
	put_total(type, result, status, bytes);
	total = bits_at(type, rc->totals, way->n - 1);
	tap_check(bits_at(type, bytes, 0) == total,
			  "%s: %s, %zu of %s: the sum is %llx, the last total %llx",
			  way_name(way), type->name, way->n, rc->whole.family,
			  (unsigned long long) bits_at(type, bytes, 0),
			  (unsigned long long) total);
}

void
running_case_check(const RunningCase *rc, const ScanWay *way)
{
	GaExactSum *sum = sum_before(rc, way);

	if (way->n > 0)
		memset(way->out, GARBAGE, way->n * rc->whole.type->size);
	scan_all(rc, way, sum);
	check_totals(rc, way);
	check_last(rc, way, sum);
	check_sum(rc, way, sum);
	sum_free(sum);
}

/* A call for all of it. */
static ScanWay
whole_way(const RunningCase *rc, size_t n)
{
	ScanWay way = {0};

	way.in = rc->whole.data;
	way.out = malloc(n * rc->whole.type->size + 1);
	way.n = n;
	return way;
}

void
running_case_check_all(const RunningCase *rc, size_t n, Rng *rng)
{
	ScanWay way = whole_way(rc, n);
	int i;

	for (i = 0; i < ga_cpu_n_engines; i++)
	{
		way.engine = ga_cpu_engines[i];
		if (way.engine->is_supported())
			running_case_check(rc, &way);
	}
	free(way.out);
	running_case_check_segments(rc, n, rng);
}

void
running_case_check_segments(const RunningCase *rc, size_t n, Rng *rng)
{
	ScanWay way = whole_way(rc, n);

	way.parts = rng;
	way.engine = rng_chance(rng, 2) ? random_engine(rng) : NULL;
	way.n_before = rng_chance(rng, 2) ? rng_below(rng, n + 1) : 0;
	running_case_check(rc, &way);
	free(way.out);
}

/* Nothing but n_bytes was written in guarded memory. */
static void
check_around(const Guarded *guarded, const char *at, size_t n_bytes)
{
	int i;

	for (i = 1; i <= 64 && at - i >= guarded->start; i++)
		tap_check((unsigned char) at[-i] == 0xff,
				  "written %d bytes before the totals", i);
	for (i = 0; i < 64 && at + n_bytes + i < guarded->end; i++)
		tap_check((unsigned char) at[n_bytes + i] == 0xff,
				  "written %d bytes behind the totals", i);
}

void
running_case_check_guarded(const RunningCase *rc, size_t n, Guarded *in,
						   Guarded *out, size_t offset)
{
	const FloatCase *fc = &rc->whole;
	size_t n_bytes = n * fc->type->size;
	ScanWay way = {0};
	int i;

	way.n = n;
	for (i = 0; i < ga_cpu_n_engines; i++)
	{
		if (!ga_cpu_engines[i]->is_supported())
			continue;
		way.engine = ga_cpu_engines[i];
		way.in = guarded_at_end(in, offset, fc->data, n_bytes);
		way.out = guarded_at_end(out, 0, fc->data, n_bytes);
		running_case_check(rc, &way);
		check_around(out, way.out, n_bytes);
		way.in = guarded_at_start(in, 0, fc->data, n_bytes);
		way.out = guarded_at_start(out, offset, fc->data, n_bytes);
		running_case_check(rc, &way);
		check_around(out, way.out, n_bytes);
	}
}

void
running_case_try(const FloatType *type, const char *name, const double *x,
				 size_t n, Rng *rng)
{
	RunningCase rc;

	running_case_new(&rc, type, name, x, n);
	running_case_check_all(&rc, n, rng);
	running_case_free(&rc);
}
