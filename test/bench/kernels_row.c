/*
 * kernels_row.c
 *		A row of `make bench-kernels`: the sides take turns, and what is
 *		printed are medians and tenths.
 *
 * A line has these fields, separated by tabs, "-" where there is none:
 *
 *		name, elements, bytes	what ours reads and writes at least
 *		rounds
 *		ours_ms, its p10, p90	median, 10th and 90th percentile
 *		other					whom it is compared with
 *		other_ms, its p10, p90
 *		ratio, its p10, p90		our speed over the other's, round by round
 *		gb_per_s				of ours, of those bytes
 *		copy_gb_per_s			of the copy in the row, or that of 2 GB
 *		copy_share				our speed over theirs
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels.h"

typedef struct Spread
{
	double median;
	double p10;
	double p90;
} Spread;

/* Times of the row that is measured: side, round. */
static double times[BENCH_MAX_SIDES][BENCH_MAX_ROUNDS];
static const BenchRow *current;

/* Does a name begin with one of the prefixes that are wanted? */
static bool
is_wanted(const char *name)
{
	const char *prefix = bench.only;
	size_t n;

	for (; prefix != NULL; prefix = prefix[n] == ',' ? prefix + n + 1 : NULL)
	{
		n = strcspn(prefix, ",");
		if (strncmp(name, prefix, n) == 0)
			return true;
	}
	return bench.only == NULL;
}

/*
 * Begin a row.  False if its name is not wanted, and if names are only
 * listed.  Copies are always wanted, since others are compared with them.
 */
bool
bench_wants(BenchRow *row, const char *format, ...)
{
	va_list args;

	memset(row, 0, sizeof(*row));
	va_start(args, format);
	vsnprintf(row->name, sizeof(row->name), format, args);
	va_end(args);
	row->n_rounds = bench.quick ? 5 : BENCH_MAX_ROUNDS;
	row->limit_ms = bench.quick ? 100 : 600;
	if (bench.max_rounds > 0 && bench.max_rounds < row->n_rounds)
		row->n_rounds = bench.max_rounds;

	if (!is_wanted(row->name) && strncmp(row->name, "copy/", 5) != 0)
		return false;
	if (bench.listing)
		printf("%s\n", row->name);
	return !bench.listing;
}

/*
 * Is this one of the sizes, powers of two in a list that ends with 0, to be
 * measured?  Not those without room on this device.  A quick run has the
 * first, and the largest up to 2^26.
 */
bool
bench_wants_size(const int *sizes, int i)
{
	if (!bench.listing && sizes[i] > bench.max_log2)
		return false;
	return !bench.quick || i == 0 ||
		   (sizes[i] <= 26 && (sizes[i + 1] == 0 || sizes[i + 1] > 26));
}

/* An answer was wrong; its side returns -1. */
void
bench_wrong(const char *what)
{
	fprintf(stderr, "kernels: %s: WRONG ANSWER: %s\n", current->name, what);
	bench.n_wrong++;
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *) a;
	double y = *(const double *) b;

	return (x > y) - (x < y);
}

static Spread
spread_of(const double *x, int n)
{
	double sorted[BENCH_MAX_ROUNDS];
	Spread spread;

	memcpy(sorted, x, (size_t) n * sizeof(*x));
	qsort(sorted, (size_t) n, sizeof(*x), compare);
	spread.median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
	spread.p10 = sorted[(n - 1) / 10];
	spread.p90 = sorted[n - 1 - (n - 1) / 10];
	return spread;
}

/* Let each side do it once, in a row.  False if an answer was wrong. */
static bool
run_round(const BenchRow *row, int round)
{
	int side;

	for (side = 0; side < row->n_sides; side++)
	{
		times[side][round] = row->sides[side].run(row->sides[side].job);
		if (times[side][round] < 0)
			return false;
	}
	return true;
}

/* How many rounds there were; 0 if an answer was wrong. */
static int
run_rounds(const BenchRow *row)
{
	double start;
	int i;

	for (i = 0; i < BENCH_WARM_UPS; i++)
	{
		if (!run_round(row, 0))
			return 0;
	}
	start = bench_now_ms();
	for (i = 0; i < row->n_rounds; i++)
	{
		if (i >= BENCH_MIN_ROUNDS && bench_now_ms() - start > row->limit_ms)
			break;
		if (!run_round(row, i))
			return 0;
	}
	return i;
}

static void
print_spread(Spread spread)
{
	printf("\t%.6g\t%.6g\t%.6g", spread.median, spread.p10, spread.p90);
}

/* Who is compared with, and how; there may be nobody. */
static void
print_other(const BenchRow *row, int n, double our_ms)
{
	double ratios[BENCH_MAX_ROUNDS];
	int best = 0;
	int i;

	for (i = 1; i < row->n_sides - row->n_copies; i++)
	{
		if (best == 0 ||
			spread_of(times[i], n).median < spread_of(times[best], n).median)
			best = i;
	}
	if (best == 0)
	{
		printf("\t-\t-\t-\t-\t-\t-\t-");
		fprintf(stderr, "%-28s %10.4f ms\n", row->name, our_ms);
		return;
	}
	for (i = 0; i < n; i++)
		ratios[i] = times[best][i] / times[0][i];
	printf("\t%s", row->sides[best].name);
	print_spread(spread_of(times[best], n));
	print_spread(spread_of(ratios, n));
	fprintf(stderr, "%-28s %10.4f ms, %s %.4f ms, ratio %.3f\n", row->name,
			our_ms, row->sides[best].name, spread_of(times[best], n).median,
			spread_of(ratios, n).median);
}

static void
print_rates(const BenchRow *row, int n, double our_ms)
{
	double gb = (double) row->n_bytes * 1e-9;
	double copy = bench.copy_gb_per_s;

	if (row->n_bytes == 0)
	{
		printf("\t-\t-\t-\n");
		return;
	}
	if (row->n_copies > 0)
		copy = gb / spread_of(times[row->n_sides - 1], n).median * 1e3;
	printf("\t%.6g", gb / our_ms * 1e3);
	if (copy > 0)
		printf("\t%.6g\t%.4f\n", copy, gb / our_ms * 1e3 / copy);
	else
		printf("\t-\t-\n");
}

/*
 * Measure a row and print it, if its answers are right.  The median of ours
 * in ms, or -1.
 */
double
bench_row(BenchRow *row)
{
	double our_ms;
	int n;

	current = row;
	if (bench.ours)
	{
		row->n_sides = 1;
		row->n_copies = 0;
	}
	n = run_rounds(row);
	if (n == 0)
		return -1;
	our_ms = spread_of(times[0], n).median;
	printf("%s\t%llu\t%llu\t%d", row->name, (unsigned long long) row->n,
		   (unsigned long long) row->n_bytes, n);
	print_spread(spread_of(times[0], n));
	print_other(row, n, our_ms);
	print_rates(row, n, our_ms);
	fflush(stdout);
	return our_ms;
}

/* What follows "name :" in a file of /proc, at most n - 1 bytes. */
static void
look_up(const char *path, const char *name, char *to, size_t n)
{
	FILE *in = fopen(path, "r");
	char line[512];
	char *at;

	snprintf(to, n, "unknown");
	while (in != NULL && fgets(line, sizeof(line), in) != NULL)
	{
		if (strncmp(line, name, strlen(name)) != 0)
			continue;
		at = line + strlen(name);
		at += strspn(at, " \t:");
		at[strcspn(at, "\n\t")] = '\0';
		snprintf(to, n, "%s", at);
		break;
	}
	if (in != NULL)
		fclose(in);
}

/* Two lines: what was measured where and when, and the names of the fields. */
void
bench_print_head(void)
{
	GaDeviceInfo info;
	char module[256];
	char processor[128];
	char date[16];
	time_t now = time(NULL);

	DEVICE(bench.kind->describe(bench.device, &info, &bench.failure));
	look_up("/proc/driver/nvidia/version", "NVRM version", module,
			sizeof(module));
	look_up("/proc/cpuinfo", "model name", processor, sizeof(processor));
	strftime(date, sizeof(date), "%Y-%m-%d", gmtime(&now));
	printf("# gpuagg kernels\tcard=%s\tmultiprocessors=%d\tmemory_bytes=%llu"
		   "\tdriver=%d\truntime=%d\tmodule=%s\tprocessor=%s\tdate=%s"
		   "\tquick=%d\tonly=%s\n",
		   info.name, info.n_multiprocessors,
		   (unsigned long long) info.memory_bytes, info.driver_version,
		   info.runtime_version, module, processor, date, (int) bench.quick,
		   bench.only ? bench.only : "");
	printf("name\telements\tbytes\trounds\tours_ms\tours_p10\tours_p90"
		   "\tother\tother_ms\tother_p10\tother_p90"
		   "\tratio\tratio_p10\tratio_p90"
		   "\tgb_per_s\tcopy_gb_per_s\tcopy_share\n");
}
