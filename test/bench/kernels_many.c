/*
 * kernels_many.c
 *		Rows of `make bench-kernels` about many arrays in one request.
 *
 * The arrays lie one after the other, and are compared with one array that is
 * all of them: once in time of the device, and once from submit to all results
 * on the host, which takes in what describes the arrays and the results.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

typedef struct Many
{
	bool by_wall;
	uint32_t n_arrays;
	uint64_t n; /* elements of all */
	uint64_t *lengths;
	uint64_t *expected; /* digests of the exact sums */
	GaDeviceArray *arrays;
	GaPartialSum *sums;
	GaPartialSum *right; /* sums that were right */
	GaFullRecord full[BENCH_FULL_CAPACITY];
} Many;

/* There is no return without memory. */
static void *
take(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (p == NULL)
		abort();
	return p;
}

/* Arrays of low to high elements, packed. */
static Many *
many_new(uint32_t n_arrays, uint32_t low, uint32_t high)
{
	Many *many = take(1, sizeof(*many));
	uint64_t random = n_arrays;
	uint32_t i;

	many->n_arrays = n_arrays;
	many->lengths = take(n_arrays, sizeof(*many->lengths));
	many->expected = take(n_arrays, sizeof(*many->expected));
	many->arrays = take(n_arrays, sizeof(*many->arrays));
	many->sums = take(n_arrays, sizeof(*many->sums));
	many->right = take(n_arrays, sizeof(*many->right));
	for (i = 0; i < n_arrays; i++)
	{
		GaDeviceAddress offset = many->n * sizeof(double);

		random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
		many->lengths[i] = low + (random >> 33) % (high - low + 1);
		many->arrays[i] = (GaDeviceArray){bench.in + offset, many->lengths[i]};
		many->n += many->lengths[i];
	}
	return many;
}

static void
many_free(Many *many)
{
	free(many->lengths);
	free(many->expected);
	free(many->arrays);
	free(many->sums);
	free(many->right);
	free(many);
}

/* The arrays from i on that fit in a chunk: up to which one, and elements. */
static uint32_t
next_chunk(const Many *many, uint32_t i, uint64_t *n)
{
	for (*n = 0; i < many->n_arrays; i++)
	{
		if ((*n + many->lengths[i]) * sizeof(double) > BENCH_CHUNK_BYTES)
			break;
		*n += many->lengths[i];
	}
	return i;
}

/* Have the CPU sum all arrays: what our sums have to be. */
static void
ask_cpu(Many *many)
{
	BenchCheck *check = bench_check_new(GA_float8);
	uint64_t done = 0;
	uint64_t n;
	uint32_t i = 0;

	while (i < many->n_arrays)
	{
		uint32_t end = next_chunk(many, i, &n);
		const double *in = bench.chunk_in;

		bench_copy_to_host(bench.chunk_in, bench.in + done * sizeof(double),
						   n * sizeof(double));
		for (; i < end; i++)
		{
			bench_check_reset(check);
			bench_check_add(check, in, many->lengths[i]);
			many->expected[i] = bench_check_digest(check);
			in += many->lengths[i];
		}
		done += n;
	}
	bench_check_free(check);
}

/* Right before a request is submitted; returns when. */
static double
start(const Many *many)
{
	bench.kind->measure(bench.queue, !many->by_wall);
	bench_cool();
	if (!many->by_wall)
		bench_submit_lead();
	return bench_now_ms();
}

/* Is this the sum of array i, to the last bit? */
static bool
is_sum(const Many *many, uint32_t i, const GaPartialSum *sum)
{
	return bench_digest_sum((int64_t) many->lengths[i], sum, many->full) ==
		   many->expected[i];
}

/* Sums that are the same as right ones need no other look. */
static bool
are_sums_right(Many *many, uint32_t n_full)
{
	const size_t n_bytes = many->n_arrays * sizeof(*many->sums);
	uint32_t i;

	if (n_full == 0 && memcmp(many->sums, many->right, n_bytes) == 0)
		return true;
	for (i = 0; i < many->n_arrays; i++)
	{
		if (!is_sum(many, i, many->sums + i))
			return false;
	}
	memcpy(many->right, many->sums, n_bytes);
	return true;
}

static double
sum_many(void *arg)
{
	Many *many = arg;
	GaSumRequest request = {.type = GA_float8,
							.n_arrays = many->n_arrays,
							.arrays = many->arrays,
							.results = many->sums,
							.full = many->full,
							.full_capacity = BENCH_FULL_CAPACITY,
							.device_ms = -1};
	double ms;

	memset(many->sums, 0xa5, many->n_arrays * sizeof(*many->sums));
	ms = start(many);
	DEVICE(bench.kind->sum(bench.queue, &request, &bench.failure));
	DEVICE(bench.kind->wait(bench.queue, &bench.failure));
	ms = many->by_wall ? bench_now_ms() - ms : request.device_ms;

	if (!are_sums_right(many, request.n_full))
		bench_wrong("the sum of one of many arrays");
	else if (!(ms > 0))
		bench_wrong("the time is not positive");
	else
		return ms;
	return -1;
}

/* One row, of those whose arrays are in the set. */
static void
many_row(BenchRow *row, Many *many, BenchSet *set, bool by_wall)
{
	BenchJob one = {.set = set, .n = many->n, .by_wall = by_wall};

	if (set->n == 0)
	{
		bench_set_use(set, GA_float8, BENCH_UNIFORM, many->n);
		ask_cpu(many);
	}
	many->by_wall = by_wall;
	memset(many->right, 0, many->n_arrays * sizeof(*many->right));
	row->n = many->n;
	row->n_bytes = many->n * sizeof(double);
	row->n_sides = 2;
	row->sides[0] = (BenchSide){"ours", sum_many, many};
	row->sides[1] = (BenchSide){"one array", bench_our_sum, &one};
	(void) bench_row(row);
}

static void
many_rows(uint32_t n_arrays, uint32_t low, uint32_t high)
{
	static const char *const names[] = {"many-sum", "many-sum-wall"};
	Many *many = many_new(n_arrays, low, high);
	BenchSet set = {.at = bench.in};
	BenchRow row;
	int i;

	for (i = 0; i < 2; i++)
	{
		if (!bench_wants(&row, "%s/%u", names[i], (unsigned) n_arrays))
			continue;
		if (many->n * sizeof(double) > bench.buffer_bytes)
			fprintf(stderr, "kernels: no memory for %s\n", row.name);
		else
			many_row(&row, many, &set, i == 1);
	}
	bench_set_clear(&set, 0);
	many_free(many);
}

void
bench_many_rows(void)
{
	many_rows(10000, 1000, 10000);
	many_rows(1000000, 100, 100);
}
