/*
 * reduce_rungs.cu
 *		The ladder of reductions, from the bottom up.
 *
 * A new rung is a file, included here, and a row here.
 */
#include "copy.cuh"
#include "reduce_first_add.cuh"
#include "reduce_grid_stride.cuh"
#include "reduce_interleaved.cuh"
#include "reduce_library.cuh"
#include "reduce_recursive.cuh"
#include "reduce_shuffle.cuh"
#include "reduce_strided.cuh"

constexpr uint32_t kPasses = 1;

static const Rung rungs[] = {
	RUNG(Copy, "copy", "the elements, copied on the device: what memory can do",
		 kCopies),
	RUNG(ReduceInterleaved, "interleaved",
		 "neighbours are added, by every second thread", kStep),
	RUNG(ReduceStrided, "strided",
		 "the same, by threads side by side: bank conflicts", kStep),
	RUNG(ReduceSequential, "sequential",
		 "halves are added: no bank conflicts; half the threads idle", kStep),
	RUNG(ReduceFirstAdd, "first-add",
		 "two elements a thread, added while they are loaded", kStep),
	RUNG(ReduceRecursive, "recursive",
		 "passes over 2,048 elements a block, in place", kSpoils | kStep),
	RUNG(ReduceGridStride, "grid-stride",
		 "256 blocks go over all elements; one atomic addition each", kStep),
	RUNG(ReduceGridStride, "grid-stride-managed",
		 "the same, from managed memory that is at the host", kManaged),
	RUNG(ReduceShuffle, "shuffle",
		 "loads of 16 bytes, and sums from register to register", kStep),
	RUNG(ReduceThrust, "thrust",
		 "thrust::reduce, with the way back to the host", kAnswersHost),
	RUNG(ReduceCub, "cub", "cub::DeviceReduce::Sum", 0),
	SHIPPING_RUNG("exact", "gpu_sum: the exact sum, rounded once"),
};

const RungTable reduce_table = RUNG_TABLE(rungs);
