/*
 * kernels_elem.c
 *		Rows of `make bench-kernels` about sums of arrays by position.
 *
 * They are beside our sum of the same bytes.  The records of the first run are
 * compared with what the CPU engine makes of the same arrays, position by
 * position, and those of other runs with these.
 */
#include <stdlib.h>
#include <string.h>

#include "cpu/elem_add.h"
#include "kernels.h"

#define POISON 0xa5

/* Positions of a piece at most: of 256 kB, as stored arrays are resident. */
#define PIECE	   32768
#define MAX_PIECES 4

typedef struct ElemJob
{
	BenchSet *set;
	uint32_t n_arrays;
	uint32_t n; /* positions, of whole pieces but for the last */
	uint32_t n_pieces;
	uint32_t n_of[MAX_PIECES];
	GaDeviceAddress *arrays;
	GaDeviceAddress out;
	GaPartialSum *right; /* records that were right, or NULL */
} ElemJob;

/* There is no return without memory. */
static void *
provide(void *context, size_t n_bytes)
{
	void *memory = calloc(1, n_bytes);

	(void) context;
	if (memory == NULL)
		abort();
	return memory;
}

/* Find the pieces of arrays that lie one after the other from there on. */
static void
list_pieces(ElemJob *job, GaDeviceAddress from)
{
	uint32_t at = 0;
	uint32_t p, r;

	job->arrays = provide(NULL, (size_t) job->n_arrays * MAX_PIECES *
									sizeof(*job->arrays));
	for (p = 0; at < job->n; p++)
	{
		job->n_of[p] = job->n - at < PIECE ? job->n - at : PIECE;
		for (r = 0; r < job->n_arrays; r++)
			job->arrays[p * job->n_arrays + r] =
				from + ((uint64_t) r * job->n + at) * sizeof(double);
		at += job->n_of[p];
	}
	job->n_pieces = p;
}

/* Have the CPU add all arrays. */
static void
ask_cpu(const ElemJob *job, GaElemSum *sum)
{
	const GaElemMemory memory = {NULL, provide, free, NULL};
	uint32_t r;

	ga_elem_init(sum, GA_float8, job->n, memory);
	for (r = 0; r < job->n_arrays; r++)
	{
		bench_copy_to_host(bench.chunk_in,
						   job->set->at +
							   (uint64_t) r * job->n * sizeof(double),
						   job->n * sizeof(double));
		ga_elem_add(ga_cpu_best(), sum, 0, bench.chunk_in, job->n, 1);
		sum->n_arrays++;
	}
}

/* Do records have the sums that the CPU makes? */
static bool
are_cpu_sums(const ElemJob *job, const GaPartialSum *records)
{
	GaElemSum sum;
	bool are_right = true;
	uint32_t i;

	ask_cpu(job, &sum);
	for (i = 0; i < job->n && are_right; i++)
	{
		double must;

		are_right =
			ga_elem_float(&sum, &sum.blocks[i / GA_ELEM_BLOCK],
						  (int) (i % GA_ELEM_BLOCK), false, &must) == GA_OK &&
			bench_round(GA_float8, job->n_arrays, &records[i], NULL) ==
				ga_float8_bits(must);
	}
	ga_elem_release(&sum);
	return are_right;
}

/* Are the records right?  The first ones that are, are kept. */
static bool
are_right(ElemJob *job, const GaPartialSum *records)
{
	const size_t n_bytes = job->n * sizeof(*records);

	if (job->right != NULL)
		return memcmp(records, job->right, n_bytes) == 0;
	if (!are_cpu_sums(job, records))
		return false;
	job->right = provide(NULL, n_bytes);
	memcpy(job->right, records, n_bytes);
	return true;
}

static double
our_elem(void *arg)
{
	ElemJob *job = arg;
	const size_t n_bytes = job->n * sizeof(GaPartialSum);
	GaElemRequest request = {.type = GA_float8,
							 .n_arrays = job->n_arrays,
							 .n_pieces = job->n_pieces,
							 .n_of = job->n_of,
							 .arrays = job->arrays,
							 .out = job->out,
							 .device_ms = -1};

	CUDA(cudaMemsetAsync(bench_pointer(job->out), POISON, n_bytes,
						 bench.stream));
	CUDA(cudaStreamSynchronize(bench.stream));
	bench.kind->measure(bench.queue, true);
	bench_cool();
	bench_submit_lead();
	DEVICE(bench.kind->elem(bench.queue, &request, &bench.failure));
	DEVICE(bench.kind->wait(bench.queue, &bench.failure));
	bench_copy_to_host(bench.chunk_out, job->out, n_bytes);
	if (are_right(job, bench.chunk_out) && request.device_ms > 0)
		return request.device_ms;
	bench_wrong("our sums by position");
	return -1;
}

/* A row of 2^log2_arrays arrays of 2^log2 elements in all. */
static void
elem_row(const char *name, int log2_arrays, int log2)
{
	BenchSet set = {.at = bench.in};
	ElemJob job = {.set = &set,
				   .n_arrays = UINT32_C(1) << log2_arrays,
				   .n = UINT32_C(1) << (log2 - log2_arrays),
				   .out = bench.out};
	BenchJob sum = {.set = &set, .n = (size_t) 1 << log2};
	BenchRow row;

	if (!bench_wants(&row, "%s/2^%d", name, log2))
		return;
	bench_set_use(&set, GA_float8, BENCH_UNIFORM, sum.n);
	list_pieces(&job, set.at);
	row.n = sum.n;
	row.n_bytes = sum.n * sizeof(double);
	row.n_sides = 2;
	row.sides[0] = (BenchSide){"ours", our_elem, &job};
	row.sides[1] = (BenchSide){"our sum", bench_our_sum, &sum};
	(void) bench_row(&row);
	free(job.arrays);
	free(job.right);
	bench_set_clear(&set, 0);
}

/*
 * Measure sums of 65,536 positions of n elements in all, packed beside plain:
 * arrays that lie one after the other.
 */
void
bench_packed_elem(BenchRow *row, BenchSet *set, size_t n,
				  GaDeviceAddress packed)
{
	const uint32_t n_positions = UINT32_C(1) << 16;
	ElemJob plain = {
		.set = set, .n_arrays = (uint32_t) (n / n_positions), .n = n_positions};
	ElemJob job;

	/* what is packed is at the beginning */
	plain.out =
		bench.out + bench.buffer_bytes - n_positions * sizeof(GaPartialSum);
	job = plain;
	list_pieces(&plain, set->at);
	list_pieces(&job, packed);
	bench_packed_row(row, set, n, our_elem, &job, &plain);
	free(plain.arrays);
	free(plain.right);
	free(job.arrays);
	free(job.right);
}

/* As many positions as a page of results has, and few of many arrays. */
void
bench_elem_rows(void)
{
	elem_row("elem/float8", 10, 26);
	elem_row("elem/float8-few", 12, 22);
}
