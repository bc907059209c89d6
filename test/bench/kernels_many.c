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
	bool was_checked; /* running totals, with this answer: */
	uint64_t digest;
	uint32_t n_arrays;
	uint64_t n; /* elements of all */
	uint64_t *lengths;
	uint64_t *expected; /* digests of the exact sums */
	GaDeviceArray *arrays;
	GaPartialSum *sums;
	void *right; /* sums or totals that were right */
	GaScanArray *scans;
	GaScanResult *totals;
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
	many->right = take(n_arrays, sizeof(GaScanResult));
	many->scans = take(n_arrays, sizeof(*many->scans));
	many->totals = take(n_arrays, sizeof(*many->totals));
	for (i = 0; i < n_arrays; i++)
	{
		GaDeviceAddress offset = many->n * sizeof(double);

		random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
		many->lengths[i] = low + (random >> 33) % (high - low + 1);
		many->arrays[i] = (GaDeviceArray){bench.in + offset, many->lengths[i]};
		many->scans[i] = (GaScanArray){.in = bench.in + offset,
									   .out = bench.out + offset,
									   .n = many->lengths[i]};
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
	free(many->scans);
	free(many->totals);
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

/*
 * What the CPU makes of all arrays: fills in what sums must be, or else
 * compares the running totals.  False if they differ.
 */
static bool
ask_cpu(Many *many, bool compare)
{
	BenchCheck *check = bench_check_new(GA_float8);
	bool is_right = true;
	uint64_t done = 0;
	uint64_t n;
	uint32_t i = 0;

	while (is_right && i < many->n_arrays)
	{
		uint32_t end = next_chunk(many, i, &n);
		const double *in = bench.chunk_in;
		const double *out = bench.chunk_out;

		bench_copy_to_host(bench.chunk_in, bench.in + done * sizeof(double),
						   n * sizeof(double));
		if (compare)
			bench_copy_to_host(bench.chunk_out,
							   bench.out + done * sizeof(double),
							   n * sizeof(double));
		for (; i < end && is_right; i++)
		{
			bench_check_reset(check);
			if (compare)
				is_right = bench_check_totals(check, in, many->lengths[i],
											  GA_TOTALS_PLAIN, out);
			else
			{
				bench_check_add(check, in, many->lengths[i]);
				many->expected[i] = bench_check_digest(check);
			}
			in += many->lengths[i];
			out += many->lengths[i];
		}
		done += n;
	}
	bench_check_free(check);
	return is_right;
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

/* Results that are the same as right ones need no other look. */
static bool
were_right(const Many *many, const void *results, size_t size, uint32_t n_full)
{
	return n_full == 0 &&
		   memcmp(results, many->right, many->n_arrays * size) == 0;
}

static bool
are_sums_right(Many *many, uint32_t n_full)
{
	size_t size = sizeof(*many->sums);
	uint32_t i;

	if (were_right(many, many->sums, size, n_full))
		return true;
	for (i = 0; i < many->n_arrays; i++)
	{
		if (!is_sum(many, i, many->sums + i))
			return false;
	}
	memcpy(many->right, many->sums, many->n_arrays * size);
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

/* Sums of pieces, and how many totals there are. */
static bool
are_counts_right(Many *many, uint32_t n_full)
{
	size_t size = sizeof(*many->totals);
	uint32_t i;

	if (were_right(many, many->totals, size, n_full))
		return true;
	for (i = 0; i < many->n_arrays; i++)
	{
		if (many->totals[i].n_totals != many->lengths[i] ||
			!is_sum(many, i, &many->totals[i].sum))
			return false;
	}
	memcpy(many->right, many->totals, many->n_arrays * size);
	return true;
}

/* The first answer is compared with the CPU's, the others with the first. */
static bool
are_totals_right(Many *many)
{
	uint64_t digest = bench_digest_of(bench.out, many->n * sizeof(double));

	if (!many->was_checked)
	{
		if (!ask_cpu(many, true))
			return false;
		many->was_checked = true;
		many->digest = digest;
	}
	return digest == many->digest;
}

static double
scan_many(void *arg)
{
	Many *many = arg;
	GaScanRequest request = {.type = GA_float8,
							 .n_arrays = many->n_arrays,
							 .arrays = many->scans,
							 .results = many->totals,
							 .full = many->full,
							 .full_capacity = BENCH_FULL_CAPACITY,
							 .device_ms = -1};
	double ms;

	memset(many->totals, 0xa5, many->n_arrays * sizeof(*many->totals));
	CUDA(cudaMemsetAsync(bench_pointer(bench.out), 0xa5,
						 many->n * sizeof(double), bench.stream));
	ms = start(many);
	DEVICE(bench.kind->scan(bench.queue, &request, &bench.failure));
	DEVICE(bench.kind->wait(bench.queue, &bench.failure));
	ms = many->by_wall ? bench_now_ms() - ms : request.device_ms;

	if (!are_counts_right(many, request.n_full) || !are_totals_right(many))
		bench_wrong("the running totals of one of many arrays");
	else if (!(ms > 0))
		bench_wrong("the time is not positive");
	else
		return ms;
	return -1;
}

/* One row, of those whose arrays are in the set. */
static void
many_row(BenchRow *row, Many *many, BenchSet *set, bool is_scan, bool by_wall)
{
	BenchJob one = {.set = set,
					.n = many->n,
					.by_wall = by_wall,
					.out = bench.other_out,
					.out_bytes = many->n * sizeof(double)};

	if (set->n == 0)
	{
		bench_set_use(set, GA_float8, BENCH_UNIFORM, many->n);
		(void) ask_cpu(many, false);
	}
	many->by_wall = by_wall;
	many->was_checked = false;
	memset(many->right, 0, many->n_arrays * sizeof(GaScanResult));
	row->n = many->n;
	row->n_bytes = many->n * sizeof(double) * (is_scan ? 2 : 1);
	row->n_sides = 2;
	row->sides[0] = (BenchSide){"ours", is_scan ? scan_many : sum_many, many};
	row->sides[1] = (BenchSide){"one array",
								is_scan ? bench_our_scan : bench_our_sum, &one};
	(void) bench_row(row);
}

static void
many_rows(uint32_t n_arrays, uint32_t low, uint32_t high)
{
	static const char *const names[] = {"many-sum", "many-sum-wall",
										"many-scan", "many-scan-wall"};
	Many *many = many_new(n_arrays, low, high);
	BenchSet set = {.at = bench.in};
	BenchRow row;
	int i;

	for (i = 0; i < 4; i++)
	{
		if (!bench_wants(&row, "%s/%u", names[i], (unsigned) n_arrays))
			continue;
		if (many->n * sizeof(double) > bench.buffer_bytes)
			fprintf(stderr, "kernels: no memory for %s\n", row.name);
		else
			many_row(&row, many, &set, i >= 2, i % 2 == 1);
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
