/*
 * kernels_window.c
 *		Rows of `make bench-kernels` about windows: buckets, and moving sums.
 *
 * Buckets are beside our sum of the same bytes, moving sums beside our running
 * totals.  Some values of the first run are compared with the CPU engine's, and
 * the bytes of other runs with the first one's.
 */
#include <stdlib.h>
#include <string.h>

#include "cpu/cpu.h"
#include "exact/exact_sum.h"
#include "kernels.h"

#define POISON 0xa5

/* Elements of a piece: of 256 kB, as stored arrays are resident. */
#define PIECE 32768

#define N_CHECKED 1000

typedef struct WindowJob
{
	BenchSet *set;
	GaWindows windows;
	GaDeviceArray *pieces;
	uint32_t n_pieces;
	bool was_right;
	uint64_t digest;
} WindowJob;

static void
list_pieces(WindowJob *job)
{
	const uint32_t n = job->windows.n;
	uint32_t at;

	job->pieces = calloc(n / PIECE + 1, sizeof(*job->pieces));
	if (job->pieces == NULL)
		abort();
	for (at = 0; at < n; at += PIECE)
		job->pieces[job->n_pieces++] =
			(GaDeviceArray){job->set->at + at * sizeof(double),
							n - at < PIECE ? n - at : PIECE};
}

/* Is this the sum of a window? */
static bool
is_right(const WindowJob *job, uint32_t window, double value)
{
	const uint32_t from = ga_window_from(&job->windows, window);
	const uint32_t n = ga_window_end(&job->windows, window) - from;
	GaFullSum buffer;
	GaExactSum *sum = ga_full_sum_init(&buffer);
	double must;

	bench_copy_to_host(bench.chunk_in, job->set->at + from * sizeof(double),
					   n * sizeof(double));
	(void) ga_cpu_best()->sum_float8(sum, bench.chunk_in, n);
	return ga_exact_sum_float8(sum, &must) == GA_OK &&
		   ga_float8_bits(must) == ga_float8_bits(value);
}

static bool
are_right(WindowJob *job, uint32_t n)
{
	const double *values = bench.chunk_out;
	uint64_t digest;
	uint32_t i;

	CUDA(cudaMemcpy(bench_pointer(bench.out), values, n * sizeof(double),
					cudaMemcpyDefault));
	digest = bench_digest_of(bench.out, n * sizeof(double));

	if (job->was_right)
		return digest == job->digest;
	for (i = 0; i < N_CHECKED; i++)
	{
		const uint32_t window = (uint32_t) ((uint64_t) i * n / N_CHECKED);

		if (!is_right(job, window, values[window]))
			return false;
	}
	job->was_right = true;
	job->digest = digest;
	return true;
}

static double
our_windows(void *arg)
{
	WindowJob *job = arg;
	const uint32_t n = ga_windows_count(&job->windows);
	GaWindowRequest request = {.type = GA_float8,
							   .n_pieces = job->n_pieces,
							   .pieces = job->pieces,
							   .windows = job->windows,
							   .n = n,
							   .form = GA_FORM_SUM,
							   .out = bench.chunk_out,
							   .device_ms = -1};

	memset(bench.chunk_out, POISON, n * sizeof(double));
	bench.kind->measure(bench.queue, true);
	bench_cool();
	bench_submit_lead();
	DEVICE(bench.kind->window(bench.queue, &request, &bench.failure));
	DEVICE(bench.kind->wait(bench.queue, &bench.failure));
	if (are_right(job, n) && request.device_ms > 0)
		return request.device_ms;
	bench_wrong("our windows");
	return -1;
}

/* A row of windows over 2^log2 elements. */
static void
window_row(const char *name, int log2, GaWindows windows, BenchSide other)
{
	BenchSet set = {.at = bench.in};
	WindowJob job = {.set = &set, .windows = windows};
	BenchJob other_job = {.set = &set,
						  .n = windows.n,
						  .totals = GA_TOTALS_PLAIN,
						  .out = bench.other_out,
						  .out_bytes = windows.n * sizeof(double)};
	BenchRow row;

	if (!bench_wants(&row, "%s/2^%d", name, log2))
		return;
	bench_set_use(&set, GA_float8, BENCH_UNIFORM, windows.n);
	list_pieces(&job);
	other.job = &other_job;
	row.n = windows.n;
	row.n_bytes =
		(windows.n + (uint64_t) ga_windows_count(&windows)) * sizeof(double);
	row.n_sides = 2;
	row.sides[0] = (BenchSide){"ours", our_windows, &job};
	row.sides[1] = other;
	(void) bench_row(&row);
	free(job.pieces);
	bench_set_clear(&set, 0);
}

static void
bucket_row(const char *name, int log2, uint32_t width)
{
	const GaWindows windows = {
		.n = UINT32_C(1) << log2, .step = width, .size = width};

	window_row(name, log2, windows,
			   (BenchSide){"our sum", bench_our_sum, NULL});
}

static void
moving_row(const char *name, int log2, uint32_t size)
{
	const GaWindows windows = {
		.n = UINT32_C(1) << log2, .step = 1, .before = size - 1, .size = size};

	window_row(name, log2, windows,
			   (BenchSide){"our totals", bench_our_scan, NULL});
}

void
bench_window_rows(void)
{
	bucket_row("buckets/float8-10", 23, 10);
	bucket_row("buckets/float8-100", 26, 100);
	bucket_row("buckets/float8-1000", 20, 1000);
	bucket_row("buckets/float8-1000", 26, 1000);
	moving_row("moving/float8-10", 22, 10);
	moving_row("moving/float8-100", 22, 100);
	moving_row("moving/float8-1000", 22, 1000);
}
