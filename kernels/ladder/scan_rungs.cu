/*
 * scan_rungs.cu
 *		The ladder of running totals, from the bottom up.
 *
 * Each rung makes inclusive and exclusive totals.  A new rung is a
 * file, included here, and a row here.
 */
#include "copy.cuh"
#include "scan_blelloch.cuh"
#include "scan_hillis_steele.cuh"
#include "scan_library.cuh"
#include "scan_shuffle.cuh"

constexpr uint32_t kPasses = 2;

static const Rung rungs[] = {
	RUNG(Copy, "copy", "the elements, copied on the device: what memory can do",
		 kCopies),
	RUNG(ScanHillisSteele, "hillis-steele",
		 "blocks of 512, two buffers; too many additions", kStep),
	RUNG(ScanBlelloch, "blelloch", "up and down a tree, without bank conflicts",
		 kStep),
	RUNG(ScanShuffle, "shuffle",
		 "reduce, scan the totals, add; from register to register", kStep),
	RUNG(ScanThrust, "thrust",
		 "thrust::inclusive_scan or thrust::exclusive_scan", 0),
	RUNG(ScanCub, "cub", "cub::DeviceScan::InclusiveSum or ExclusiveSum", 0),
	SHIPPING_RUNG("exact", "gpu_cumsum: exact totals, each rounded once"),
};

const RungTable scan_table = RUNG_TABLE(rungs);
