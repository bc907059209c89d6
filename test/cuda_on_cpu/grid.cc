/*
 * grid.cc
 *		The grid that runs: its blocks, and which thread runs next.
 *
 * A few blocks are resident at a time; when one ends, the next one starts in
 * its slot.  Blocks start in an order of chance, since nothing may depend on
 * it.  The lanes of a warp run in turn, in an order that changes at each
 * warp-level function; now and then, and when all of them wait, another warp
 * of any resident block goes on.  Some warps are slow, so that others come far
 * ahead of them where nothing holds these.
 */
#include <numeric>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "block.h"

constexpr unsigned kMaxResident = 4;
constexpr unsigned kOthersOneIn = 8;  /* chance that another warp goes on */
constexpr unsigned kSlowOneIn = 4;	  /* chance that a warp is slow */
constexpr unsigned kSlowGoOneIn = 32; /* chance that it goes nevertheless */
constexpr unsigned kPauseOneIn = 8;	  /* chance that an access pauses */
constexpr unsigned kMostSpins = 20 * 1000 * 1000;
constexpr unsigned kGarbage = 0xa5;

uint3 threadIdx;
uint3 blockIdx;
dim3 blockDim;
dim3 gridDim;
const CpuGrid *cpu_grid;
CpuThread *cpu_thread;

/* The threads of a slot, and their stacks, are kept. */
struct Slot
{
	CpuBlock block;
	CpuThread thread[kCpuMaxThreads];
	unsigned n_threads; /* that have a fiber */
	char *stacks;
};

static Slot *slots[kMaxResident];
static Fiber host; /* the caller of cpu_run_grid() */
static uint64_t random_state;
static unsigned n_spins; /* since anything else happened */

/* Warps that may run. */
static CpuWarp *listed[kMaxResident * kMaxWarps];
static unsigned n_listed;

/* The order in which blocks start: first + i * step modulo their number. */
static uint64_t n_blocks;
static uint64_t n_started;
static uint64_t first_block;
static uint64_t block_step;

unsigned long
cpu_seed(void)
{
	const char *seed = getenv("GPUAGG_CPU_KERNELS_SEED");

	return seed != nullptr ? strtoul(seed, nullptr, 10) : 1;
}

unsigned
cpu_random(unsigned n)
{
	if (random_state == 0)
		random_state = (cpu_seed() + 1) * 0x9e3779b97f4a7c15u | 1;
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return unsigned((random_state >> 32) * n >> 32);
}

void
cpu_fault(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "kernel on the CPU: %s: ",
			cpu_grid != nullptr ? cpu_grid->name : "none");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	if (cpu_thread != nullptr)
		fprintf(stderr, "; block %u of %u, thread %u of %u", blockIdx.x,
				gridDim.x, threadIdx.x, blockDim.x);
	fprintf(stderr, "; GPUAGG_CPU_KERNELS_SEED=%lu\n", cpu_seed());
	abort();
}

/* Say what all threads wait for, and end the program. */
static void __attribute__((noreturn)) report_deadlock(const char *what)
{
	for (Slot *slot : slots)
	{
		const CpuBlock *block = slot != nullptr ? &slot->block : nullptr;

		if (block == nullptr || block->n_alive == 0)
			continue;
		fprintf(stderr, "block %u:\n", block->index.x);
		for (unsigned w = 0; w < block->n_warps; w++)
		{
			const CpuWarp *warp = &block->warp[w];

			fprintf(stderr, "  warp %u: lanes %08x of %08x wait for others", w,
					warp->waiting, warp->alive);
			for (unsigned b = 0; b < kCpuBarriers; b++)
			{
				if (block->barrier[b].waiting[w] != 0)
					fprintf(stderr, ", %08x at barrier %u",
							block->barrier[b].waiting[w], b);
			}
			fprintf(stderr, "\n");
		}
	}
	cpu_fault("%s", what);
}

/* Put a warp on the list of those that may run. */
static void
list_warp(CpuWarp *warp)
{
	if (warp->is_listed)
		return;
	warp->is_listed = true;
	listed[n_listed++] = warp;
}

void
cpu_ready(CpuWarp *warp, unsigned lanes)
{
	warp->ready |= lanes;
	n_spins = 0;
	list_warp(warp);
}

/* Choose a warp that may run. */
static CpuWarp *
choose_warp(void)
{
	while (n_listed > 0)
	{
		const unsigned i = cpu_random(n_listed);
		CpuWarp *warp = listed[i];

		if (warp->ready == 0)
		{
			warp->ready = warp->spinning;
			warp->spinning = 0;
		}
		if (warp->ready != 0 && warp->is_slow && n_listed > 1 &&
			cpu_random(kSlowGoOneIn) != 0)
			continue;
		if (warp->ready != 0)
			return warp;
		warp->is_listed = false;
		listed[i] = listed[--n_listed];
	}
	report_deadlock("all threads wait");
}

/* Return the lane that is the first in the warp's order, and take it out. */
static unsigned
take_lane(CpuWarp *warp)
{
	static const unsigned low[5] = {0x55555555, 0x33333333, 0x0f0f0f0f,
									0x00ff00ff, 0x0000ffff};
	unsigned lanes = warp->ready;
	unsigned lane;

	for (int k = 0; k < 5; k++)
	{
		if (warp->order >> k & 1)
			lanes = (lanes & low[k]) << (1 << k) | (lanes >> (1 << k) & low[k]);
	}
	lane = unsigned(__builtin_ctz(lanes)) ^ warp->order;
	warp->ready &= ~(1u << lane);
	return lane;
}

/* Run a thread that is ready; the caller is not, or is one of them. */
static void
run_thread(Fiber *from, CpuWarp *warp)
{
	CpuThread *to = warp->thread[take_lane(warp)];

	/* a thread that goes on may be in the next block of its slot */
	threadIdx = to->index;
	blockIdx = warp->block->index;
	if (to == cpu_thread)
		return;
	cpu_thread = to;
	fiber_switch(from, &to->fiber);
}

void
cpu_run_next(void)
{
	CpuWarp *warp = cpu_thread->warp;

	if (warp->ready == 0 || cpu_random(kOthersOneIn) == 0)
		warp = choose_warp();
	run_thread(&cpu_thread->fiber, warp);
}

void
cpu_pause(void)
{
	if (cpu_random(kPauseOneIn) != 0)
		return;
	cpu_thread->warp->ready |= 1u << cpu_thread->lane;
	list_warp(cpu_thread->warp);
	run_thread(&cpu_thread->fiber, choose_warp());
}

void
cpu_spin(void)
{
	CpuWarp *warp = cpu_thread->warp;

	if (++n_spins > kMostSpins)
		report_deadlock("all threads spin, or wait");
	warp->spinning |= 1u << cpu_thread->lane;
	list_warp(warp);
	run_thread(&cpu_thread->fiber, choose_warp());
}

/* Start the next block in a slot; false if there is none left. */
static bool
start_block(Slot *slot)
{
	CpuBlock *block = &slot->block;
	const unsigned n_threads = blockDim.x;
	uint64_t index;

	if (n_started == n_blocks)
		return false;
	index = (first_block + n_started++ * block_step) % n_blocks;
	block->index = uint3{unsigned(index), 0, 0};
	block->n_warps = (n_threads + kLanes - 1) / kLanes;
	block->n_alive = n_threads;
	memset(block->barrier, 0, sizeof(block->barrier));
	memset(block->shared, kGarbage, cpu_grid->shared_bytes);
	for (auto &variable : block->variables)
		memset(variable.second.data(), kGarbage,
			   variable.second.size() * sizeof(uint64_t));
	for (unsigned w = 0; w < block->n_warps; w++)
	{
		const unsigned n = n_threads - w * kLanes;
		CpuWarp *warp = &block->warp[w];

		warp->alive = n >= kLanes ? ~0u : (1u << n) - 1;
		warp->spinning = 0;
		warp->waiting = 0;
		warp->order = cpu_random(kLanes);
		warp->is_slow = cpu_random(kSlowOneIn) == 0;
		cpu_ready(warp, warp->alive);
	}
	return true;
}

/* The thread that runs has ended: see to its block, and run the next one. */
static void
end_thread(void)
{
	CpuWarp *warp = cpu_thread->warp;
	CpuBlock *block = warp->block;

	if (!cpu_thread->copies.empty())
		cpu_fault("the thread has ended before its copies");
	/* now and then: once it has, that can be seen for ever */
	if (cpu_random(64) == 0 && fiber_has_overflowed(&cpu_thread->fiber))
		cpu_fault("the stack of the thread is too small");
	cpu_fence_reads();
	cpu_thread->group = 0;
	warp->alive &= ~(1u << cpu_thread->lane);
	block->n_alive--;
	n_spins = 0;
	cpu_leave_barriers(block);
	if (block->n_alive == 0)
	{
		cpu_end_copies(block);
		if (!start_block(slots[block->slot]))
		{
			unsigned n_alive = 0;

			for (Slot *slot : slots)
				n_alive += slot != nullptr ? slot->block.n_alive : 0;
			if (n_alive == 0)
			{
				CpuThread *last = cpu_thread;

				cpu_thread = nullptr;
				fiber_switch(&last->fiber, &host);
				return;
			}
		}
	}
	cpu_run_next();
}

/* What a fiber does: to be one thread of a grid after another. */
static void
run_threads(void)
{
	for (;;)
	{
		cpu_grid->thread();
		end_thread();
	}
}

/* Prepare a slot for blocks of so many threads. */
static void
prepare_slot(unsigned s, unsigned n_threads)
{
	Slot *slot = slots[s];

	if (slot == nullptr)
	{
		slot = slots[s] = new Slot();
		slot->stacks = fiber_stacks(kCpuMaxThreads);
		slot->block.slot = s;
	}
	for (; slot->n_threads < n_threads; slot->n_threads++)
	{
		const unsigned i = slot->n_threads;
		CpuThread *thread = &slot->thread[i];

		thread->warp = &slot->block.warp[i / kLanes];
		thread->warp->block = &slot->block;
		thread->lane = i % kLanes;
		thread->warp->thread[thread->lane] = thread;
		thread->index = uint3{i, 0, 0};
		fiber_init(&thread->fiber, slot->stacks, i, run_threads);
	}
	slot->block.variables.clear();
	slot->block.shared = nullptr;
	/* of its exact size: the address sanitizer sees its end */
	if (posix_memalign((void **) &slot->block.shared, 1024,
					   cpu_grid->shared_bytes) != 0)
		cpu_fault("out of memory");
}

/* Choose the order of blocks, and how many are resident. */
static unsigned
choose_order(void)
{
	unsigned n_resident = 1 + cpu_random(kMaxResident);

	n_blocks = cpu_grid->grid.x;
	n_started = 0;
	first_block = cpu_random(unsigned(n_blocks));
	do
		block_step = 1 + cpu_random(unsigned(n_blocks));
	while (std::gcd(block_step, n_blocks) != 1);
	if (n_resident > cpu_grid->max_resident)
		n_resident = cpu_grid->max_resident;
	return n_resident < n_blocks ? n_resident : unsigned(n_blocks);
}

void
cpu_run_grid(const CpuGrid &grid)
{
	unsigned n_resident;

	cpu_grid = &grid;
	blockDim = grid.block;
	gridDim = grid.grid;
	while (n_listed > 0)
		listed[--n_listed]->is_listed = false;
	n_resident = choose_order();
	for (unsigned s = 0; s < n_resident; s++)
	{
		prepare_slot(s, grid.block.x);
		(void) start_block(slots[s]);
	}
	run_thread(&host, choose_warp());
	for (unsigned s = 0; s < n_resident; s++)
		free(slots[s]->block.shared);
	cpu_grid = nullptr;
}
