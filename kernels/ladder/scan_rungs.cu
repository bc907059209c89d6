/*
 * scan_rungs.cu
 *		The ladder of running totals, from the bottom up.
 *
 * Each rung makes inclusive and exclusive totals.  A new rung is a file and a
 * row here.
 */
#include "copy.cuh"
#include "scan_blelloch.cuh"
#include "scan_hillis_steele.cuh"
#include "scan_library.cuh"
#include "scan_shuffle.cuh"

/* The parts of a row that are the code's. */
#define CODE(rung) rung_room<rung>, run_rung<rung>

/* name, title, is_exact, is_step, is_managed, types, passes; code; flags */
const Rung scan_rungs[kScanRungs] = {
	{{"copy", "the elements, copied on the device: what memory can do", false,
	  false, false, kLadderTypes, 2},
	 CODE(Copy),
	 kCopies},
	{{"hillis-steele", "blocks of 512, two buffers; too many additions", false,
	  true, false, kLadderTypes, 2},
	 CODE(ScanHillisSteele),
	 0},
	{{"blelloch", "up and down a tree, without bank conflicts", false, true,
	  false, kLadderTypes, 2},
	 CODE(ScanBlelloch),
	 0},
	{{"shuffle", "reduce, scan the totals, add; from register to register",
	  false, true, false, kLadderTypes, 2},
	 CODE(ScanShuffle),
	 0},
	{{"thrust", "thrust::inclusive_scan or thrust::exclusive_scan", false,
	  false, false, kLadderTypes, 2},
	 CODE(ScanThrust),
	 0},
	{{"cub", "cub::DeviceScan::InclusiveSum or ExclusiveSum", false, false,
	  false, kLadderTypes, 2},
	 CODE(ScanCub),
	 0},
	{{"exact", "gpu_cumsum: exact totals, each rounded once", true, true, false,
	  kLadderTypes, 2},
	 nullptr,
	 nullptr,
	 0},
};
