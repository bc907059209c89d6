/*
 * kernels_reduce.c
 *		Rows of `make bench-kernels` about reductions other than sums: min and
 *		max beside CUB's, moments beside our sum.
 *
 * The answer to each run is checked, outside of what is timed: against what the
 * CPU engine makes of the same elements.
 */
#include <string.h>

#include "cpu/cpu.h"
#include "exact/extremum.h"
#include "exact/partial_moments.h"
#include "kernels.h"

#define POISON 0xa5

/* What is to come out. */
typedef struct Expected
{
	bool is_known;
	uint64_t extremum; /* as GA_REDUCE_MIN and _MAX have it */
	GaIntMoments ints;
	GaFullSumPair floats;
} Expected;

/* A reduction of one array, ours or CUB's. */
typedef struct ReduceJob
{
	BenchSet *set;
	size_t n;
	GaDeviceAddress packed; /* the same elements, for ours; or 0 */
	GaReduction reduction;
	Expected expected;
} ReduceJob;

static uint64_t
int_bits(int64_t x)
{
	return (uint64_t) x;
}

static uint64_t
float_bits(double x)
{
	return ga_float8_bits(x);
}

/* Add n elements in host memory to what is expected, or begin with them. */
static void
expect_more(ReduceJob *job, const void *data, size_t n, bool is_first)
{
	const GaCpuEngine *cpu = ga_cpu_best();
	Expected *to = &job->expected;

#define X_int(name, ctype) cpu->moments_##name(&to->ints, data, n)
#define X_float(name, ctype) \
	(void) cpu->moments_##name(ga_full_sum_pair(&to->floats), data, n)
#define X(name, family, ctype)                                                \
	if (job->set->type == GA_##name)                                          \
	{                                                                         \
		const bool is_max = job->reduction == GA_REDUCE_MAX;                  \
		static ctype so_far;                                                  \
		ctype x =                                                             \
			is_max ? cpu->max_##name(data, n) : cpu->min_##name(data, n);     \
                                                                              \
		if (!is_first)                                                        \
			x = is_max ? ga_max_##name(x, so_far) : ga_min_##name(x, so_far); \
		so_far = x;                                                           \
		to->extremum = family##_bits(x);                                      \
		if (job->reduction == GA_REDUCE_MOMENTS)                              \
			X_##family(name, ctype);                                          \
	}
	GA_ELEMENT_TYPES(X)
#undef X
#undef X_int
#undef X_float
}

/* Have the CPU engine reduce the elements, once. */
static void
expect(ReduceJob *job)
{
	const size_t size = ga_element_size(job->set->type);
	const size_t capacity = BENCH_CHUNK_BYTES / size;
	size_t done;
	size_t m;

	if (job->expected.is_known)
		return;
	memset(&job->expected, 0, sizeof(job->expected));
	(void) ga_full_sum_pair_init(&job->expected.floats);
	for (done = 0; done < job->n; done += m)
	{
		m = job->n - done < capacity ? job->n - done : capacity;
		bench_copy_to_host(bench.chunk_in, job->set->at + done * size,
						   m * size);
		expect_more(job, bench.chunk_in, m, done == 0);
	}
	job->expected.is_known = true;
}

/* Are these the moments that are expected? */
static bool
are_moments(ReduceJob *job, const GaPartialSum *records)
{
	const GaElementType type = job->set->type;
	uint8_t expected[GA_MOMENTS_MAX_BYTES];
	uint8_t found[GA_MOMENTS_MAX_BYTES];
	GaIntMoments ints = {0};
	GaFullSumPair buffer;
	GaMoments *floats = ga_full_sum_pair_init(&buffer);
	size_t n_bytes;

	if (!ga_partial_are_moments(type, (int64_t) job->n, records) ||
		ga_partial_are_refused(records))
		return false;
	if (!ga_element_is_float(type))
	{
		ga_partial_merge_int_moments(&ints, (int64_t) job->n, records);
		return memcmp(&ints, &job->expected.ints, sizeof(ints)) == 0;
	}
	if (ga_partial_merge_moments(floats, (int64_t) job->n, records) != GA_OK)
		return false;
	n_bytes =
		ga_moments_serialize(ga_full_sum_pair(&job->expected.floats), expected);
	return ga_moments_serialize(floats, found) == n_bytes &&
		   memcmp(expected, found, n_bytes) == 0;
}

/* A positive time with a right answer, or -1. */
static double
answer(bool is_right, double ms, const char *whose)
{
	if (is_right && ms > 0)
		return ms;
	bench_wrong(whose);
	return -1;
}

static double
our_reduction(void *arg)
{
	ReduceJob *job = arg;
	const GaDeviceArray array = {job->packed != 0 ? job->packed : job->set->at,
								 job->n};
	const uint32_t n_parts = 1;
	GaPartialSum records[GA_MAX_RECORDS];
	GaReduceRequest request = {.reduction = job->reduction,
							   .type = job->set->type,
							   .n_parts = n_parts,
							   .parts = &array,
							   .n_results = 1,
							   .n_parts_of = &n_parts,
							   .results = records,
							   .device_ms = -1};
	bool is_right;

	expect(job);
	memset(records, POISON, sizeof(records));
	bench.kind->measure(bench.queue, true);
	bench_cool();
	bench_submit_lead();
	DEVICE(bench.kind->reduce(bench.queue, &request, &bench.failure));
	DEVICE(bench.kind->wait(bench.queue, &bench.failure));
	is_right = job->reduction == GA_REDUCE_MOMENTS ?
				   are_moments(job, records) :
				   records[0].limb[0] == job->expected.extremum;
	return answer(is_right, request.device_ms, "our reduction");
}

typedef struct CubCall
{
	const ReduceJob *job;
	void *temp;
	size_t temp_bytes;
} CubCall;

static cudaError_t
call_cub(void *arg)
{
	CubCall *call = arg;
	const ReduceJob *job = call->job;

	return bench_cub_extremum(call->temp, &call->temp_bytes,
							  job->reduction == GA_REDUCE_MAX, job->set->type,
							  bench_pointer(job->set->at), bench.word, job->n,
							  bench.stream);
}

/* CUB's least or largest element, widened as ours. */
static double
cub_extremum_ms(void *arg)
{
	CubCall call = {arg, NULL, 0};
	uint64_t bits = 0;
	union
	{
#define X(name, family, ctype) ctype name;
		GA_ELEMENT_TYPES(X)
#undef X
	} found;
	double ms;

	CUDA(call_cub(&call));
	call.temp = bench_temp(call.temp_bytes);
	CUDA(cudaMemsetAsync(bench.word, POISON, sizeof(found), bench.stream));
	ms = bench_time_stream(call_cub, &call);
	bench_copy_to_host(&found, (GaDeviceAddress) (uintptr_t) bench.word,
					   sizeof(found));
#define X(name, family, ctype)            \
	if (call.job->set->type == GA_##name) \
		bits = family##_bits(found.name);
	GA_ELEMENT_TYPES(X)
#undef X
	return answer(bits == call.job->expected.extremum, ms, "CUB's extremum");
}

/* Measure the largest of n elements, which are packed, too. */
void
bench_packed_max(BenchRow *row, BenchSet *set, size_t n, GaDeviceAddress packed)
{
	ReduceJob job = {
		.set = set, .n = n, .packed = packed, .reduction = GA_REDUCE_MAX};

	row->n = n;
	row->n_bytes = n * ga_element_size(set->type);
	row->n_sides = 2;
	row->sides[0] = (BenchSide){"ours", our_reduction, &job};
	row->sides[1] = (BenchSide){"CUB", cub_extremum_ms, &job};
	(void) bench_row(row);
}

/* Measure the moments of n elements, packed beside plain. */
void
bench_packed_moments(BenchRow *row, BenchSet *set, size_t n,
					 GaDeviceAddress packed)
{
	ReduceJob job = {
		.set = set, .n = n, .packed = packed, .reduction = GA_REDUCE_MOMENTS};
	ReduceJob plain;

	expect(&job);
	plain = job;
	plain.packed = 0;
	bench_packed_row(row, set, n, our_reduction, &job, &plain);
}

/* Rows of a reduction of uniform data of a type. */
static void
reduce_rows(const char *name, GaReduction reduction, GaElementType type)
{
	static const int sizes[] = {22, 24, 26, 28, 29, 0};
	const bool is_extremum = reduction != GA_REDUCE_MOMENTS;
	BenchSet set = {.at = bench.in};
	BenchRow row;
	int i;

	for (i = 0; sizes[i] != 0; i++)
	{
		ReduceJob job = {
			.set = &set, .n = (size_t) 1 << sizes[i], .reduction = reduction};
		BenchJob sum = {.set = &set, .n = job.n};

		if (!bench_wants_size(sizes, i) ||
			!bench_wants(&row, "%s/2^%d", name, sizes[i]))
			continue;
		bench_set_use(&set, type, BENCH_UNIFORM, job.n);
		row.n = job.n;
		row.n_bytes = job.n * ga_element_size(type);
		row.n_sides = 2;
		row.sides[0] = (BenchSide){"ours", our_reduction, &job};
		row.sides[1] = is_extremum ?
						   (BenchSide){"CUB", cub_extremum_ms, &job} :
						   (BenchSide){"our sum", bench_our_sum, &sum};
		(void) bench_row(&row);
	}
	bench_set_clear(&set, 0);
}

void
bench_reduce_rows(void)
{
	reduce_rows("min/float8", GA_REDUCE_MIN, GA_float8);
	reduce_rows("max/float8", GA_REDUCE_MAX, GA_float8);
	reduce_rows("max/float4", GA_REDUCE_MAX, GA_float4);
	reduce_rows("max/int2", GA_REDUCE_MAX, GA_int2);
	reduce_rows("max/int4", GA_REDUCE_MAX, GA_int4);
	reduce_rows("max/int8", GA_REDUCE_MAX, GA_int8);
	reduce_rows("moments/float8", GA_REDUCE_MOMENTS, GA_float8);
	reduce_rows("moments/float4", GA_REDUCE_MOMENTS, GA_float4);
	reduce_rows("moments/int4", GA_REDUCE_MOMENTS, GA_int4);
	reduce_rows("moments/int8", GA_REDUCE_MOMENTS, GA_int8);
}
