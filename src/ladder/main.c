/*
 * main.c
 *		gpuagg-ladder: times the teaching kernels, in a process of its own.
 *
 * gpuaggd starts it for each call of gpuagg_bench_reduce or gpuagg_bench_scan,
 * and ends it when the session goes away or a run takes too long.  It has its
 * own CUDA context and its own memory, so that a kernel that hangs, leaks or
 * writes where it should not cannot reach resident arrays.  People and
 * profilers can start it, too: then it prints lines.
 *
 * The rows are the serial loop of the CPU, then the rungs of the device: a
 * copy, whose rate is the limit, and the ladder.  Without a CUDA device the
 * rungs behind the first one are the CPU's, too.
 *
 * Exit codes: 1 if a call failed, 2 if the options were not understood.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "device/device_check.h"
#include "ladder_runner.h"
#include "options.h"
#include "report.h"

/* Number of runs that were started. */
static uint32_t n_runs;

static bool
uses_cuda(void)
{
	return ga_ladder_options.ordinal != GA_LADDER_ON_CPU;
}

/* The runner of the rungs that are measured. */
static const GaLadderRunner *
runner(void)
{
	return uses_cuda() ? &ga_ladder_cuda : &ga_ladder_cpu;
}

/* Do what the faults say of the run that starts. */
static GaStatus
apply_faults(GaDeviceFailure *failure)
{
	const GaLadderFaults *faults = &ga_ladder_options.faults;

	n_runs++;
	while (n_runs == faults->hang)
		pause();
	if (n_runs == faults->crash)
		abort();
	if (n_runs != faults->fail && n_runs != faults->refuse)
		return GA_OK;
	ga_device_failure(failure, "rung", "run %u: injected %s", (unsigned) n_runs,
					  n_runs == faults->fail ? "failure" : "lack of memory");
	return n_runs == faults->fail ? GA_DEVICE_FAILED : GA_NO_MEMORY;
}

static GaStatus
progress(bool starts_run, GaDeviceFailure *failure)
{
	ga_report_alive();
	return starts_run ? apply_faults(failure) : GA_OK;
}

/* Is the rung asked for? */
static bool
is_wanted(const GaRung *rung)
{
	const GaLadderOptions *options = &ga_ladder_options;

	if (options->rung != NULL)
		return strcmp(options->rung, rung->name) == 0;
	return (rung->types >> options->call.type & 1) != 0 &&
		   (options->call.managed || !rung->is_managed);
}

/* Time one rung, and report its row. */
static GaStatus
run_rung(const GaLadderRunner *by, uint32_t place, const GaRung *rung,
		 GaDeviceFailure *failure)
{
	const GaLadderCall *call = &ga_ladder_options.call;
	GaRungRequest request = {.ladder = (GaLadder) call->ladder,
							 .rung = place,
							 .type = (GaElementType) call->type,
							 .n = call->n,
							 .repeats = call->repeats,
							 .progress = progress};
	GaLadderRow row = {.rung = *rung};
	GaStatus status;

	ga_report_start(rung);
	status = by->run(&request, failure);
	if (status != GA_OK)
		return status;
	row.ms = request.ms;
	row.max_error = request.max_error;
	row.same_bits = request.same_bits;
	ga_report_row(&row, by->device_name());
	return GA_OK;
}

/* Time the rungs of a runner's list from one on, and before another. */
static GaStatus
run_rungs(const GaLadderRunner *by, uint32_t first, uint32_t end,
		  GaDeviceFailure *failure)
{
	const GaRung *rungs;
	uint32_t n = by->rungs((GaLadder) ga_ladder_options.call.ladder, &rungs);
	GaStatus status = GA_OK;
	uint32_t i;

	for (i = first; i < n && i < end && status == GA_OK; i++)
	{
		if (is_wanted(&rungs[i]))
			status = run_rung(by, i, &rungs[i], failure);
	}
	return status;
}

/* Time everything that is asked for: the CPU's first rung is in each table. */
static GaStatus
run_ladder(GaDeviceFailure *failure)
{
	GaStatus status;

	if (runner() == NULL)
	{
		ga_device_failure(failure, "gpuagg-ladder",
						  "it was built without CUDA");
		return GA_NO_DRIVER;
	}
	status = runner()->open(ga_ladder_options.ordinal,
							ga_ladder_options.reserve_bytes, failure);
	if (status != GA_OK)
		return status;
	ga_report_alive();
	status = run_rungs(&ga_ladder_cpu, 0, 1, failure);
	if (status == GA_OK)
		status = run_rungs(runner(), uses_cuda() ? 0 : 1, UINT32_MAX, failure);
	if (status != GA_DEVICE_FAILED)
		runner()->close();
	return status;
}

static void
print_rung(GaLadder ladder, const GaRung *rung)
{
	const char *between = "";
	int type;

	printf("%s\t%s\t", ga_ladder_name(ladder), rung->name);
	for (type = 0; type < GA_N_ELEMENT_TYPES; type++)
	{
		if ((rung->types >> type & 1) == 0)
			continue;
		printf("%s%s", between, ga_element_name((GaElementType) type));
		between = ",";
	}
	printf("\t%s\n", rung->title);
}

/* Print which rungs there are; needs no device. */
static void
list(void)
{
	const GaLadderRunner *listed = runner() != NULL ? runner() : &ga_ladder_cpu;
	int ladder;

	for (ladder = 0; ladder < GA_N_LADDERS; ladder++)
	{
		const GaRung *rungs;
		uint32_t n = listed->rungs((GaLadder) ladder, &rungs);
		uint32_t i;

		for (i = 0; i < n; i++)
			print_rung((GaLadder) ladder, &rungs[i]);
	}
}

/*
 * End as after a failed call.  In a container PostgreSQL may be the first
 * process, which becomes the parent of this one: a child that a signal ended
 * is a crash to it, for which it would end all its sessions.
 */
static void
end_with_parent(int number)
{
	(void) number;
	_exit(1);
}

/*
 * As a child of gpuaggd: end with it, and keep nothing that it has open, of
 * which the driver's descriptors would keep its memory on the device.
 */
static void
detach_from_parent(int socket)
{
	struct pollfd parent = {.fd = socket};
	struct rlimit limit;
	rlim_t i;

	(void) signal(SIGTERM, end_with_parent);
	(void) prctl(PR_SET_PDEATHSIG, SIGTERM);
	/* it may have ended before that */
	if (poll(&parent, 1, 0) > 0 && (parent.revents & POLLHUP) != 0)
		exit(1);
#ifdef SYS_close_range
	if (syscall(SYS_close_range, (unsigned) socket + 1, ~0U, 0) == 0)
		return;
#endif
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > 1024 * 1024)
		limit.rlim_cur = 1024 * 1024;
	for (i = (rlim_t) socket + 1; i < limit.rlim_cur; i++)
		close((int) i);
}

int
main(int argc, char **argv)
{
	GaDeviceFailure failure = {.call = ""};
	GaStatus status;

	ga_ladder_options_parse(argc, argv);
	if (ga_ladder_options.socket >= 0)
		detach_from_parent(ga_ladder_options.socket);
	if (ga_ladder_options.lists)
	{
		list();
		return 0;
	}
	status = run_ladder(&failure);
	ga_report_end(status, &failure);
	return status == GA_OK ? 0 : 1;
}
