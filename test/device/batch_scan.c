/*
 * batch_scan.c
 *		Whether a device's running totals of a batch are right.
 *
 * Memory for totals is poisoned, so that no byte between them is written.
 */
#include <math.h>
#include <stdlib.h>

#include "batch.h"
#include "running.h"
#include "sums.h"
#include "tap.h"

#define POISON 0xa5

/* Compute what the totals of an array must be; returns how many there are. */
static size_t
expect_ints(const Batch *batch, const BatchArray *array, char *to)
{
	const char *from = batch->image + array->at;
	const GaIntSum *before = array->before;
	GaInt128 total = before ? ga_int_sum_total(before) : 0;
	bool is_wide = batch->totals == GA_TOTALS_INT128;
	size_t i;

	for (i = 0; i < array->n; i++)
	{
		GaInt128 next = total + element_int(batch->type, from, i);
		GaInt128 value = batch->exclusive ? total : next;
		int64_t narrow = (int64_t) value;

		if (!is_wide && next != (int64_t) next)
			break;
		memcpy(to + i * (is_wide ? 16 : 8),
			   is_wide ? (const void *) &value : &narrow, is_wide ? 16 : 8);
		total = next;
	}
	return i;
}

static size_t
engine_scan(GaElementType type, GaExactSum *sum, const char *from, size_t n,
			void *to)
{
	return type == GA_float8 ? ga_cpu_baseline.scan_float8(sum, from, n, to) :
							   ga_cpu_baseline.scan_float4(sum, from, n, to);
}

/*
 * The same for floats.  Exclusive totals are the inclusive ones, moved on by
 * one place.
 */
static size_t
expect_floats(const Batch *batch, const BatchArray *array, char *to)
{
	const FloatType *type = element_float_type(batch->type);
	GaFullSum full;
	GaExactSum *sum = ga_full_sum_init(&full);
	double first = 0;
	size_t n_totals;

	if (array->before)
		ga_exact_sum_copy(sum, GA_MAX_CELLS, array->before);
	if (sum->n > 0)
		(void) sum_result(sum, type, &first);
	n_totals =
		engine_scan(batch->type, sum, batch->image + array->at, array->n, to);
	if (batch->exclusive && array->n > 0)
	{
		memmove(to + type->size, to, (array->n - 1) * type->size);
		elements_put(batch->type, &first, 1, to);
		if (isnan(first))
			memcpy(
				to,
				type->size == 8 ?
					(const void *) &(const uint64_t){UINT64_C(0x7ff8) << 48} :
					&(const uint32_t){UINT32_C(0x7fc00000)},
				type->size);
	}
	return n_totals;
}

/*
 * What the totals of an array must be, in room for them and for those of all
 * that n_before counts; returns how many there are.  A piece has the totals
 * that the whole has there.
 */
size_t
batch_expect(const Batch *batch, uint32_t i, char *to)
{
	BatchArray array = batch->arrays[i];
	size_t size = batch_total_size(batch);
	size_t n;

	if (array.n_before > 0)
	{
		array.at -= array.n_before * ga_element_size(batch->type);
		array.n += array.n_before;
		array.before = NULL;
	}
	n = ga_element_is_float(batch->type) ? expect_floats(batch, &array, to) :
										   expect_ints(batch, &array, to);
	n = n < array.n_before ? 0 : n - array.n_before;
	memmove(to, to + array.n_before * size, batch->arrays[i].n * size);
	return n;
}

/* Is the total of what came before beyond the type, so that it is no output? */
static bool
before_overflows(const Batch *batch, const BatchArray *array)
{
	double wide;
	int64_t narrow;

	if (array->before == NULL || batch->totals == GA_TOTALS_INT128)
		return false;
	if (ga_element_is_float(batch->type))
		return sum_result(array->before, element_float_type(batch->type),
						  &wide) != GA_OK;
	return ga_int_sum_int8(array->before, &narrow) != GA_OK;
}

/* MPFR's numbers for what came before. */
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

/* Are the first totals what MPFR makes of the elements? */
static void
check_mpfr(const Batch *batch, const BatchArray *array, const char *out,
		   size_t n_totals)
{
	const FloatType *type = element_float_type(batch->type);
	double *x = malloc((2 * array->n + 1) * sizeof(double));
	double *totals = x + array->n;
	Running running;
	size_t i;

	elements_get(batch->type, batch->image + array->at, array->n, x);
	elements_get(batch->type, out, n_totals, totals);
	running_before(&running, array->before);
	for (i = 0; i < array->n; i++)
	{
		double must = 0;
		GaStatus status = running_total(&running, type, &must);

		if (batch->exclusive && i < n_totals && status == GA_OK)
			tap_check(same_result(GA_OK, totals[i], GA_OK, must),
					  "%s, %zu of %s: exclusive total %zu is %a, by MPFR %a",
					  type->name, array->n, array->name, i, totals[i], must);
		running_add(&running, x[i]);
		status = running_total(&running, type, &must);
		if (status != GA_OK)
			break;
		if (!batch->exclusive && i < n_totals)
			tap_check(same_result(GA_OK, totals[i], GA_OK, must),
					  "%s, %zu of %s: total %zu is %a, by MPFR %a", type->name,
					  array->n, array->name, i, totals[i], must);
	}
	tap_check(i == n_totals, "%s, %zu of %s: %zu totals, by MPFR %zu",
			  type->name, array->n, array->name, n_totals, i);
	running_clear(&running);
	free(x);
}

/* The first total that differs; n if none. */
static size_t
first_difference(const char *a, const char *b, size_t size, size_t from,
				 size_t n)
{
	size_t i = from;

	if (n <= from ||
		memcmp(a + from * size, b + from * size, (n - from) * size) == 0)
		return n;
	while (memcmp(a + i * size, b + i * size, size) == 0)
		i++;
	return i;
}

/* Are these the totals of an array, of which there are so many? */
static void
check_totals(const Batch *batch, uint32_t i, const char *out, size_t n_totals)
{
	const BatchArray *array = &batch->arrays[i];
	size_t size = batch_total_size(batch);
	char *must = malloc((array->n_before + array->n + 1) * size);
	size_t n = batch_expect(batch, i, must);
	size_t from = batch->exclusive && before_overflows(batch, array);
	size_t at;

	tap_check(n_totals == n,
			  "%s%s, array %u, %zu of %s%s: %zu totals, must "
			  "be %zu",
			  ga_element_name(batch->type),
			  batch->exclusive ? " exclusive" : "", (unsigned) i, array->n,
			  array->name, array->before ? " and some before" : "", n_totals,
			  n);
	n = n < n_totals ? n : n_totals;
	at = first_difference(out, must, size, from, n);
	tap_check(
		at == n,
		"%s%s, array %u, %zu of %s%s: total %zu is %llx, must "
		"be %llx",
		ga_element_name(batch->type), batch->exclusive ? " exclusive" : "",
		(unsigned) i, array->n, array->name,
		array->before ? " and some before" : "", at,
		(unsigned long long) (size == 4 ? *(uint32_t *) (out + at * 4) :
										  *(uint64_t *) (out + at * size)),
		(unsigned long long) (size == 4 ? *(uint32_t *) (must + at * 4) :
										  *(uint64_t *) (must + at * size)));
	if (batch_wants_mpfr(batch, i))
		check_mpfr(batch, array, out, n);
	free(must);
}

/* Was nothing written from there to here? */
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

typedef struct Scan
{
	const Batch *batch;
	GaScanArray *arrays;
	GaScanResult *results;
	uint32_t *list; /* the arrays that the request is for */
	char *out;		/* the memory for totals, afterwards */
	size_t out_bytes;
	uint32_t n_refused;
} Scan;

/* Let the device scan the n arrays of the list. */
static uint32_t
run_listed(Rig *rig, Scan *scan, uint32_t n, GaFullRecord *wide,
		   uint32_t full_capacity)
{
	const Batch *batch = scan->batch;
	GaDeviceAddress in = rig_memory(rig, RIG_IN, batch->n_bytes);
	GaDeviceAddress out = rig_memory(rig, RIG_OUT, scan->out_bytes);
	GaScanRequest request = {.type = batch->type,
							 .totals = batch->totals,
							 .exclusive = batch->exclusive,
							 .n_arrays = n,
							 .arrays = scan->arrays,
							 .results = scan->results,
							 .full = wide,
							 .full_capacity = full_capacity};
	uint32_t i;

	for (i = 0; i < n; i++)
	{
		const BatchArray *array = &batch->arrays[scan->list[i]];

		scan->arrays[i].in = in + array->at;
		scan->arrays[i].out = out + array->out_at;
		scan->arrays[i].n = array->n;
		scan->arrays[i].before = array->before;
		if (batch->hints != NULL)
			scan->arrays[i].hint = batch->hints[scan->list[i]];
	}
	memset(scan->results, 0xa5, n * sizeof(*scan->results));
	memset(scan->out, POISON, scan->out_bytes);
	rig_copy_in(rig, out, scan->out, scan->out_bytes);
	rig_scan(rig, &request);
	rig_copy_out(rig, scan->out, out, scan->out_bytes);
	for (i = 0; i < n && batch->hints != NULL; i++)
		batch->hints[scan->list[i]] = scan->results[i].hint;
	scan->n_refused += request.n_refused;
	return request.n_full;
}

/*
 * Scan the n arrays of the list and check all there is to check.  Leaves those
 * in the list for whose sum there was no room.
 */
static uint32_t
check_listed(Rig *rig, Scan *scan, uint32_t n, uint32_t full_capacity)
{
	const Batch *batch = scan->batch;
	GaFullRecord *wide = malloc((full_capacity + 1) * sizeof(*wide));
	uint32_t n_full = run_listed(rig, scan, n, wide, full_capacity);
	uint32_t n_left = 0;
	size_t end = 0;
	uint32_t i;

	for (i = 0; i < n; i++)
	{
		uint32_t which = scan->list[i];
		const BatchArray *array = &batch->arrays[which];
		const GaScanResult *result = &scan->results[i];

		check_poison(scan->out, end, array->out_at, i);
		check_totals(batch, which, scan->out + array->out_at, result->n_totals);
		end = array->out_at + array->n * batch_total_size(batch);
		if (result->n_totals != array->n)
			continue;
		if (result->sum.kind == GA_PARTIAL_NO_CAPACITY)
			scan->list[n_left++] = which;
		else
			batch_check_sum(batch, which, &result->sum, wide);
	}
	check_poison(scan->out, end, scan->out_bytes, n);
	tap_check(n_left == (n_full > full_capacity ? n_full - full_capacity : 0),
			  "%u sums without room, %u wide, room for %u", (unsigned) n_left,
			  (unsigned) n_full, (unsigned) full_capacity);
	free(wide);
	return n_left;
}

/* The sums of what came before, as they should still be. */
static char *
copy_before(const Batch *batch)
{
	size_t n_bytes = 0;
	size_t at = 0;
	char *copy;
	uint32_t i;

	for (i = 0; i < batch->n_arrays; i++)
		n_bytes += batch->arrays[i].before_bytes;
	copy = malloc(n_bytes + 1);
	for (i = 0; i < batch->n_arrays; i++)
	{
		const BatchArray *array = &batch->arrays[i];

		if (array->before == NULL)
			continue;
		memcpy(copy + at, array->before, array->before_bytes);
		at += array->before_bytes;
	}
	return copy;
}

static void
check_before(const Batch *batch, const char *copy)
{
	size_t at = 0;
	uint32_t i;

	for (i = 0; i < batch->n_arrays; i++)
	{
		const BatchArray *array = &batch->arrays[i];

		if (array->before == NULL)
			continue;
		tap_check(memcmp(copy + at, array->before, array->before_bytes) == 0,
				  "what came before array %u has changed", (unsigned) i);
		at += array->before_bytes;
	}
}

uint32_t
batch_check_scans(Rig *rig, const Batch *batch)
{
	uint32_t n = batch->n_arrays;
	char *before = copy_before(batch);
	Scan scan = {.batch = batch};
	uint32_t i;

	scan.out_bytes = batch->out_bytes + BATCH_ALIGNMENT;
	scan.out = malloc(scan.out_bytes);
	scan.arrays = calloc(n + 1, sizeof(*scan.arrays));
	scan.results = malloc((n + 1) * sizeof(*scan.results));
	scan.list = malloc((n + 1) * sizeof(*scan.list));
	for (i = 0; i < n; i++)
		scan.list[i] = i;
	batch_copy_in(rig, batch);
	n = check_listed(rig, &scan, n, n / 8 + 1);
	if (n > 0)
		n = check_listed(rig, &scan, n, n);
	tap_check(n == 0, "%u sums without room, asked again", (unsigned) n);
	check_before(batch, before);
	free(before);
	free(scan.out);
	free(scan.arrays);
	free(scan.results);
	free(scan.list);
	return scan.n_refused;
}
