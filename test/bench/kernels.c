/*
 * kernels.c
 *		`make bench-kernels`: how fast the kernels are, beside CUB's.
 *
 * Ours go through device.h, on data that lies in device memory; CUB's sums and
 * running totals are not exact, and are what there is to reach.  The sides of
 * a row take turns in one run, and each answer is checked: see kernels_row.c
 * for what is printed, kernels_job.c for the checks, kernels_device.c for how
 * work is timed, and kernels_gpu.h for the data.  kernels.pl runs this, and
 * writes down what it says and whether that is enough.
 *
 * usage: kernels [--quick] [--only=PREFIX,...] [--ours] [--rounds=N]
 *		[--list]
 *
 *		--quick		two sizes of each, few rounds
 *		--only		rows whose names begin so
 *		--ours		without the other sides and the rows of latency, for
 *					test/bench/toolkits
 *		--rounds	at most so many rounds of a row
 *		--list		only print the names, without a device
 *
 * Exit codes: 1 if an answer was wrong; 2 if a call failed, or the options
 * were not understood.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

static bool
read_options(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
	{
		if (strcmp(argv[i], "--quick") == 0)
			bench.quick = true;
		else if (strcmp(argv[i], "--list") == 0)
			bench.listing = true;
		else if (strncmp(argv[i], "--only=", 7) == 0)
			bench.only = argv[i] + 7;
		else if (strcmp(argv[i], "--ours") == 0)
			bench.ours = true;
		else if (strncmp(argv[i], "--rounds=", 9) == 0)
			bench.max_rounds = atoi(argv[i] + 9);
		else
			return false;
	}
	return bench.max_rounds >= 0 && bench.max_rounds <= BENCH_MAX_ROUNDS;
}

static void
run_rows(void)
{
	bench_copy_row();
	bench_sum_rows();
	bench_packed_rows();
	bench_reduce_rows();
	bench_products_rows();
	if (!bench.ours)
		bench_latency_rows();
	bench_scan_rows();
	bench_many_rows();
	bench_elem_rows();
	bench_window_rows();
}

int
main(int argc, char **argv)
{
	double start = bench_now_ms();

	if (!read_options(argc, argv))
	{
		fprintf(stderr, "usage: kernels [--quick] [--only=PREFIX,...] [--ours] "
						"[--rounds=N] [--list]\n");
		return 2;
	}
	if (bench.listing)
	{
		run_rows();
		return 0;
	}
	bench_open();
	bench_print_head();
	run_rows();
	bench_close();
	fprintf(stderr, "kernels: %.1f s, %d wrong\n",
			(bench_now_ms() - start) * 1e-3, bench.n_wrong);
	return bench.n_wrong == 0 ? 0 : 1;
}
