/*
 * together.cc
 *		What threads do together: functions of warps, and barriers of blocks.
 */
#include "block.h"

/* Return the reduction of the values of 32 bits of a mask's lanes. */
static unsigned
reduce(const CpuWarp *warp, unsigned mask, CpuCollective what)
{
	bool is_first = true;
	unsigned x = 0;

	for (unsigned left = mask; left != 0; left &= left - 1)
	{
		const unsigned y = unsigned(warp->thread[__builtin_ctz(left)]->value);

		if (is_first)
			x = y;
		else if (what == kCpuAdd)
			x += y;
		else if (what == kCpuAnd)
			x &= y;
		else if (what == kCpuOr)
			x |= y;
		else if (what == kCpuXor)
			x ^= y;
		else if (what == kCpuMin)
			x = y < x ? y : x;
		else if (what == kCpuMax)
			x = y > x ? y : x;
		else if (what == kCpuMinSigned)
			x = int(y) < int(x) ? y : x;
		else
			x = int(y) > int(x) ? y : x;
		is_first = false;
	}
	return x;
}

static unsigned
ballot(const CpuWarp *warp, unsigned mask)
{
	unsigned lanes = 0;

	for (unsigned left = mask; left != 0; left &= left - 1)
	{
		const unsigned lane = unsigned(__builtin_ctz(left));

		lanes |= unsigned(warp->thread[lane]->value != 0) << lane;
	}
	return lanes;
}

/* Give each lane of a mask its result, when all have arrived. */
static void
complete(CpuWarp *warp, unsigned mask, CpuCollective what)
{
	const uint64_t of_all = what == kCpuBallot ? ballot(warp, mask) :
							what > kCpuShuffle ? reduce(warp, mask, what) :
												 0;

	for (unsigned left = mask; left != 0; left &= left - 1)
	{
		CpuThread *thread = warp->thread[__builtin_ctz(left)];

		if (thread->what != what || thread->mask != mask)
			cpu_fault("lane %u is at another warp-level function than lane "
					  "%u, or with another mask",
					  thread->lane, cpu_thread->lane);
		thread->result = of_all;
		if (what != kCpuShuffle)
			continue;
		if ((mask >> thread->source & 1) == 0)
			cpu_fault("lane %u shuffles from lane %u, which is not in the mask",
					  thread->lane, thread->source);
		thread->result = warp->thread[thread->source]->value;
	}
	warp->waiting &= ~mask;
	warp->order = cpu_random(kLanes);
	cpu_ready(warp, mask);
}

uint64_t
cpu_collect(CpuCollective what, unsigned mask, uint64_t value, unsigned source)
{
	CpuThread *thread = cpu_thread;
	CpuWarp *warp = thread->warp;

	if ((mask >> thread->lane & 1) == 0)
		cpu_fault("lane %u is not in the mask %08x", thread->lane, mask);
	if ((mask & ~warp->alive) != 0)
		cpu_fault("lanes %08x of the mask have ended", mask & ~warp->alive);
	thread->what = what;
	thread->mask = mask;
	thread->source = source;
	thread->value = value;
	warp->waiting |= 1u << thread->lane;
	if ((mask & ~warp->waiting) == 0)
		complete(warp, mask, what);
	cpu_run_next();
	return thread->result;
}

/* Let all that wait at a barrier go on. */
static void
open_barrier(CpuBlock *block, CpuBarrier *barrier)
{
	barrier->result = barrier->value;
	barrier->value = false;
	barrier->n_arrived = 0;
	for (unsigned w = 0; w < block->n_warps; w++)
	{
		if (barrier->waiting[w] == 0)
			continue;
		block->warp[w].order = cpu_random(kLanes);
		cpu_ready(&block->warp[w], barrier->waiting[w]);
		barrier->waiting[w] = 0;
	}
}

bool
cpu_barrier(unsigned number, unsigned n_threads, bool value)
{
	CpuThread *thread = cpu_thread;
	CpuWarp *warp = thread->warp;
	CpuBlock *block = warp->block;
	CpuBarrier *barrier = &block->barrier[number];

	if (barrier->n_arrived > 0 && barrier->n_expected != n_threads)
		cpu_fault("barrier %u is for %u threads, and for %u", number,
				  barrier->n_expected, n_threads);
	barrier->n_expected = n_threads;
	barrier->value |= value;
	barrier->waiting[warp - block->warp] |= 1u << thread->lane;
	barrier->n_arrived++;
	if (barrier->n_arrived == (n_threads != 0 ? n_threads : block->n_alive))
		open_barrier(block, barrier);
	cpu_run_next();
	return barrier->result;
}

void
cpu_leave_barriers(CpuBlock *block)
{
	for (CpuBarrier &barrier : block->barrier)
	{
		if (barrier.n_arrived > 0 && barrier.n_expected == 0 &&
			barrier.n_arrived == block->n_alive)
			open_barrier(block, &barrier);
	}
}
