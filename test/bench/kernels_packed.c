/*
 * kernels_packed.c
 *		Rows of `make bench-kernels` about packed arrays.
 *
 * A row packing/... has the time of a survey and of packing, and as its bytes
 * those of the packed array; of data that do not pack it has the survey alone.
 * Sums, maxima and running totals of the packed array are beside CUB's of the
 * plain one, other reductions beside ours of the plain one.  Their bytes are
 * those of the plain array.
 */
#include <string.h>

#include "exact/packed.h"
#include "kernels.h"

/* What is packed, in the buffer for results; headers are in the other one. */
typedef struct PackedJob
{
	BenchSet *set;
	size_t n;
	GaDeviceAddress *pages;
	uint64_t n_bytes; /* of the packed array, with headers */
	bool is_packed;
} PackedJob;

typedef struct PackedData
{
	const char *name;
	GaElementType type;
	BenchData data;
	bool has_sums;
	bool has_others; /* other reductions, and running totals */
} PackedData;

static const PackedData all_data[] = {
	{"prices", GA_float8, BENCH_PRICES, true, true},
	{"walk", GA_float8, BENCH_WALK, true, false},
	{"temperatures", GA_float8, BENCH_TEMPERATURES, true, false},
	{"rain", GA_float8, BENCH_RAIN, true, false},
	{"outliers", GA_float8, BENCH_OUTLIERS, true, false},
	{"uniform", GA_float8, BENCH_UNIFORM, false, false},
	{"million", GA_int8, BENCH_MILLION, true, false},
	{"31-bits", GA_int8, BENCH_31_BITS, true, false},
	{"thousand", GA_int4, BENCH_THOUSAND, true, false},
};

static const int sizes[] = {26, 27, 28, 29, 0};

static double
wait_for(GaPackRequest *request)
{
	DEVICE(bench.kind->wait(bench.queue, &bench.failure));
	if (request->device_ms > 0)
		return request->device_ms;
	bench_wrong("the time is not positive");
	return -1;
}

/* Survey the array, and pack it if that pays. */
static double
pack(void *arg)
{
	PackedJob *job = arg;
	const size_t size = ga_element_size(job->set->type);
	const uint64_t plain_bytes = (uint64_t) job->n * size;
	const GaPackPiece piece = {job->set->at, (uint32_t) job->n,
							   bench.other_out};
	GaPackArray array = {.n_pieces = 1, .pages = job->pages};
	GaPackRequest request = {.type = job->set->type,
							 .n_arrays = 1,
							 .arrays = &array,
							 .pieces = &piece,
							 .n_pieces = 1};
	double survey_ms;
	double pack_ms;

	bench.kind->measure(bench.queue, true);
	bench_cool();
	DEVICE(bench.kind->survey(bench.queue, &request, &bench.failure));
	survey_ms = wait_for(&request);
	job->n_bytes =
		array.n_bytes + job->n / GA_PACKED_VECTOR * sizeof(GaPackedHeader);
	job->is_packed = job->n_bytes <= plain_bytes * 8 / 10;
	if (!job->is_packed || survey_ms < 0)
		return survey_ms;
	DEVICE(bench.kind->pack(bench.queue, &request, &bench.failure));
	pack_ms = wait_for(&request);
	if (request.n_wrong != 0)
		bench_wrong("packed elements");
	return pack_ms < 0 || request.n_wrong != 0 ? -1 : survey_ms + pack_ms;
}

/* Measure packing, and print how many bytes it leaves. */
static void
packing_row(PackedJob *job, const char *name, int log2)
{
	BenchRow row;
	uint64_t copied = (uint64_t) job->n * ga_element_size(job->set->type);

	if (!bench_wants(&row, "packing/%s/2^%d", name, log2))
		return;
	(void) pack(job);
	row.n = job->n;
	row.n_bytes = job->n_bytes;
	row.n_sides = 2;
	row.sides[0] = (BenchSide){"ours", pack, job};
	row.sides[1] = (BenchSide){"copy", bench_copy_ms, &copied};
	(void) bench_row(&row);
}

static void
sum_row(PackedJob *packed, const char *name, int log2)
{
	BenchJob job = {.set = packed->set, .n = packed->n};
	BenchJob other = job;
	BenchRow row;

	if (!bench_wants(&row, "packed-sum/%s/2^%d", name, log2))
		return;
	job.packed =
		ga_packed_address(bench.other_out, ga_element_size(job.set->type));
	if (pack(packed) < 0 || !packed->is_packed)
		return;
	row.n = job.n;
	row.n_bytes = job.n * ga_element_size(job.set->type);
	row.n_sides = 2;
	row.sides[0] = (BenchSide){"ours", bench_our_sum, &job};
	row.sides[1] = (BenchSide){"CUB", bench_cub_sum_ms, &other};
	(void) bench_row(&row);
}

/* Measure a job with packed elements beside one with plain ones. */
void
bench_packed_row(BenchRow *row, BenchSet *set, size_t n,
				 double (*run)(void *job), void *packed, void *plain)
{
	row->n = n;
	row->n_bytes = n * ga_element_size(set->type);
	row->n_sides = 2;
	row->sides[0] = (BenchSide){"ours", run, packed};
	row->sides[1] = (BenchSide){"plain", run, plain};
	(void) bench_row(row);
}

/* Rows of other reductions. */
static const struct
{
	const char *name;
	void (*measure)(BenchRow *row, BenchSet *set, size_t n,
					GaDeviceAddress packed);
} reductions[] = {
	{"max", bench_packed_max},
	{"moments", bench_packed_moments},
	{"dot", bench_packed_products},
	{"elem", bench_packed_elem},
};

#define N_REDUCTIONS (sizeof(reductions) / sizeof(*reductions))

static void
reduction_rows(PackedJob *packed, const char *name, int log2)
{
	BenchRow row;
	size_t i;

	for (i = 0; i < N_REDUCTIONS; i++)
	{
		if (bench_wants(&row, "packed-%s/%s/2^%d", reductions[i].name, name,
						log2) &&
			pack(packed) >= 0 && packed->is_packed)
			reductions[i].measure(
				&row, packed->set, packed->n,
				ga_packed_address(bench.other_out,
								  ga_element_size(packed->set->type)));
	}
}

/*
 * Running totals need the buffers of results: what is packed is behind the
 * elements.
 */
static void
scan_row(PackedJob *packed, const char *name, int log2)
{
	const size_t n_bytes = packed->n * sizeof(double);
	const GaDeviceAddress headers = packed->set->at + n_bytes;
	const GaDeviceAddress first_page =
		headers + packed->n / GA_PACKED_VECTOR * sizeof(GaPackedHeader);
	BenchJob job = {.set = packed->set,
					.n = packed->n,
					.totals = GA_TOTALS_PLAIN,
					.out = bench.out,
					.out_bytes = n_bytes};
	PackedJob here = *packed;
	BenchRow row;
	uint64_t i;

	if (2 * n_bytes > bench.buffer_bytes ||
		!bench_wants(&row, "packed-scan/%s/2^%d", name, log2))
		return;
	for (i = 0; i < n_bytes / GA_PACKED_PAGE_BYTES; i++)
		here.pages[i] =
			(first_page + 255) / 256 * 256 + i * GA_PACKED_PAGE_BYTES;
	if (pack(&here) < 0 || !here.is_packed)
		return;
	/* the headers, too */
	CUDA(cudaMemcpyAsync(bench_pointer(headers), bench_pointer(bench.other_out),
						 packed->n / GA_PACKED_VECTOR * sizeof(GaPackedHeader),
						 cudaMemcpyDeviceToDevice, bench.stream));
	CUDA(cudaStreamSynchronize(bench.stream));
	job.packed = ga_packed_address(headers, sizeof(double));
	row.n = job.n;
	row.n_bytes = 2 * n_bytes;
	row.n_sides = 2;
	row.sides[0] = (BenchSide){"ours", bench_our_scan, &job};
	row.sides[1] = (BenchSide){"CUB", bench_cub_scan_ms, &job};
	(void) bench_row(&row);
}

/* The rows of some data of a size. */
static void
rows_of(const PackedData *data, BenchSet *set, GaDeviceAddress *pages, int log2)
{
	PackedJob job = {.set = set, .n = (size_t) 1 << log2, .pages = pages};
	const uint64_t n_pages =
		job.n * ga_element_size(data->type) / GA_PACKED_PAGE_BYTES;
	uint64_t i;

	if (!bench.listing)
		bench_set_use(set, data->type, data->data, job.n);
	for (i = 0; i < n_pages; i++)
		pages[i] = bench.out + i * GA_PACKED_PAGE_BYTES;
	packing_row(&job, data->name, log2);
	if (data->has_sums)
		sum_row(&job, data->name, log2);
	if (data->has_others)
	{
		reduction_rows(&job, data->name, log2);
		scan_row(&job, data->name, log2);
	}
}

/* Is any row of 2^log2 elements of the data wanted? */
static bool
are_wanted(const PackedData *data, int log2)
{
	const bool listing = bench.listing;
	BenchRow row;
	bool result;
	size_t i;

	bench.listing = false;
	result = bench_wants(&row, "packing/%s/2^%d", data->name, log2) ||
			 bench_wants(&row, "packed-sum/%s/2^%d", data->name, log2) ||
			 bench_wants(&row, "packed-scan/%s/2^%d", data->name, log2);
	for (i = 0; i < N_REDUCTIONS; i++)
		result = result || bench_wants(&row, "packed-%s/%s/2^%d",
									   reductions[i].name, data->name, log2);
	bench.listing = listing;
	return result;
}

/* Rows of 2^log2 elements. */
void
bench_packed_rows(void)
{
	/* as many pages as the largest array has plain */
	static GaDeviceAddress
		pages[(UINT64_C(8) << 29) / GA_PACKED_PAGE_BYTES + 1];
	BenchSet set = {.at = bench.in};
	size_t d;
	int i;

	for (d = 0; d < sizeof(all_data) / sizeof(*all_data); d++)
	{
		for (i = 0; sizes[i] != 0; i++)
		{
			if (bench_wants_size(sizes, i) &&
				are_wanted(&all_data[d], sizes[i]))
				rows_of(&all_data[d], &set, pages, sizes[i]);
		}
	}
	bench_set_clear(&set, 0);
}
