/*
 * timed_runs.h
 *		A request for the runs of a rung, while it is executed.
 */
#ifndef GA_TIMED_RUNS_H
#define GA_TIMED_RUNS_H

#include "host/device_cuda.h"
#include "rung.h"

/* What the host reads after each run. */
struct Outcome
{
	uint64_t answer;  /* the sum of a reduction; or else: */
	uint32_t differs; /* from the first run's result */
	double worst;	  /* distance from the truth */
};

/* ladder.cu makes and frees it; timed_runs.cu uses it. */
struct TimedRuns
{
	GaRungRequest *request;
	const Rung *rung;
	GaDevice *device;
	GaDeviceQueue *queue; /* whose stream the runs use, too */
	cudaEvent_t begin;
	cudaEvent_t end;
	bool has_totals;		/* the result is n items, not a sum */
	GaElementType out_type; /* of them, and of the exact ones */
	GaElementType truth_type;
	RungRun run;

	GaDeviceAddress memory;
	char *elements; /* in this memory */
	char *first;	/* the first result; then the exact one */
	Outcome *outcome;
	void *managed;
	Outcome *host; /* the outcome in pinned memory */

	GaPartialSum partial; /* the exact sum */
	GaFullRecord full;
	uint64_t answer; /* the last run's sum, as its bits */
	uint64_t first_answer;
	double ms[GA_LADDER_REPEATS];
};

static inline bool
has_flag(const TimedRuns *runs, RungFlags flag)
{
	return (runs->rung->flags & flag) != 0;
}

/* timed_runs.cu */
extern GaStatus time_runs(TimedRuns *runs, GaDeviceFailure *failure);

#endif /* GA_TIMED_RUNS_H */
