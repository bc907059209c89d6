/*
 * sums.c
 *		Exact sums on the heap that grow as a caller would let them grow.
 *
 * A sum has no more memory than its capacity asks for, so that the address
 * sanitizer sees what goes beyond.  Without it, guard bytes show that.
 */
#include <math.h>
#include <stdlib.h>

#include "sums.h"
#include "tap.h"

#if defined(__SANITIZE_ADDRESS__)
#define GUARD_BYTES 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GUARD_BYTES 0
#endif
#endif
#ifndef GUARD_BYTES
#define GUARD_BYTES 16
#endif

#define GARBAGE 0xa5

/* Allocate memory for a sum, filled with garbage. */
static GaExactSum *
allocate_sum(int capacity)
{
	size_t size = GA_EXACT_SUM_SIZE(capacity) + GUARD_BYTES;
	GaExactSum *sum = malloc(size);

	memset(sum, GARBAGE, size);
	return sum;
}

GaExactSum *
sum_new(int capacity)
{
	GaExactSum *sum = allocate_sum(capacity);

	ga_exact_sum_init(sum, capacity);
	sum_check(sum);
	return sum;
}

void
sum_free(GaExactSum *sum)
{
	sum_check(sum);
	free(sum);
}

void
sum_check(const GaExactSum *sum)
{
	const unsigned char *guard =
		(const unsigned char *) sum + GA_EXACT_SUM_SIZE(sum->capacity);
	int i;

	tap_check(ga_exact_sum_is_valid(sum), "the sum is not valid");
	for (i = 0; i < GUARD_BYTES; i++)
		tap_check(guard[i] == GARBAGE, "written beyond a capacity of %d",
				  sum->capacity);
}

/* Move the sum to the next larger capacity, away from where it was. */
void
sum_grow(GaExactSum **sum)
{
	int capacity = ga_exact_sum_larger(*sum);
	GaExactSum *larger = allocate_sum(capacity);

	tap_check(capacity > (*sum)->capacity,
			  "no capacity in %d cells, but %d are "
			  "the next larger capacity",
			  (*sum)->capacity, capacity);
	ga_exact_sum_copy(larger, capacity, *sum);
	tap_check(same_sums(larger, *sum), "a copy has other bytes");
	sum_free(*sum);
	*sum = larger;
	sum_check(larger);
}

/*
 * Grow a sum after GA_NO_CAPACITY, which must not have changed what it is.  It
 * may have moved carries from cell to cell.
 */
static void
grow_unchanged(GaExactSum **sum, GaStatus status, const GaExactSum *before)
{
	tap_check(status == GA_NO_CAPACITY, "status %d", status);
	tap_check(same_sums(*sum, before),
			  "GA_NO_CAPACITY, but the sum has changed");
	sum_grow(sum);
}

typedef enum Operation
{
	ADD,
	REMOVE,
	MERGE,
	UNMERGE
} Operation;

/* Apply an operation to a sum, whose capacity grows until it suffices. */
static void
apply(GaExactSum **sum, Operation operation, double x, const GaExactSum *other)
{
	for (;;)
	{
		GaFullSum full;
		GaExactSum *before = ga_full_sum(&full);
		GaStatus status;

		ga_exact_sum_copy(before, GA_MAX_CELLS, *sum);
		status = operation == ADD	 ? ga_exact_sum_add(*sum, x) :
				 operation == REMOVE ? ga_exact_sum_remove(*sum, x) :
				 operation == MERGE	 ? ga_exact_sum_merge(*sum, other) :
									   ga_exact_sum_unmerge(*sum, other);
		sum_check(*sum);
		if (status == GA_OK || (*sum)->capacity == GA_MAX_CELLS)
		{
			tap_check(status == GA_OK, "status %d with full capacity", status);
			return;
		}
		grow_unchanged(sum, status, before);
	}
}

void
sum_add(GaExactSum **sum, double x)
{
	apply(sum, ADD, x, NULL);
}

void
sum_remove(GaExactSum **sum, double x)
{
	apply(sum, REMOVE, x, NULL);
}

void
sum_merge(GaExactSum **sum, const GaExactSum *other)
{
	apply(sum, MERGE, 0, other);
}

void
sum_unmerge(GaExactSum **sum, const GaExactSum *other)
{
	apply(sum, UNMERGE, 0, other);
}

/* Add all of x, checking only at the end. */
void
sum_add_all(GaExactSum **sum, const double *x, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
	{
		while (ga_exact_sum_add(*sum, x[i]) != GA_OK)
			sum_grow(sum);
	}
	sum_check(*sum);
}

GaExactSum *
sum_of(const double *x, size_t n)
{
	GaExactSum *sum = sum_new(GA_MAX_CELLS);

	sum_add_all(&sum, x, n);
	return sum;
}

/* Add a run of elements of the type with an engine, as its callers do. */
void
sum_add_run(GaExactSum **sum, const GaCpuEngine *engine, const FloatType *type,
			const void *data, size_t n)
{
	size_t done = 0;
	bool is_full = false;

	for (;;)
	{
		const char *from = (const char *) data + done * type->size;
		size_t added = type->size == 4 ?
						   engine->sum_float4(*sum, from, n - done) :
						   engine->sum_float8(*sum, from, n - done);

		sum_check(*sum);
		tap_check(added <= n - done, "%zu of %zu added", added, n - done);
		done += added;
		if (done >= n || is_full)
			break;
		sum_grow(sum);
		is_full = (*sum)->capacity == GA_MAX_CELLS;
	}
	tap_check(done == n, "%zu of %zu added with full capacity", done, n);
}

void
sum_bytes(const GaExactSum *sum, SumBytes *to)
{
	to->n = ga_exact_sum_serialize(sum, to->bytes);
}

bool
same_bytes(const SumBytes *a, const SumBytes *b)
{
	return a->n == b->n && memcmp(a->bytes, b->bytes, a->n) == 0;
}

bool
same_sums(const GaExactSum *a, const GaExactSum *b)
{
	SumBytes bytes_a, bytes_b;

	sum_bytes(a, &bytes_a);
	sum_bytes(b, &bytes_b);
	return same_bytes(&bytes_a, &bytes_b);
}

GaStatus
sum_result(const GaExactSum *sum, const FloatType *type, double *result)
{
	float narrow;
	GaStatus status;

	if (type->size == 8)
		return ga_exact_sum_float8(sum, result);
	status = ga_exact_sum_float4(sum, &narrow);
	if (status == GA_OK)
		*result = narrow;
	return status;
}

/* Are they the same error, or the same bits, or both NaN? */
bool
same_result(GaStatus status_a, double a, GaStatus status_b, double b)
{
	if (status_a != GA_OK || status_b != GA_OK)
		return status_a == status_b;
	if (isnan(a) || isnan(b))
		return isnan(a) && isnan(b);
	return memcmp(&a, &b, sizeof(a)) == 0;
}
