/*
 * rung.h
 *		What the host knows of a rung of the ladder: its row in the table, and
 *		what a run of it is given.
 *
 * A rung is a file reduce_*.cuh or scan_*.cuh, and a row in reduce_rungs.cu or
 * scan_rungs.cu.  timed_runs.cu runs it; elements.cu has the kernels that make
 * its elements and compare its results.
 */
#ifndef GA_RUNG_H
#define GA_RUNG_H

#include <cuda_runtime.h>

#include "common.cuh"
extern "C"
{
#include "ladder/ladder_runner.h"
}

/*
 * One run.  All addresses are aligned to 256 bytes, but that of totals to 16;
 * elements are of the request's type.
 */
struct RungRun
{
	GaElementType type;
	bool exclusive;		/* of scans */
	uint32_t n_threads; /* resident threads of the device */
	uint32_t n;			/* elements, at least one */
	void *in;			/* constant, but for kSpoils */
	void *out;			/* the sum, or n totals; any content */
	uint64_t *answer;	/* host memory: the sum, by kAnswersHost */
	char *workspace;	/* any content */
	size_t workspace_bytes;
	cudaStream_t stream;
};

enum RungFlags
{
	kSpoils = 1,	  /* it writes to its elements */
	kAnswersHost = 2, /* its sum goes to host memory */
	kCopies = 4,	  /* its result is the elements themselves */
	kStep = 8,		  /* a step of the ladder, not a yardstick */
	kManaged = 16,	  /* it reads managed memory */
	kExact = 32		  /* the correctly rounded result */
};

struct Rung
{
	GaRung about;

	/* Return the bytes of its workspace; only type and n of the run are set. */
	cudaError_t (*workspace)(const RungRun &run, size_t *n_bytes);

	/* Submit it to the stream.  NULL is the shipping kernels' request. */
	cudaError_t (*run)(const RungRun &run);
	unsigned flags;
};

/* A table of rungs: reduce_rungs.cu and scan_rungs.cu have one each. */
struct RungTable
{
	const Rung *rungs;
	uint32_t n;
};

extern const RungTable reduce_table;
extern const RungTable scan_table;

/* elements.cu.  All functions submit to the stream and return at once. */

/* Make the elements of ladder.h. */
extern cudaError_t make_elements(GaElementType type, void *to, uint32_t n,
								 cudaStream_t stream);

/*
 * Keep the stream busy for some 20 us, in which the host can submit a whole
 * run, so that the device does not wait for the host within it.
 */
extern cudaError_t hold_stream(cudaStream_t stream);

/*
 * Set *any, which is 0 before, to 1 if the bytes differ.  The number of bytes
 * is a multiple of 4.
 */
extern cudaError_t find_difference(const void *a, const void *b, size_t n_bytes,
								   uint32_t *any, cudaStream_t stream);

/*
 * Set *worst, which is 0 before, to the largest distance of a result from the
 * truth.  The types are the same, or int4 and int8.
 */
extern cudaError_t find_worst(GaElementType type, const void *results,
							  GaElementType truth_type, const void *truth,
							  uint32_t n, double *worst, cudaStream_t stream);

/* Copy the lower halves of n integers. */
extern cudaError_t narrow(const int64_t *from, int32_t *to, uint32_t n,
						  cudaStream_t stream);

#endif /* GA_RUNG_H */
