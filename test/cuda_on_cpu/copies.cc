/*
 * copies.cc
 *		Shared memory, copies that go on beside the threads, and the barriers
 *		in shared memory that count them.
 *
 * A copy may be made as soon as it is begun, and as late as its end is waited
 * for: chance decides, so that neither may matter.  On a device a bulk copy can
 * overtake loads of what it overwrites, unless a fence is between: here that is
 * a fault, of loads by load_shared(), which the rings of plain elements use.
 */
#include <string.h>

#include "block.h"

constexpr int kGarbage = 0xa5;
constexpr unsigned kSharedStart = 1024; /* no address of shared memory is 0 */

unsigned char *
cpu_shared(void)
{
	return cpu_thread->warp->block->shared;
}

void *
cpu_shared_variable(const void *variable, size_t n_bytes)
{
	auto &memory = cpu_thread->warp->block->variables[variable];

	if (memory.empty())
	{
		memory.resize((n_bytes + 7) / 8);
		memset(memory.data(), kGarbage, memory.size() * sizeof(uint64_t));
	}
	return memory.data();
}

unsigned
cpu_shared_address(const void *p)
{
	const unsigned char *at = (const unsigned char *) p;
	const unsigned char *shared = cpu_shared();

	if (at < shared || at >= shared + cpu_grid->shared_bytes)
		cpu_fault("%p is not in shared memory", p);
	return kSharedStart + unsigned(at - shared);
}

void *
cpu_shared_pointer(unsigned address, size_t n_bytes)
{
	if (address < kSharedStart ||
		address - kSharedStart + n_bytes > cpu_grid->shared_bytes)
		cpu_fault("%zu bytes at %u are not in shared memory of %zu bytes",
				  n_bytes, address - kSharedStart, cpu_grid->shared_bytes);
	return cpu_shared() + (address - kSharedStart);
}

/* Bytes of a bulk copy are multiples of a unit. */
constexpr unsigned kUnit = 16;

/* Return a pointer to what the thread reads, which it has not fenced yet. */
const void *
cpu_read_shared(unsigned address, size_t n_bytes)
{
	CpuThread *thread = cpu_thread;
	auto &n_reads = thread->warp->block->n_reads;
	const unsigned end = unsigned((address + n_bytes + kUnit - 1) / kUnit);

	if (n_reads.size() < end)
		n_reads.resize(end);
	for (unsigned unit = address / kUnit; unit < end; unit++)
	{
		thread->reads.push_back(unit);
		n_reads[unit]++;
	}
	return cpu_shared_pointer(address, n_bytes);
}

void
cpu_fence_reads(void)
{
	for (unsigned unit : cpu_thread->reads)
		cpu_thread->warp->block->n_reads[unit]--;
	cpu_thread->reads.clear();
}

/* Fault if a bulk copy to so many bytes can overtake a read of them. */
static void
check_reads(unsigned to, unsigned n_bytes)
{
	const auto &n_reads = cpu_thread->warp->block->n_reads;

	for (size_t unit = to / kUnit;
		 unit < (to + n_bytes) / kUnit && unit < n_reads.size(); unit++)
	{
		if (n_reads[unit] != 0)
			cpu_fault("a bulk copy to what is read, without a fence");
	}
}

static void
make_copy(const CpuCopy &copy)
{
	memcpy(copy.to, copy.from, copy.n_bytes);
}

void
cpu_copy_async(void *to, const void *from, size_t n_bytes)
{
	const CpuCopy copy = {to, from, n_bytes, cpu_thread->group, 0};

	if (cpu_random(2) != 0)
		make_copy(copy);
	else
		cpu_thread->copies.push_back(copy);
}

void
cpu_copy_commit(void)
{
	cpu_thread->group++;
}

void
cpu_copy_wait(unsigned n_groups_left)
{
	CpuThread *thread = cpu_thread;
	size_t n_kept = 0;

	for (const CpuCopy &copy : thread->copies)
	{
		if (thread->group - copy.group > n_groups_left)
			make_copy(copy);
		else
			thread->copies[n_kept++] = copy;
	}
	thread->copies.resize(n_kept);
}

/* The word of a barrier in shared memory. */
struct Mbarrier
{
	uint32_t parity : 1; /* of the phase that is not complete */
	uint32_t n_arrivals : 15;
	uint32_t n_missing : 16;
	int32_t n_bytes; /* announced, and not copied */
};

static Mbarrier *
mbarrier(unsigned address)
{
	static_assert(sizeof(Mbarrier) == sizeof(uint64_t), "a word");
	if (address % 8 != 0)
		cpu_fault("a barrier at %u is not aligned", address);
	return (Mbarrier *) cpu_shared_pointer(address, sizeof(Mbarrier));
}

static void
complete_phase(Mbarrier *at)
{
	if (at->n_missing != 0 || at->n_bytes != 0)
		return;
	at->parity ^= 1;
	at->n_missing = at->n_arrivals;
}

void
cpu_mbarrier_init(unsigned barrier, unsigned n_arrivals)
{
	*mbarrier(barrier) = Mbarrier{0, n_arrivals, n_arrivals, 0};
}

void
cpu_mbarrier_arrive(unsigned barrier, unsigned n_bytes)
{
	Mbarrier *at = mbarrier(barrier);

	if (at->n_missing == 0)
		cpu_fault("an arrival too many at a barrier in shared memory");
	at->n_bytes += int32_t(n_bytes);
	at->n_missing--;
	complete_phase(at);
	cpu_pause();
}

/* Make a bulk copy, and count it. */
static void
make_bulk_copy(const CpuCopy &copy)
{
	Mbarrier *at = mbarrier(copy.barrier);

	make_copy(copy);
	at->n_bytes -= int32_t(copy.n_bytes);
	complete_phase(at);
}

void
cpu_copy_bulk(unsigned to, const void *from, unsigned n_bytes, unsigned barrier)
{
	const CpuCopy copy = {cpu_shared_pointer(to, n_bytes), from, n_bytes, 0,
						  barrier};

	if (n_bytes % kUnit != 0 || to % kUnit != 0 ||
		(uintptr_t) from % kUnit != 0)
		cpu_fault("a bulk copy is not aligned");
	check_reads(to, n_bytes);
	if (cpu_random(2) != 0)
		make_bulk_copy(copy);
	else
		cpu_thread->warp->block->copies.push_back(copy);
}

/* Make one of the block's bulk copies that are under way. */
static void
go_on_copying(CpuBlock *block)
{
	auto &copies = block->copies;

	if (copies.empty() || cpu_random(2) != 0)
		return;
	const size_t i = cpu_random(unsigned(copies.size()));
	const CpuCopy copy = copies[i];

	copies[i] = copies.back();
	copies.pop_back();
	make_bulk_copy(copy);
}

void
cpu_mbarrier_wait(unsigned barrier, unsigned parity)
{
	while (mbarrier(barrier)->parity == parity)
	{
		go_on_copying(cpu_thread->warp->block);
		cpu_spin();
	}
}

void
cpu_end_copies(CpuBlock *block)
{
	if (!block->copies.empty())
		cpu_fault("a block has ended before its bulk copies");
}
