/*
 * rung.h
 *		What the host knows of a rung of the ladder: its row in the table, and
 *		what a run of it is given.
 *
 * A rung is a file reduce_*.cuh or scan_*.cuh, and a row in reduce_rungs.cu or
 * scan_rungs.cu.  ladder.cu makes the elements, runs it and looks at what it
 * came to; elements.cu has the kernels for that.
 */
#ifndef GA_RUNG_H
#define GA_RUNG_H

#include <cuda_runtime.h>

#include "common.cuh"

/*
 * One run.  All addresses are aligned to 256 bytes, and those of elements are
 * of the request's type.
 */
struct RungRun
{
	GaElementType type;
	bool exclusive;		/* of scans */
	uint32_t n_threads; /* that the device has room for */
	uint32_t n;			/* elements, at least one */
	void *in;			/* not to be written, but by kSpoils */
	void *out;			/* the sum, or n totals; any content */
	uint64_t *answer;	/* host memory: the sum, by kAnswersHost */
	char *room;			/* any content */
	size_t room_bytes;	/* what Rung.room asked for */
	cudaStream_t stream;
};

/* What ladder.cu has to know of a rung besides. */
enum RungFlags
{
	kSpoils = 1,	  /* it writes to its elements */
	kAnswersHost = 2, /* its sum goes to host memory */
	kCopies = 4		  /* its result is the elements themselves */
};

struct Rung
{
	GaRung about;

	/* Bytes that a run takes to work with; only type and n are set. */
	cudaError_t (*room)(const RungRun &run, size_t *n_bytes);

	/* Submit it to the stream.  NULL is the shipping kernel's request. */
	cudaError_t (*run)(const RungRun &run);
	unsigned flags;
};

/* reduce_rungs.cu, scan_rungs.cu */
constexpr uint32_t kReduceRungs = 12;
constexpr uint32_t kScanRungs = 7;

extern const Rung reduce_rungs[kReduceRungs];
extern const Rung scan_rungs[kScanRungs];

/* The types that a rung may take. */
constexpr uint32_t kLadderTypes =
	1u << GA_int4 | 1u << GA_int8 | 1u << GA_float4 | 1u << GA_float8;

/*
 * elements.cu.  Nothing here waits.
 */

/* The elements of ladder.h. */
extern cudaError_t make_elements(GaElementType type, void *to, uint32_t n,
								 cudaStream_t stream);

/*
 * Keep the stream busy for some 20 us: who submits work behind it has that time
 * to do so, and the device begins at once.
 */
extern cudaError_t hold_stream(cudaStream_t stream);

/* *any, which was 0, becomes 1 if the bytes differ; a multiple of 4 of them. */
extern cudaError_t find_difference(const void *a, const void *b, size_t n_bytes,
								   uint32_t *any, cudaStream_t stream);

/*
 * *worst, which was 0, becomes the largest distance of a result from the
 * truth.  The types are the same, or int4 and int8.
 */
extern cudaError_t find_worst(GaElementType type, const void *results,
							  GaElementType truth_type, const void *truth,
							  uint32_t n, double *worst, cudaStream_t stream);

/* The lower halves of n integers. */
extern cudaError_t narrow(const int64_t *from, int32_t *to, uint32_t n,
						  cudaStream_t stream);

#endif /* GA_RUNG_H */
