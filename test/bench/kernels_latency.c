/*
 * kernels_latency.c
 *		Rows of `make bench-kernels` about short arrays: from submitting the
 *		work to the rounded result on the host, by the host's clock.
 *
 * The arrays may be in the cache, as those of one's last request would be; it
 * is not made cold.  CUB can leave its result in memory of the host, or on the
 * device and have it copied; ours is compared with the quicker of the two.
 */
#include <string.h>

#include "kernels.h"

static const int sizes[] = {10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 0};

typedef struct Latency
{
	BenchSet *set;
	size_t n;
	void *host;			  /* where CUB's result is to be read */
	void *host_on_device; /* the same as the device has it */
	void *temp;
	size_t temp_bytes;
} Latency;

static double
our_sum(void *arg)
{
	const Latency *job = arg;
	GaElementType type = job->set->type;
	GaDeviceArray array = {job->set->at, job->n};
	GaPartialSum result;
	GaFullRecord full[1];
	GaSumRequest request = {.type = type,
							.n_arrays = 1,
							.arrays = &array,
							.results = &result,
							.full = full,
							.full_capacity = 1};
	uint64_t bits;
	double start;
	double ms;

	memset(&result, 0xa5, sizeof(result));
	start = bench_now_ms();
	DEVICE(bench.kind->sum(bench.queue, &request, &bench.failure));
	DEVICE(bench.kind->wait(bench.queue, &bench.failure));
	bits = bench_round(type, (int64_t) job->n, &result, full);
	ms = bench_now_ms() - start;

	if (bits == bench_check_round(job->set->check) &&
		bench_check_sum(job->set->check, &result, full))
		return ms;
	bench_wrong("our sum");
	return -1;
}

/* CUB's, to where the result is to go, copied from there or not. */
static double
cub_sum(const Latency *job, void *to, bool is_copied)
{
	size_t temp_bytes = job->temp_bytes;
	double start;
	double ms;

	memset(job->host, 0xa5, 8);
	start = bench_now_ms();
	CUDA(bench_cub_sum(job->temp, &temp_bytes, job->set->type,
					   bench_pointer(job->set->at), to, job->n, bench.stream));
	if (is_copied)
		CUDA(cudaMemcpyAsync(job->host, to, 8, cudaMemcpyDeviceToHost,
							 bench.stream));
	CUDA(cudaStreamSynchronize(bench.stream));
	ms = bench_now_ms() - start;

	if (bench_check_near(job->set->check, job->host))
		return ms;
	bench_wrong("CUB's sum");
	return -1;
}

static double
cub_sum_to_host(void *arg)
{
	const Latency *job = arg;

	return cub_sum(job, job->host_on_device, false);
}

static double
cub_sum_copied(void *arg)
{
	return cub_sum(arg, bench.word, true);
}

static void
latency_row(Latency *job, GaElementType type, int log2)
{
	BenchRow row;

	if (!bench_wants(&row, "latency/%s/2^%d", ga_element_name(type), log2))
		return;
	job->n = (size_t) 1 << log2;
	bench_set_use(job->set, type,
				  type == GA_int8 ? BENCH_40_BITS : BENCH_UNIFORM, job->n);
	job->temp_bytes = 0;
	CUDA(bench_cub_sum(NULL, &job->temp_bytes, type,
					   bench_pointer(job->set->at), bench.word, job->n,
					   bench.stream));
	job->temp = bench_temp(job->temp_bytes);
	row.n = job->n;
	row.n_bytes = job->n * ga_element_size(type);
	row.n_rounds = bench.quick ? 20 : BENCH_MAX_ROUNDS;
	row.n_sides = 3;
	row.sides[0] = (BenchSide){"ours", our_sum, job};
	row.sides[1] = (BenchSide){"CUB, to the host", cub_sum_to_host, job};
	row.sides[2] = (BenchSide){"CUB, copied", cub_sum_copied, job};
	(void) bench_row(&row);
}

void
bench_latency_rows(void)
{
	static const GaElementType types[] = {GA_float8, GA_int4, GA_int8};
	BenchSet set = {.at = bench.in};
	Latency job = {.set = &set};
	size_t type;
	int i;

	if (!bench.listing)
	{
		CUDA(cudaHostAlloc(&job.host, 16, cudaHostAllocMapped));
		CUDA(cudaHostGetDevicePointer(&job.host_on_device, job.host, 0));
		bench.kind->measure(bench.queue, false);
	}
	for (type = 0; type < sizeof(types) / sizeof(types[0]); type++)
	{
		for (i = 0; sizes[i] != 0; i++)
		{
			if (bench_wants_size(sizes, i))
				latency_row(&job, types[type], sizes[i]);
		}
	}
	bench_set_clear(&set, 0);
	if (!bench.listing)
		CUDA(cudaFreeHost(job.host));
}
