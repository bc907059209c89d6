/*
 * array_set_scan.c
 *		Check a device's running totals of the arrays of a set.
 *
 * Each array is a request of its own.  Memory for totals is poisoned, and what
 * lies between them must stay so.
 */
#include <math.h>
#include <stdlib.h>

#include "array_set.h"
#include "running.h"
#include "sums.h"
#include "tap.h"

#define POISON 0xa5

/* Compute the expected totals of integers; return how many there are. */
static size_t
expect_ints(const ArraySet *set, const ArraySetMember *array, char *to)
{
	const char *from = set->image + array->at;
	const GaIntSum *before = array->before;
	GaInt128 total = before ? ga_int_sum_total(before) : 0;
	bool is_int128 = set->totals == GA_TOTALS_INT128;
	size_t i;

	for (i = 0; i < array->n; i++)
	{
		int64_t narrow;

		total += element_int(set->type, from, i);
		narrow = (int64_t) total;
		if (!is_int128 && total != narrow)
			break;
		memcpy(to + i * (is_int128 ? 16 : 8),
			   is_int128 ? (const void *) &total : &narrow, is_int128 ? 16 : 8);
	}
	return i;
}

/* Compute the expected totals of floats; return how many there are. */
static size_t
expect_floats(const ArraySet *set, const ArraySetMember *array, char *to)
{
	const char *from = set->image + array->at;
	GaFullSum full;
	GaExactSum *sum = ga_full_sum_init(&full);

	if (array->before)
		ga_exact_sum_copy(sum, GA_MAX_CELLS, array->before);
	return set->type == GA_float8 ?
			   ga_cpu_baseline.scan_float8(sum, from, array->n, (void *) to) :
			   ga_cpu_baseline.scan_float4(sum, from, array->n, (void *) to);
}

/*
 * Compute the expected totals of an array, in memory for them and for those of
 * the n_before elements before it; return how many there are.  A segment has
 * the totals that the whole array has there.
 */
size_t
array_set_expect(const ArraySet *set, uint32_t i, char *to)
{
	ArraySetMember array = set->arrays[i];
	size_t size = array_set_total_size(set);
	size_t n;

	if (array.n_before > 0)
	{
		array.at -= array.n_before * ga_element_size(set->type);
		array.n += array.n_before;
		array.before = NULL;
	}
	n = ga_element_is_float(set->type) ? expect_floats(set, &array, to) :
										 expect_ints(set, &array, to);
	n = n < array.n_before ? 0 : n - array.n_before;
	memmove(to, to + array.n_before * size, set->arrays[i].n * size);
	return n;
}

/* Start MPFR's running total with a prefix, which may be NULL. */
static void
running_before(Running *running, const GaExactSum *before)
{
	mpfr_t cell;
	int i;

	running_init(running);
	if (before == NULL)
		return;
	mpfr_init2(cell, 64);
	for (i = 0; i < before->n_cells; i++)
	{
		mpfr_set_si_2exp(cell, before->cells[i],
						 GA_CELL_BITS * (before->first + i) - 1074, MPFR_RNDN);
		mpfr_add(running->total, running->total, cell, MPFR_RNDN);
	}
	mpfr_clear(cell);
	running->n = before->n;
	running->n_nan = before->n_nan;
	running->n_pos_inf = before->n_pos_inf;
	running->n_neg_inf = before->n_neg_inf;
	running->n_neg_zero = before->n_neg_zero;
}

/* Compare the first totals with those that MPFR makes of the elements. */
static void
check_mpfr(const ArraySet *set, const ArraySetMember *array, const char *out,
		   size_t n_totals)
{
	const FloatType *type = element_float_type(set->type);
	double *x = malloc((2 * array->n + 1) * sizeof(double));
	double *totals = x + array->n;
	Running running;
	size_t i;

	elements_get(set->type, set->image + array->at, array->n, x);
	elements_get(set->type, out, n_totals, totals);
	running_before(&running, array->before);
	for (i = 0; i < array->n; i++)
	{
		double must = 0;

		running_add(&running, x[i]);
		if (running_total(&running, type, &must) != GA_OK)
			break;
		if (i < n_totals)
			tap_check(same_result(GA_OK, totals[i], GA_OK, must),
					  "%s, %zu of %s: total %zu is %a, by MPFR %a", type->name,
					  array->n, array->name, i, totals[i], must);
	}
	tap_check(i == n_totals, "%s, %zu of %s: %zu totals, by MPFR %zu",
			  type->name, array->n, array->name, n_totals, i);
	running_clear(&running);
	free(x);
}

/* Return the index of the first total that differs; n if none does. */
static size_t
first_difference(const char *a, const char *b, size_t size, size_t n)
{
	size_t i = 0;

	if (memcmp(a, b, n * size) == 0)
		return n;
	while (memcmp(a + i * size, b + i * size, size) == 0)
		i++;
	return i;
}

/* Check the totals of an array, of which the device made n_totals. */
static void
check_totals(const ArraySet *set, uint32_t i, const char *out, size_t n_totals)
{
	const ArraySetMember *array = &set->arrays[i];
	size_t size = array_set_total_size(set);
	char *must = malloc((array->n_before + array->n + 1) * size);
	size_t n = array_set_expect(set, i, must);
	size_t at;

	tap_check(n_totals == n,
			  "%s, array %u, %zu of %s%s: %zu totals, must "
			  "be %zu",
			  ga_element_name(set->type), (unsigned) i, array->n, array->name,
			  array->before ? " and some before" : "", n_totals, n);
	n = n < n_totals ? n : n_totals;
	at = first_difference(out, must, size, n);
	tap_check(
		at == n,
		"%s, array %u, %zu of %s%s: total %zu is %llx, must "
		"be %llx",
		ga_element_name(set->type), (unsigned) i, array->n, array->name,
		array->before ? " and some before" : "", at,
		(unsigned long long) (size == 4 ? *(uint32_t *) (out + at * 4) :
										  *(uint64_t *) (out + at * size)),
		(unsigned long long) (size == 4 ? *(uint32_t *) (must + at * 4) :
										  *(uint64_t *) (must + at * size)));
	if (array_set_wants_mpfr(set, i))
		check_mpfr(set, array, out, n);
	free(must);
}

/* Check that nothing was written between these places. */
static void
check_poison(const char *out, size_t from, size_t to, uint32_t i)
{
	size_t at;

	for (at = from; at < to; at++)
	{
		if ((unsigned char) out[at] != POISON)
			break;
	}
	tap_check(at == to,
			  "byte %zu of %zu before the totals of array %u was "
			  "written",
			  to - at, to - from, (unsigned) i);
}

/*
 * Is an array of a set among those that are scanned, by chance?  All are unless
 * the device is slow, or they have hints, which are for later.
 */
static bool
is_tried(const ArraySet *set, uint32_t i)
{
	const unsigned one_in = tap_one_in();

	return set->hints != NULL || set->n_arrays < 4 * one_in ||
		   (i * 2654435761u + set->n_arrays * 40503u) / 65536 % one_in == 0;
}

/*
 * Have the device scan each array that is tried; totals are in `out`, poison
 * between them.
 */
static void
run_all(Fixture *fixture, const ArraySet *set, GaScanRequest *requests,
		char *out, size_t out_bytes)
{
	GaDeviceAddress in = array_set_copy_in(fixture, set);
	GaDeviceAddress to = fixture_memory(fixture, FIXTURE_OUT, out_bytes);
	uint32_t i;

	memset(out, POISON, out_bytes);
	fixture_copy_in(fixture, to, out, out_bytes);
	for (i = 0; i < set->n_arrays; i++)
	{
		const ArraySetMember *array = &set->arrays[i];
		GaScanRequest *request = &requests[i];

		if (!is_tried(set, i))
			continue;
		memset(request, POISON, sizeof(*request));
		request->type = set->type;
		request->totals = set->totals;
		request->in = in + array->at;
		request->out = to + array->out_at;
		request->n = array->n;
		request->prefix = array->before;
		request->hint = set->hints ? set->hints[i] : (GaScanHint){0};
		fixture_scan(fixture, request);
		if (set->hints != NULL)
			set->hints[i] = request->next_hint;
	}
	fixture_copy_out(fixture, out, to, out_bytes);
}

/* Return copies of all prefixes, one behind the other. */
static char *
copy_before(const ArraySet *set)
{
	size_t n_bytes = 0;
	size_t at = 0;
	char *copy;
	uint32_t i;

	for (i = 0; i < set->n_arrays; i++)
		n_bytes += set->arrays[i].before_bytes;
	copy = malloc(n_bytes + 1);
	for (i = 0; i < set->n_arrays; i++)
	{
		const ArraySetMember *array = &set->arrays[i];

		if (array->before == NULL)
			continue;
		memcpy(copy + at, array->before, array->before_bytes);
		at += array->before_bytes;
	}
	return copy;
}

static void
check_before(const ArraySet *set, const char *copy)
{
	size_t at = 0;
	uint32_t i;

	for (i = 0; i < set->n_arrays; i++)
	{
		const ArraySetMember *array = &set->arrays[i];

		if (array->before == NULL)
			continue;
		tap_check(memcmp(copy + at, array->before, array->before_bytes) == 0,
				  "what came before array %u has changed", (unsigned) i);
		at += array->before_bytes;
	}
}

uint32_t
array_set_check_scans(Fixture *fixture, const ArraySet *set)
{
	char *before = copy_before(set);
	size_t out_bytes = set->out_bytes + ARRAY_SET_ALIGNMENT;
	char *out = malloc(out_bytes);
	GaScanRequest *requests = malloc((set->n_arrays + 1) * sizeof(*requests));
	uint32_t n_refused = 0;
	size_t end = 0;
	uint32_t i;

	run_all(fixture, set, requests, out, out_bytes);
	for (i = 0; i < set->n_arrays; i++)
	{
		const ArraySetMember *array = &set->arrays[i];
		const GaScanRequest *request = &requests[i];

		if (!is_tried(set, i))
			continue;
		check_poison(out, end, array->out_at, i);
		check_totals(set, i, out + array->out_at, request->n_totals);
		end = array->out_at + array->n * array_set_total_size(set);
		n_refused += request->n_refused;
		if (request->n_totals == array->n)
			array_set_check_sum(set, i, &request->sum, &request->full);
	}
	check_poison(out, end, out_bytes, i);
	check_before(set, before);
	free(before);
	free(out);
	free(requests);
	return n_refused;
}
