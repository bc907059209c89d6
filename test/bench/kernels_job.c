/*
 * kernels_job.c
 *		One array: the request to us, the call of CUB, and their answers.
 *
 * The answer to each run is checked, outside of what is timed.  Where it was
 * to be written, there is something else before.
 */
#include <string.h>

#include "kernels.h"

#define POISON 0xa5

/* Elements are at another place from now on, or are no longer there. */
void
bench_set_clear(BenchSet *set, GaDeviceAddress at)
{
	if (set->check)
		bench_check_free(set->check);
	memset(set, 0, sizeof(*set));
	set->at = at;
}

/* Add elements n_before to n to the CPU's sum. */
static void
add_to_check(BenchSet *set, size_t n_before, size_t n)
{
	size_t size = ga_element_size(set->type);
	size_t capacity = BENCH_CHUNK_BYTES / size;
	size_t m;

	for (; n_before < n; n_before += m)
	{
		m = n - n_before < capacity ? n - n_before : capacity;
		bench_copy_to_host(bench.chunk_in, set->at + n_before * size, m * size);
		bench_check_add(set->check, bench.chunk_in, m);
	}
}

/*
 * Have the first n elements of that type and data in the set, whose place is
 * set.  It is cheap to go on from fewer of the same.
 */
void
bench_set_use(BenchSet *set, GaElementType type, BenchData data, size_t n)
{
	size_t i;

	if (set->check == NULL || set->type != type || set->data != data ||
		set->n > n)
	{
		size_t n_copies = set->n_copies;

		bench_set_clear(set, set->at);
		set->n_copies = n_copies;
		set->type = type;
		set->data = data;
		set->check = bench_check_new(type);
	}
	if (set->n == n)
		return;
	for (i = 0; i == 0 || i < set->n_copies; i++)
		CUDA(bench_fill(bench_pointer(set->at + i * n * ga_element_size(type)),
						type, data, n, bench.stream));
	CUDA(cudaStreamSynchronize(bench.stream));
	add_to_check(set, set->n, n);
	set->n = n;
}

/* Return the address of the elements for a run; the next one has another. */
static GaDeviceAddress
next_copy(BenchJob *job)
{
	const BenchSet *set = job->set;
	size_t copy = job->copy;

	if (set->n_copies > 1)
		job->copy = (copy + 1) % set->n_copies;
	return set->at + copy * job->n * ga_element_size(set->type);
}

/* The time of a request that was submitted and waited for. */
static double
finish(const BenchJob *job, double start_ms, const double *device_ms)
{
	DEVICE(bench.kind->wait(bench.queue, &bench.failure));
	return job->by_wall ? bench_now_ms() - start_ms : *device_ms;
}

/* Right before a request is submitted; returns when. */
static double
start(const BenchJob *job)
{
	bench.kind->measure(bench.queue, !job->by_wall);
	bench_cool();
	if (!job->by_wall)
		bench_submit_lead();
	return bench_now_ms();
}

/* Times must be there, and answers right. */
static double
answer(bool is_right, double ms, const char *whose)
{
	if (!is_right)
		bench_wrong(whose);
	else if (!(ms > 0))
		bench_wrong("the time is not positive");
	else
		return ms;
	return -1;
}

/* Our sum of an array. */
double
bench_our_sum(void *arg)
{
	BenchJob *job = arg;
	GaDeviceArray array = {job->packed != 0 ? job->packed : next_copy(job),
						   job->n};
	GaPartialSum result;
	GaFullRecord full[1];
	GaSumRequest request = {.type = job->set->type,
							.n_arrays = 1,
							.arrays = &array,
							.results = &result,
							.full = full,
							.full_capacity = 1,
							.device_ms = -1};
	double start_ms;
	double ms;

	memset(&result, POISON, sizeof(result));
	memset(full, POISON, sizeof(full));
	start_ms = start(job);
	DEVICE(bench.kind->sum(bench.queue, &request, &bench.failure));
	ms = finish(job, start_ms, &request.device_ms);
	return answer(bench_check_sum(job->set->check, &result, full), ms,
				  "our sum");
}

typedef struct CubCall
{
	BenchJob *job;
	GaDeviceAddress at; /* of the elements */
	void *temp;
	size_t temp_bytes;
} CubCall;

static cudaError_t
call_cub_sum(void *arg)
{
	CubCall *call = arg;
	const BenchJob *job = call->job;

	return bench_cub_sum(call->temp, &call->temp_bytes, job->set->type,
						 bench_pointer(call->at), bench.word, job->n,
						 bench.stream);
}

/* CUB's. */
double
bench_cub_sum_ms(void *arg)
{
	CubCall call = {arg, next_copy(arg), NULL, 0};
	uint64_t sum;
	double ms;

	CUDA(call_cub_sum(&call));
	call.temp = bench_temp(call.temp_bytes);
	CUDA(cudaMemsetAsync(bench.word, POISON, sizeof(sum), bench.stream));
	ms = bench_time_stream(call_cub_sum, &call);
	bench_copy_to_host(&sum, (GaDeviceAddress) (uintptr_t) bench.word,
					   sizeof(sum));
	return answer(bench_check_near(call.job->set->check, &sum), ms,
				  "CUB's sum");
}

/* Compare all running totals with those of the CPU. */
static bool
check_totals(const BenchJob *job)
{
	BenchCheck *check = bench_check_new(job->set->type);
	size_t size = ga_element_size(job->set->type);
	size_t out_size = job->out_bytes / job->n;
	size_t capacity = BENCH_CHUNK_BYTES / (out_size > size ? out_size : size);
	bool is_right = true;
	size_t done;
	size_t m;

	for (done = 0; is_right && done < job->n; done += m)
	{
		m = job->n - done < capacity ? job->n - done : capacity;
		bench_copy_to_host(bench.chunk_in, job->set->at + done * size,
						   m * size);
		bench_copy_to_host(bench.chunk_out, job->out + done * out_size,
						   m * out_size);
		is_right = bench_check_totals(check, bench.chunk_in, m, job->totals,
									  bench.chunk_out);
	}
	bench_check_free(check);
	return is_right;
}

/* The first answer is compared with the CPU's, the others with the first. */
static bool
is_scan_right(BenchJob *job, const GaScanRequest *request)
{
	uint64_t digest = bench_digest_of(job->out, job->out_bytes);

	if (request->n_totals != job->n ||
		!bench_check_sum(job->set->check, &request->sum, &request->full))
		return false;
	if (!job->was_checked)
	{
		if (!check_totals(job))
			return false;
		job->was_checked = true;
		job->digest = digest;
	}
	return digest == job->digest;
}

/* Our running totals of an array. */
double
bench_our_scan(void *arg)
{
	BenchJob *job = arg;
	GaScanRequest request;
	double start_ms;
	double ms;

	memset(&request, POISON, sizeof(request));
	request.type = job->set->type;
	request.totals = job->totals;
	request.in = job->packed != 0 ? job->packed : job->set->at;
	request.out = job->out;
	request.n = job->n;
	request.prefix = NULL;
	request.hint = (GaScanHint){0};
	request.device_ms = -1;
	CUDA(cudaMemsetAsync(bench_pointer(job->out), POISON, job->out_bytes,
						 bench.stream));
	start_ms = start(job);
	DEVICE(bench.kind->scan(bench.queue, &request, &bench.failure));
	ms = finish(job, start_ms, &request.device_ms);
	return answer(is_scan_right(job, &request), ms, "our running totals");
}

static cudaError_t
call_cub_scan(void *arg)
{
	CubCall *call = arg;
	const BenchJob *job = call->job;

	return bench_cub_scan(call->temp, &call->temp_bytes, job->set->type,
						  job->totals == GA_TOTALS_INT128,
						  bench_pointer(job->set->at),
						  bench_pointer(bench.other_out), job->n, bench.stream);
}

/*
 * Are CUB's totals near ours, which were left by the run before?  Data that
 * pack have elements of up to 1,000.
 */
static bool
is_near(const BenchJob *job)
{
	GaElementType type = job->set->type;
	double tolerance = bench_tolerance(type, job->n) *
					   (job->set->data >= BENCH_PRICES ? 1000 : 1);
	uint64_t n_apart;

	if (type != GA_float4 && type != GA_float8)
		type = GA_int8;
	CUDA(bench_count_apart(bench_pointer(job->out),
						   bench_pointer(bench.other_out), type,
						   job->out_bytes / ga_element_size(type), tolerance,
						   bench.word, bench.stream));
	bench_copy_to_host(&n_apart, (GaDeviceAddress) (uintptr_t) bench.word,
					   sizeof(n_apart));
	return n_apart == 0;
}

/* CUB's, after a run of ours. */
double
bench_cub_scan_ms(void *arg)
{
	CubCall call = {arg, 0, NULL, 0};
	double ms;

	CUDA(call_cub_scan(&call));
	call.temp = bench_temp(call.temp_bytes);
	CUDA(cudaMemsetAsync(bench_pointer(bench.other_out), POISON,
						 call.job->out_bytes, bench.stream));
	ms = bench_time_stream(call_cub_scan, &call);
	return answer(is_near(call.job), ms, "CUB's running totals");
}

static cudaError_t
call_copy(void *n_bytes)
{
	return cudaMemcpyAsync(bench_pointer(bench.other_out),
						   bench_pointer(bench.in),
						   *(const uint64_t *) n_bytes / 2,
						   cudaMemcpyDeviceToDevice, bench.stream);
}

/* A copy that moves *n_bytes, half of them read and half written. */
double
bench_copy_ms(void *n_bytes)
{
	return bench_time_stream(call_copy, n_bytes);
}
