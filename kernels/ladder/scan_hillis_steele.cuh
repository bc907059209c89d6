/*
 * scan_hillis_steele.cuh
 *		Running totals, rung hillis-steele: the data-parallel scan.
 *
 * What it does: in each step every thread adds to its item the one that lies
 * `step` before it, and step doubles:
 *
 *		items	a   b    c     d
 *		step 1	a  a+b  b+c   c+d
 *		step 2	a  a+b a+b+c a+b+c+d
 *
 * Item t then is the total of elements 0 to t: inclusive.  For the exclusive
 * total a thread takes the item before its own.  A thread must not overwrite
 * what another one has yet to read, so there are two buffers in shared memory:
 * a step reads one and writes the other, and one barrier a step is enough.
 *
 * Its fault: work.  512 elements take 9 steps of nearly 512 additions each,
 * where one after the other would take 511 in all.  The steps are few, so on a
 * machine with a processor for each element it would be the fastest way; on a
 * multiprocessor the threads take turns, and additions cost time.
 *
 * The next rung, scan_blelloch.cuh, does two additions for each element.
 *
 * Hillis and Steele, "Data parallel algorithms", 1986.
 */
#ifndef GA_SCAN_HILLIS_STEELE_CUH
#define GA_SCAN_HILLIS_STEELE_CUH

#include "scan_blocks.cuh"

constexpr int kHillisSteeleThreads = 512;

/*
 * Blocks of kHillisSteeleThreads, one element a thread; shared memory for two
 * items each.  The last thread of a block writes the block's sum.
 */
template <typename T>
static __global__ void
scan_hillis_steele(const T *in, uint32_t n, bool exclusive, T *out, T *sums)
{
	__shared__ T buffer[2][kHillisSteeleThreads];
	const unsigned t = threadIdx.x;
	const uint32_t i = blockIdx.x * kHillisSteeleThreads + t;
	int from = 0;

	buffer[from][t] = i < n ? in[i] : T(0);
	__syncthreads();
	for (unsigned step = 1; step < kHillisSteeleThreads; step *= 2)
	{
		T item = buffer[from][t];

		if (t >= step)
			item += buffer[from][t - step];
		from = 1 - from;
		buffer[from][t] = item;
		__syncthreads();
	}
	if (i < n)
		out[i] = !exclusive ? buffer[from][t] :
				 t > 0		? buffer[from][t - 1] :
							  T(0);
	if (sums != nullptr && t == kHillisSteeleThreads - 1)
		sums[blockIdx.x] = buffer[from][t];
}

struct ScanHillisSteele
	: ScanByBlocks<kHillisSteeleThreads, kHillisSteeleThreads>
{
	template <typename T>
	static cudaError_t
	run(const RungRun &run)
	{
		return run_pass<T>(run, scan_hillis_steele<T>);
	}
};

#endif /* GA_SCAN_HILLIS_STEELE_CUH */
