/*
 * partial_barrier.cu
 *		That racecheck reports races where barriers of a part of a block order
 *		all accesses.
 *
 *	nvcc -arch=native -o /tmp/partial_barrier test/device/partial_barrier.cu
 *	compute-sanitizer --tool racecheck /tmp/partial_barrier
 *
 * Sixteen warps write a word each, and a seventeenth reads all of them; once a
 * round, they all wait at a named barrier of 544 of the block's 576 threads,
 * with two buffers that take turns.  The reader arrives at a round's barrier
 * after it has read the round before, and writers come to that buffer again
 * after that barrier; they have a barrier among themselves besides.  What is
 * read is checked, and is right; on an H200 racecheck of CUDA 13.0 says that
 * reads and writes race.  It said so of scan_tiles.cuh, too, of what passed
 * between workers and the publisher warp, and then between the look-back warp
 * and workers; there each thread that wrote arrives at an mbarrier now (one
 * lane of a warp for others, behind __syncwarp(), is not enough for it), see
 * block_barriers.cuh.  Of its other barriers it says nothing.
 */
#include <stdio.h>

constexpr int kWriters = 16;
constexpr int kWarp = 32;
constexpr int kMeeting = (kWriters + 1) * kWarp;
constexpr int kThreads = kMeeting + kWarp;
constexpr int kRounds = 200;

/* Barriers, by hardware number. */
constexpr int kAmongWriters = 1;
constexpr int kFullMask = 2;

template <int kId, int kCount>
static __device__ __forceinline__ void
meet()
{
	asm volatile("barrier.sync %0, %1;" : : "n"(kId), "n"(kCount) : "memory");
}

static __global__ void
write_and_read(unsigned *n_wrong)
{
	__shared__ unsigned word[2][kWriters];
	const int warp = threadIdx.x / kWarp;
	const int lane = threadIdx.x % kWarp;

	if (warp > kWriters)
		return;
	for (int i = 0; i < kRounds; i++)
	{
		if (warp < kWriters && lane == kWarp - 1)
			word[i % 2][warp] = i * kWriters + warp;
		meet<kFullMask, kMeeting>();
		if (warp < kWriters)
			meet<kAmongWriters, kWriters * kWarp>();
		if (warp == kWriters && lane < kWriters &&
			word[i % 2][lane] != unsigned(i * kWriters + lane))
			atomicAdd(n_wrong, 1);
	}
}

int
main(void)
{
	unsigned *n_wrong;
	unsigned n = ~0u;

	(void) cudaMalloc(&n_wrong, sizeof(n));
	(void) cudaMemset(n_wrong, 0, sizeof(n));
	for (int i = 0; i < 20; i++)
		write_and_read<<<64, kThreads>>>(n_wrong);
	(void) cudaMemcpy(&n, n_wrong, sizeof(n), cudaMemcpyDeviceToHost);
	printf("%u wrong, %s\n", n, cudaGetErrorString(cudaGetLastError()));
	return n != 0;
}
