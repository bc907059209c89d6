/*
 * kernels_rows.c
 *		Rows of `make bench-kernels` about one long array, in device time.
 */
#include <stdio.h>

#include "device/device_check.h"
#include "kernels.h"

/*
 * Up to this size sums go from one copy of the data to the next: a cache that
 * was written over has lost the code, too, and in a row of requests only the
 * data are new.
 */
#define BENCH_ROTATED 25

static const int all_sizes[] = {22, 23, 24, 25, 26, 27, 28, 29, 0};
static const int some_sizes[] = {22, 24, 26, 28, 29, 0};
static const int all_scan_sizes[] = {24, 25, 26, 27, 28, 29, 0};
static const int some_scan_sizes[] = {24, 26, 28, 0};
static const int large[] = {28, 0};

/* The rate of large copies, which sums are compared with. */
void
bench_copy_row(void)
{
	BenchRow row;
	double ms;

	if (!bench_wants(&row, "copy/2GB"))
		return;
	row.n_bytes = BENCH_COPY_BYTES;
	if (row.n_bytes > 2 * bench.buffer_bytes)
		row.n_bytes = 2 * bench.buffer_bytes;
	row.n_sides = 1;
	row.sides[0] = (BenchSide){"copy", bench_copy_ms, &row.n_bytes};
	ms = bench_row(&row);
	if (ms > 0)
		bench.copy_gb_per_s = (double) row.n_bytes * 1e-6 / ms;
}

/* Sums of one type; the name of the row is without the size. */
static void
sum_rows(const char *name, GaElementType type, BenchData data, const int *sizes)
{
	BenchSet set = {.at = bench.in};
	BenchRow row;
	int i;

	for (i = 0; sizes[i] != 0; i++)
	{
		BenchJob job = {.set = &set, .n = (size_t) 1 << sizes[i]};
		BenchJob other = job;

		if (!bench_wants_size(sizes, i) ||
			!bench_wants(&row, "%s/2^%d", name, sizes[i]))
			continue;
		if (sizes[i] <= BENCH_ROTATED &&
			BENCH_DATA_COPIES << BENCH_ROTATED <= 1 << bench.max_log2)
			set.n_copies = BENCH_DATA_COPIES;
		else
			set.n_copies = 1;
		bench.rotates = set.n_copies > 1;
		other.copy = set.n_copies / 2;
		bench_set_use(&set, type, data, job.n);
		row.n = job.n;
		row.n_bytes = job.n * ga_element_size(type);
		row.n_sides = 2;
		row.sides[0] = (BenchSide){"ours", bench_our_sum, &job};
		row.sides[1] = (BenchSide){"CUB", bench_cub_sum_ms, &other};
		(void) bench_row(&row);
	}
	bench.rotates = false;
	bench_set_clear(&set, 0);
}

/* Exponents over the whole range, against our sum of plain data. */
static void
whole_range_row(void)
{
	BenchSet whole = {.at = bench.in};
	BenchSet plain = {.at = bench.out};
	BenchJob job = {.set = &whole, .n = (size_t) 1 << large[0]};
	BenchJob other = {.set = &plain, .n = job.n};
	BenchRow row;

	if (!bench_wants_size(large, 0) ||
		!bench_wants(&row, "sum/float8-whole-range/2^%d", large[0]))
		return;
	bench_set_use(&whole, GA_float8, BENCH_WHOLE, job.n);
	bench_set_use(&plain, GA_float8, BENCH_UNIFORM, job.n);
	row.n = job.n;
	row.n_bytes = job.n * sizeof(double);
	row.n_sides = 2;
	row.sides[0] = (BenchSide){"ours", bench_our_sum, &job};
	row.sides[1] = (BenchSide){"ours, uniform", bench_our_sum, &other};
	(void) bench_row(&row);
	bench_set_clear(&whole, 0);
	bench_set_clear(&plain, 0);
}

void
bench_sum_rows(void)
{
	sum_rows("sum/float8", GA_float8, BENCH_UNIFORM, all_sizes);
	sum_rows("sum/float8-normal", GA_float8, BENCH_NORMAL, large);
	whole_range_row();
	sum_rows("sum/int4", GA_int4, BENCH_UNIFORM, some_sizes);
	sum_rows("sum/int8", GA_int8, BENCH_UNIFORM, some_sizes);
	sum_rows("sum/float4", GA_float4, BENCH_UNIFORM, some_sizes);
}

/*
 * Running totals of one type, against CUB and a copy that moves as many bytes.
 */
static void
scan_rows(const char *name, GaElementType type, BenchData data,
		  GaScanTotals totals, const int *sizes)
{
	BenchSet set = {.at = bench.in};
	BenchRow row;
	int i;

	for (i = 0; sizes[i] != 0; i++)
	{
		BenchJob job = {.set = &set,
						.n = (size_t) 1 << sizes[i],
						.totals = totals,
						.out = bench.out};

		job.out_bytes = job.n * ga_scan_total_size(type, totals);
		if (!bench_wants_size(sizes, i) ||
			!bench_wants(&row, "%s/2^%d", name, sizes[i]))
			continue;
		if (job.out_bytes > bench.buffer_bytes)
		{
			fprintf(stderr, "kernels: no memory for %s\n", row.name);
			continue;
		}
		bench_set_use(&set, type, data, job.n);
		row.n = job.n;
		row.n_bytes = job.n * ga_element_size(type) + job.out_bytes;
		row.n_sides = 3;
		row.n_copies = 1;
		row.sides[0] = (BenchSide){"ours", bench_our_scan, &job};
		row.sides[1] = (BenchSide){"CUB", bench_cub_scan_ms, &job};
		row.sides[2] = (BenchSide){"copy", bench_copy_ms, &row.n_bytes};
		(void) bench_row(&row);
	}
	bench_set_clear(&set, 0);
}

void
bench_scan_rows(void)
{
	scan_rows("scan/float8", GA_float8, BENCH_UNIFORM, GA_TOTALS_PLAIN,
			  all_scan_sizes);
	scan_rows("scan/float8-normal", GA_float8, BENCH_NORMAL, GA_TOTALS_PLAIN,
			  all_scan_sizes);
	scan_rows("scan/int4", GA_int4, BENCH_UNIFORM, GA_TOTALS_PLAIN,
			  some_scan_sizes);
	scan_rows("scan/int8", GA_int8, BENCH_40_BITS, GA_TOTALS_PLAIN,
			  some_scan_sizes);
	scan_rows("scan/int8-int128", GA_int8, BENCH_UNIFORM, GA_TOTALS_INT128,
			  some_scan_sizes);
	scan_rows("scan/float4", GA_float4, BENCH_UNIFORM, GA_TOTALS_PLAIN,
			  some_scan_sizes);
}
