/*
 * ladder_work.h
 *		A request for the runs of a rung while it is under way.
 */
#ifndef GA_LADDER_WORK_H
#define GA_LADDER_WORK_H

#include "host/device_cuda.h"
#include "rung.h"

/* What comes home after a look. */
struct Look
{
	uint64_t answer;  /* the sum of a reduction; or else: */
	uint32_t differs; /* from the first run's result */
	double worst;	  /* distance from the truth */
};

/* A request under way; a queue has one at most. */
struct RungWork
{
	GaRungRequest *request;
	const Rung *rung;
	bool was_measured;		/* the queue, before */
	bool has_totals;		/* the result is n items, not a sum */
	GaElementType out_type; /* of them, and of the exact ones */
	GaElementType truth_type;
	RungRun run;
	GaDeviceAddress room;
	GaDeviceAddress managed;
	/* in the room: */
	char *elements;
	char *first; /* the first result; then the exact one */
	Look *look;

	GaStatus (*inner)(GaDeviceQueue *queue, GaDeviceFailure *failure);
	GaStatus (*after_inner)(GaDeviceQueue *queue, GaDeviceFailure *failure);
	GaDeviceArray array;
	GaPartialSum partial;
	GaFullRecord full;
	GaSumRequest sum;
	GaScanRequest scan;

	uint64_t answer; /* the last run's sum, as its bits */
	uint64_t first_answer;
	uint32_t n_runs;			  /* that are finished */
	double ms[GA_LADDER_REPEATS]; /* of those but the first */
};

static inline bool
has_flag(const RungWork *work, RungFlags flag)
{
	return (work->rung->flags & flag) != 0;
}

/* ladder_steps.cu: the next run; its step is the queue's. */
extern GaStatus submit_run(GaDeviceQueue *queue, GaDeviceFailure *failure);

#endif /* GA_LADDER_WORK_H */
