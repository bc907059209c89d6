/*
 * array_set_elem.c
 *		Checks of a device's sums of a set by position.
 *
 * The first n_arrays entries of a set are the first piece of all arrays, and so
 * on.  A column is the elements of one position.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "array_set.h"
#include "device/device_check.h"
#include "sums.h"
#include "tap.h"

/*
 * Bits from the lowest one of the elements to the highest one of their sum that
 * a device must not refuse: digits of 32 bits, not aligned to the bits, fill
 * five of six in the emulated device's records.
 */
#define EMULATED_SPAN 127
#define CUDA_SPAN	  155

void
array_set_add_piece(ArraySet *set, uint32_t n_arrays, size_t n, int offset)
{
	uint32_t r;

	for (r = 0; r < n_arrays; r++)
		array_set_add(set, "", n, offset, ARRAY_SET_PACKED);
}

static char *
element(const ArraySet *set, uint32_t entry, size_t position)
{
	return (char *) array_set_elements(set, entry) +
		   position * ga_element_size(set->type);
}

void
array_set_put_column(ArraySet *set, uint32_t n_arrays, uint32_t piece,
					 size_t position, const void *column)
{
	const size_t size = ga_element_size(set->type);
	uint32_t r;

	for (r = 0; r < n_arrays; r++)
		memcpy(element(set, piece * n_arrays + r, position),
			   (const char *) column + r * size, size);
}

void
array_set_fill_columns(ArraySet *set, Rng *rng, uint32_t n_arrays)
{
	void *column = malloc(n_arrays * sizeof(int64_t));
	uint32_t p;
	size_t i;

	for (p = 0; p < set->n_arrays / n_arrays; p++)
	{
		for (i = 0; i < set->arrays[p * n_arrays].n; i++)
		{
			elements_fill(set->type, rng, n_arrays, column);
			array_set_put_column(set, n_arrays, p, i, column);
		}
	}
	free(column);
}

/* May a device refuse these elements? */
static bool
may_refuse(GaElementType type, const void *column, uint32_t n)
{
	const int most = fixture_is_emulated() ? EMULATED_SPAN : CUDA_SPAN;
	int high = INT32_MIN / 2;
	int low = INT32_MAX / 2;
	uint32_t i;

	for (i = 0; i < n; i++)
	{
		int e;
		double x;

		elements_get(type, (const char *) column + i * ga_element_size(type), 1,
					 &x);
		if (!isfinite(x))
			return true;
		if (x == 0)
			continue;
		x = frexp(x, &e);
		high = e > high ? e : high;
		e += ffsll((long long) ldexp(x, 53)) - 1 - 53;
		low = e < low ? e : low;
	}
	return high + (int) ceil(log2(n)) - low > most;
}

static void
check_float(const ArraySet *set, const char *what, const void *column,
			uint32_t n, const GaPartialSum *record)
{
	GaFullSum buffer;
	GaFullSum expected_buffer;
	GaExactSum *sum = ga_full_sum_init(&buffer);
	GaExactSum *expected = ga_full_sum_init(&expected_buffer);

	elements_sum_float(set->type, expected, column, n);
	tap_check(record->kind == GA_PARTIAL_COMPACT &&
				  ga_partial_is_float(record, n, NULL),
			  "%s: not a record of a float, kind %d, cell %d", what,
			  record->kind, record->first);
	tap_check(ga_partial_merge(sum, n, record, NULL) == GA_OK &&
				  same_sums(sum, expected),
			  "%s: the bytes of the sum differ; -0: %u, must be %lld", what,
			  (unsigned) record->n_neg_zero, (long long) expected->n_neg_zero);
}

static void
check_int(const ArraySet *set, const char *what, const void *column, uint32_t n,
		  const GaPartialSum *record)
{
	GaIntSum sum = {0};
	GaIntSum expected = {.n = n};

	elements_sum_int(set->type, &expected, column, n);
	expected.n = n;
	ga_partial_merge_int(&sum, n, record);
	tap_check(ga_partial_is_int(record, n) &&
				  ga_int_sum_total(&sum) == ga_int_sum_total(&expected),
			  "%s: the sum is %lld, must be %lld, kind %d", what,
			  (long long) sum.low, (long long) expected.low, record->kind);
}

/* Check the record of a column; returns whether it was refused. */
static bool
check_column(const ArraySet *set, const char *what, const void *column,
			 uint32_t n, const GaPartialSum *record)
{
	const bool is_float = ga_element_is_float(set->type);

	if (is_float && record->kind == GA_PARTIAL_REFUSED)
	{
		tap_check(may_refuse(set->type, column, n), "%s: refused", what);
		return true;
	}
	if (is_float)
		check_float(set, what, column, n, record);
	else
		check_int(set, what, column, n, record);
	return false;
}

/* Check the records of a piece; returns how many were refused. */
static uint32_t
check_piece(const ArraySet *set, uint32_t n_arrays, uint32_t piece,
			const GaPartialSum *records)
{
	const size_t size = ga_element_size(set->type);
	char *column = malloc(n_arrays * size);
	uint32_t n_refused = 0;
	char what[100];
	size_t i;
	uint32_t r;

	for (i = 0; i < set->arrays[piece * n_arrays].n; i++)
	{
		for (r = 0; r < n_arrays; r++)
			memcpy(column + r * size, element(set, piece * n_arrays + r, i),
				   size);
		snprintf(what, sizeof(what), "%u arrays of %s, piece %u, position %zu",
				 (unsigned) n_arrays, ga_element_name(set->type),
				 (unsigned) piece, i);
		n_refused += check_column(set, what, column, n_arrays, &records[i]);
	}
	free(column);
	return n_refused;
}

uint32_t
array_set_check_elem(Fixture *fixture, const ArraySet *set, uint32_t n_arrays)
{
	const uint32_t n_pieces = set->n_arrays / n_arrays;
	uint32_t *n_of = calloc(n_pieces + 1, sizeof(*n_of));
	GaDeviceAddress *arrays = calloc(set->n_arrays + 1, sizeof(*arrays));
	GaElemRequest request = {.type = set->type,
							 .n_arrays = n_arrays,
							 .n_pieces = n_pieces,
							 .n_of = n_of,
							 .arrays = arrays};
	const GaDeviceAddress image = array_set_copy_in(fixture, set);
	uint32_t n_refused = 0;
	GaPartialSum *records;
	uint64_t n;
	uint32_t i;

	for (i = 0; i < set->n_arrays; i++)
		arrays[i] = image + set->arrays[i].at;
	for (i = 0; i < n_pieces; i++)
		n_of[i] = (uint32_t) set->arrays[i * n_arrays].n;
	n = ga_elem_positions(&request);
	records = malloc((n + 1) * sizeof(*records));
	memset(records, 0xa5, (n + 1) * sizeof(*records));
	request.out =
		fixture_memory(fixture, FIXTURE_OUT, (n + 1) * sizeof(*records));
	fixture_copy_in(fixture, request.out, records, (n + 1) * sizeof(*records));
	fixture_elem(fixture, &request);
	fixture_copy_out(fixture, records, request.out, (n + 1) * sizeof(*records));
	for (i = 0, n = 0; i < n_pieces; n += n_of[i++])
		n_refused += check_piece(set, n_arrays, i, records + n);
	for (i = 0; i < sizeof(*records); i++)
		tap_check(((unsigned char *) &records[n])[i] == 0xa5,
				  "written behind the records");
	free(records);
	free(arrays);
	free(n_of);
	return n_refused;
}
