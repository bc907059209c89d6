/*
 * ladder_runner.h
 *		The interface of what runs rungs: the CPU, or a CUDA device.
 *
 * cpu_rungs.c and kernels/ladder implement it; main.c and the tests call it,
 * from one thread.  A process has one runner open at a time.  Calls block until
 * their work is done.  A failure has a status and a reason, as in device.h;
 * after GA_DEVICE_FAILED the process can only end.
 */
#ifndef GA_LADDER_RUNNER_H
#define GA_LADDER_RUNNER_H

#include "device/device.h"
#include "ladder.h"

/* Runs of one rung, and what they came to. */
typedef struct GaRungRequest
{
	GaLadder ladder;
	uint32_t rung; /* its place in the runner's list */
	GaElementType type;
	uint64_t n;		  /* 1 to GA_LADDER_ELEMENTS */
	uint32_t repeats; /* timed runs: 1 to GA_LADDER_REPEATS */

	/* n elements instead of those of ladder.h, or NULL. */
	const void *in;

	/*
	 * Where to write the last run's result, or NULL: the sum, or n totals; of
	 * a copy the first element, or all of them.
	 */
	void *out;

	/*
	 * Called before each run, and after parts of long ones; a status other
	 * than GA_OK ends the request.  May be NULL.
	 */
	GaStatus (*progress)(bool starts_run, GaDeviceFailure *failure);

	/* the answer */
	double ms;		  /* the median run */
	double max_error; /* of the sum or any total, against the exact one */
	bool same_bits;	  /* all runs had the first one's result */
} GaRungRequest;

typedef struct GaLadderRunner
{
	/*
	 * Open the device of this ordinal, and leave so many bytes of its free
	 * memory to others.  GA_NO_DRIVER, GA_NO_DEVICE, GA_NO_MEMORY,
	 * GA_DEVICE_FAILED.
	 */
	GaStatus (*open)(int ordinal, uint64_t reserve_bytes,
					 GaDeviceFailure *failure);
	void (*close)(void);

	/* The open device's name. */
	const char *(*device_name)(void);

	/* Bytes of the device's memory that are allocated; 0 between requests. */
	uint64_t (*used_bytes)(void);

	/* List the rungs of a ladder, in order; *rungs is constant. */
	uint32_t (*rungs)(GaLadder ladder, const GaRung **rungs);

	/*
	 * Run a rung that ga_rung_check() accepts.  GA_OK, GA_NO_MEMORY,
	 * GA_DEVICE_FAILED, or what progress() returned.
	 */
	GaStatus (*run)(GaRungRequest *request, GaDeviceFailure *failure);
} GaLadderRunner;

extern const GaLadderRunner ga_ladder_cpu;

/* Its address is NULL in programs that are linked without CUDA. */
extern const GaLadderRunner ga_ladder_cuda __attribute__((weak));

extern GaStatus ga_rung_check(const GaLadderRunner *runner,
							  const GaRungRequest *request,
							  GaDeviceFailure *failure);

#endif /* GA_LADDER_RUNNER_H */
