/*
 * reduce_rungs.cu
 *		The ladder of reductions, from the bottom up.
 *
 * A new rung is a file and a row here.
 */
#include "copy.cuh"
#include "reduce_first_add.cuh"
#include "reduce_grid_stride.cuh"
#include "reduce_interleaved.cuh"
#include "reduce_library.cuh"
#include "reduce_recursive.cuh"
#include "reduce_shuffle.cuh"
#include "reduce_strided.cuh"

/* The parts of a row that are the code's. */
#define CODE(rung) rung_room<rung>, run_rung<rung>

/* name, title, is_exact, is_step, is_managed, types, passes; code; flags */
const Rung reduce_rungs[kReduceRungs] = {
	{{"copy", "the elements, copied on the device: what memory can do", false,
	  false, false, kLadderTypes, 2},
	 CODE(Copy),
	 kCopies},
	{{"interleaved", "neighbours are added, by every second thread", false,
	  true, false, kLadderTypes, 1},
	 CODE(ReduceInterleaved),
	 0},
	{{"strided", "the same, by threads side by side: bank conflicts", false,
	  true, false, kLadderTypes, 1},
	 CODE(ReduceStrided),
	 0},
	{{"sequential",
	  "halves are added: no bank conflicts; half the threads idle", false, true,
	  false, kLadderTypes, 1},
	 CODE(ReduceSequential),
	 0},
	{{"first-add", "two elements a thread, added while they are loaded", false,
	  true, false, kLadderTypes, 1},
	 CODE(ReduceFirstAdd),
	 0},
	{{"recursive", "passes over 2,048 elements a block, in place", false, true,
	  false, kLadderTypes, 1},
	 CODE(ReduceRecursive),
	 kSpoils},
	{{"grid-stride",
	  "256 blocks go over all elements; one atomic addition each", false, true,
	  false, kLadderTypes, 1},
	 CODE(ReduceGridStride),
	 0},
	{{"grid-stride-managed",
	  "the same, from managed memory that is at the host", false, false, true,
	  kLadderTypes, 1},
	 CODE(ReduceGridStride),
	 0},
	{{"shuffle", "loads of 16 bytes, and sums from register to register", false,
	  true, false, kLadderTypes, 1},
	 CODE(ReduceShuffle),
	 0},
	{{"thrust", "thrust::reduce, with the way back to the host", false, false,
	  false, kLadderTypes, 1},
	 CODE(ReduceThrust),
	 kAnswersHost},
	{{"cub", "cub::DeviceReduce::Sum", false, false, false, kLadderTypes, 1},
	 CODE(ReduceCub),
	 0},
	{{"exact", "gpu_sum: the exact sum, rounded once", true, true, false,
	  kLadderTypes, 1},
	 nullptr,
	 nullptr,
	 0},
};
