/*
 * kernels_products.c
 *		Rows of `make bench-kernels` about sums of products of two arrays.
 *
 * They are beside our sum of as many bytes.  Each answer is compared with what
 * the CPU engine makes of the same pairs.
 */
#include <string.h>

#include "cpu/cpu.h"
#include "exact/partial_products.h"
#include "exact/weighted_sum.h"
#include "kernels.h"

#define POISON 0xa5

/*
 * The products of the first n elements of a set and the n behind them, or of a
 * packed array and itself.
 */
typedef struct ProductsJob
{
	BenchSet *set;
	GaReduction reduction;
	size_t n;
	bool is_square;			/* of the first n elements and themselves */
	GaDeviceAddress packed; /* these, for the device; or 0 */
	size_t n_expected;		/* bytes; 0: not yet known */
	uint8_t expected[GA_WEIGHTED_SUM_MAX_BYTES];
} ProductsJob;

static GaDeviceAddress
second_of(const ProductsJob *job)
{
	return job->set->at + (job->is_square ? 0 : job->n * sizeof(double));
}

/*
 * Write down what is wanted of a pair of full size, which forgets the rest;
 * returns the number of bytes.
 */
static size_t
to_bytes(const ProductsJob *job, GaSumPair *pair,
		 uint8_t bytes[GA_WEIGHTED_SUM_MAX_BYTES])
{
	if (job->reduction == GA_REDUCE_DOT)
		ga_exact_sum_init(ga_sum_pair_single(pair), GA_MAX_CELLS);
	return ga_weighted_sum_serialize(pair, bytes);
}

static void
ask_cpu(ProductsJob *job)
{
	const GaCpuEngine *cpu = ga_cpu_best();
	const size_t capacity = BENCH_CHUNK_BYTES / sizeof(double);
	GaFullSumPair buffer;
	GaSumPair *pair = ga_full_sum_pair_init(&buffer);
	size_t done;
	size_t m;

	for (done = 0; done < job->n; done += m)
	{
		m = job->n - done < capacity ? job->n - done : capacity;
		bench_copy_to_host(bench.chunk_in, job->set->at + done * sizeof(double),
						   m * sizeof(double));
		bench_copy_to_host(bench.chunk_out,
						   second_of(job) + done * sizeof(double),
						   m * sizeof(double));
		(void) cpu->sum_float8(ga_sum_pair_single(pair), bench.chunk_out, m);
		(void) cpu->dot_float8(ga_sum_pair_products(pair), bench.chunk_in,
							   bench.chunk_out, m);
	}
	job->n_expected = to_bytes(job, pair, job->expected);
}

static bool
are_right(ProductsJob *job, const GaPartialSum *records)
{
	GaFullSumPair buffer;
	GaSumPair *pair = ga_full_sum_pair_init(&buffer);
	uint8_t found[GA_WEIGHTED_SUM_MAX_BYTES];

	if (job->n_expected == 0)
		ask_cpu(job);
	if (!ga_partial_are_products(GA_float8, (int64_t) job->n, records) ||
		ga_partial_are_refused(records) ||
		ga_partial_merge_products(pair, (int64_t) job->n, records) != GA_OK)
		return false;
	return to_bytes(job, pair, found) == job->n_expected &&
		   memcmp(found, job->expected, job->n_expected) == 0;
}

static double
our_products(void *arg)
{
	ProductsJob *job = arg;
	const GaDeviceAddress packed = job->packed;
	const GaDeviceArray x = {packed != 0 ? packed : job->set->at, job->n};
	const GaDeviceArray y = {packed != 0 ? packed : second_of(job), job->n};
	const uint32_t n_parts = 1;
	GaPartialSum records[GA_MAX_RECORDS];
	GaReduceRequest request = {.reduction = job->reduction,
							   .type = GA_float8,
							   .n_parts = n_parts,
							   .parts = &x,
							   .others = &y,
							   .n_results = 1,
							   .n_parts_of = &n_parts,
							   .results = records,
							   .device_ms = -1};

	memset(records, POISON, sizeof(records));
	bench.kind->measure(bench.queue, true);
	bench_cool();
	bench_submit_lead();
	DEVICE(bench.kind->reduce(bench.queue, &request, &bench.failure));
	DEVICE(bench.kind->wait(bench.queue, &bench.failure));
	if (are_right(job, records) && request.device_ms > 0)
		return request.device_ms;
	bench_wrong("our products");
	return -1;
}

/* Measure the products of n elements and themselves, packed beside plain. */
void
bench_packed_products(BenchRow *row, BenchSet *set, size_t n,
					  GaDeviceAddress packed)
{
	ProductsJob job = {.set = set,
					   .reduction = GA_REDUCE_DOT,
					   .n = n,
					   .is_square = true,
					   .packed = packed};
	ProductsJob plain = job;

	plain.packed = 0;
	bench_packed_row(row, set, n, our_products, &job, &plain);
}

/* Rows of 2^log2 elements, half of them in each array. */
static void
rows_of(GaReduction reduction, const char *name)
{
	static const int sizes[] = {22, 24, 26, 28, 0};
	BenchSet set = {.at = bench.in};
	BenchRow row;
	int i;

	for (i = 0; sizes[i] != 0; i++)
	{
		BenchJob sum = {.set = &set, .n = (size_t) 1 << sizes[i]};
		ProductsJob job = {.set = &set, .reduction = reduction, .n = sum.n / 2};

		if (!bench_wants_size(sizes, i) ||
			!bench_wants(&row, "%s/float8/2^%d", name, sizes[i]))
			continue;
		bench_set_use(&set, GA_float8, BENCH_UNIFORM, sum.n);
		row.n = sum.n;
		row.n_bytes = sum.n * sizeof(double);
		row.n_sides = 2;
		row.sides[0] = (BenchSide){"ours", our_products, &job};
		row.sides[1] = (BenchSide){"our sum", bench_our_sum, &sum};
		(void) bench_row(&row);
	}
	bench_set_clear(&set, 0);
}

void
bench_products_rows(void)
{
	rows_of(GA_REDUCE_PRODUCTS, "products");
	rows_of(GA_REDUCE_DOT, "dot");
}
