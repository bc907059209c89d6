/*
 * block.h
 *		The state of blocks, warps and threads, for the files of threads.h.
 *
 * All of it belongs to the grid that runs; grid.cc owns it and chooses what
 * runs next.
 */
#ifndef BLOCK_H
#define BLOCK_H

#include <map>
#include <vector>

#include "fiber.h"
#include "threads.h"

constexpr unsigned kLanes = warpSize;
constexpr unsigned kMaxWarps = kCpuMaxThreads / kLanes;

struct CpuWarp;
struct CpuBlock;

/* A copy that goes on beside the threads. */
struct CpuCopy
{
	void *to;
	const void *from;
	size_t n_bytes;
	unsigned group;	  /* of cp.async: committed in this group */
	unsigned barrier; /* of a bulk copy: the barrier that counts it */
};

struct CpuThread
{
	Fiber fiber;
	CpuWarp *warp;
	unsigned lane;
	uint3 index;

	/* what it waits for with other lanes */
	CpuCollective what;
	unsigned mask;
	unsigned source;
	uint64_t value;
	uint64_t result;

	std::vector<CpuCopy> copies;
	unsigned group; /* the one that is not committed */

	/* units of shared memory that it has read since its last fence */
	std::vector<unsigned> reads;
};

/* Sets of lanes are masks. */
struct CpuWarp
{
	CpuBlock *block;
	CpuThread *thread[kLanes];
	unsigned alive;
	unsigned ready;	   /* may run */
	unsigned spinning; /* may run when no other may */
	unsigned waiting;  /* for other lanes */
	unsigned order;	   /* lanes run in the order of lane ^ order */
	bool is_slow;	   /* others go first, mostly */
	bool is_listed;	   /* among those that may run */
};

struct CpuBarrier
{
	unsigned n_expected; /* 0: all */
	unsigned n_arrived;
	bool value;
	bool result;
	unsigned waiting[kMaxWarps];
};

/* A block that is resident: it has started. */
struct CpuBlock
{
	unsigned slot;
	uint3 index;
	unsigned n_warps;
	unsigned n_alive;
	CpuWarp warp[kMaxWarps];
	CpuBarrier barrier[kCpuBarriers];
	std::vector<CpuCopy> copies;
	unsigned char *shared;
	std::vector<unsigned> n_reads; /* of each unit, without a fence since */
	std::map<const void *, std::vector<uint64_t>> variables;
};

extern const CpuGrid *cpu_grid;
extern CpuThread *cpu_thread; /* that runs */

/* Let the thread that runs go on later; it runs when it is ready again. */
extern void cpu_run_next(void);

/* These lanes may run. */
extern void cpu_ready(CpuWarp *warp, unsigned lanes);

/* The thread that runs has ended; see which barriers need not wait for it. */
extern void cpu_leave_barriers(CpuBlock *block);

/* Copies that none has waited for, when a block ends. */
extern void cpu_end_copies(CpuBlock *block);

#endif /* BLOCK_H */
