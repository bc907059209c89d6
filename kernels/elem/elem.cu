/*
 * elem.cu
 *		The kernels of sums by position; see elem.h.
 */
#include "elem_column.cuh"
#include "find_array.cuh"

/* What a thread reads of a piece, and writes. */
template <typename T>
struct ElemPlace
{
	const uint64_t *addresses; /* of the piece, all arrays */
	uint64_t at;			   /* of the thread's positions, bytes from there */
	int n;					   /* their number; 0 if there are none */
	bool is_whole;			   /* they are a vector */
	GaPartialSum *records;

	/* The block is that of a share; a whole warp. */
	__device__ __forceinline__
	ElemPlace(const ElemParams &params, uint32_t share, uint32_t block)
	{
		constexpr int kSize = Vector<T>::kSize;
		const uint32_t p = find_array(params.n_pieces, block,
									  [&params](uint32_t i)
									  { return params.pieces[i].first_block; });
		const ElemPiece piece = params.pieces[p];
		const uint32_t first =
			((block - piece.first_block) * kElemThreads + threadIdx.x) * kSize;

		addresses = params.addresses + uint64_t(p) * params.n_arrays;
		at = uint64_t(first) * sizeof(T);
		n = first < piece.n ? min(piece.n - first, uint32_t(kSize)) : 0;
		is_whole = piece.is_aligned && n == kSize;
		records = params.records + uint64_t(share) * params.n_positions +
				  piece.first_position + first;
	}
};

/* The elements of a thread's positions in some arrays. */
template <typename T>
struct ElemTile
{
	static constexpr int kSize = Vector<T>::kSize;

	Vector<T> vector[kTileArrays];

	/* Load those of kTileArrays arrays, or of fewer with zeros behind them. */
	__device__ __forceinline__ void
	load(const uint64_t *addresses, int n_arrays, const ElemPlace<T> &place)
	{
		if (n_arrays >= kTileArrays && place.is_whole)
		{
#pragma unroll
			for (int k = 0; k < kTileArrays; k++)
				vector[k] = load_vector(
					reinterpret_cast<const T *>(addresses[k] + place.at));
		}
		else
			load_items(addresses, n_arrays, place);
	}

	/* Load element by element. */
	__device__ __forceinline__ void
	load_items(const uint64_t *addresses, int n_arrays,
			   const ElemPlace<T> &place)
	{
#pragma unroll
		for (int k = 0; k < kTileArrays; k++)
		{
#pragma unroll
			for (int i = 0; i < kSize; i++)
			{
				vector[k].item[i] = 0;
				if (k < n_arrays && i < place.n)
					vector[k].item[i] =
						reinterpret_cast<const T *>(addresses[k] + place.at)[i];
			}
		}
	}

	/* Return the elements of one position. */
	__device__ __forceinline__ ColumnItems<T>
	column(int i) const
	{
		ColumnItems<T> items;

#pragma unroll
		for (int k = 0; k < kTileArrays; k++)
			items.vector[k / kSize].item[k % kSize] = vector[k].item[i];
		return items;
	}
};

/* Add the elements of up to kElemThreads arrays. */
template <typename T>
static __device__ __forceinline__ void
add_arrays(ElemColumn<T> (&columns)[Vector<T>::kSize],
		   const uint64_t *addresses, int n_arrays, const ElemPlace<T> &place)
{
#pragma unroll 1
	for (int i = 0; i < n_arrays; i += kTileArrays)
	{
		ElemTile<T> tile;
		bool is_added[Vector<T>::kSize];

		tile.load(addresses + i, n_arrays - i, place);
#pragma unroll
		for (int c = 0; c < Vector<T>::kSize; c++)
			is_added[c] = columns[c].add(tile.column(c));
#pragma unroll
		for (int c = 0; c < Vector<T>::kSize; c++)
		{
			if (!is_added[c])
				columns[c] = ElemColumn<T>::add_again(
					columns[c],
					ColumnPlace{addresses + i, n_arrays - i,
								place.at + c * sizeof(T)},
					place.records + c);
		}
	}
}

/*
 * Add the arrays of a share.  Grid: for each share the blocks of the positions.
 * Shared memory has the addresses of some arrays at a time.
 */
template <typename T>
static __global__ void
__launch_bounds__(kElemThreads, kElemBlocks)
	add_share(const __grid_constant__ ElemParams params)
{
	constexpr int kSize = Vector<T>::kSize;
	__shared__ uint64_t addresses[kElemThreads];
	const uint32_t share = blockIdx.x / params.n_blocks;
	const uint32_t first = share * params.share_arrays;
	const uint32_t end = min(first + params.share_arrays, params.n_arrays);
	const ElemPlace<T> place(params, share, blockIdx.x % params.n_blocks);
	ElemColumn<T> columns[kSize];

#pragma unroll
	for (int c = 0; c < kSize; c++)
		columns[c].clear();
	for (uint32_t r = first; r < end; r += kElemThreads)
	{
		__syncthreads();
		if (r + threadIdx.x < end)
			addresses[threadIdx.x] = place.addresses[r + threadIdx.x];
		__syncthreads();
		if (place.n > 0)
			add_arrays(columns, addresses, int(min(end - r, kElemThreads)),
					   place);
	}
#pragma unroll
	for (int c = 0; c < kSize; c++)
	{
		if (c < place.n)
			columns[c].finish(place.records + c);
	}
}

/*
 * Combine the records of all shares, a position by each group of lanes.  Grid:
 * blocks of kElemThreads for all positions.
 */
static __global__ void
__launch_bounds__(kElemThreads)
	combine_shares(const __grid_constant__ ElemParams params, int group)
{
	const uint32_t position =
		blockIdx.x * (kElemThreads / group) + threadIdx.x / group;
	const bool is_inside = position < params.n_positions;
	LimbSum sum;

	sum.clear();
	for (uint32_t s = threadIdx.x % group; s < params.n_shares && is_inside;
		 s += group)
	{
		LimbSum share;

		share.load(params.records + uint64_t(s) * params.n_positions +
				   position);
		sum.add(share);
	}
	for (int step = group / 2; step > 0; step /= 2)
		sum.add(sum.of_lane(step));
	if (is_inside && threadIdx.x % group == 0)
		sum.store(params.results + position);
}

cudaError_t
launch_elem(GaElementType type, const ElemParams &params, cudaStream_t stream)
{
	const uint32_t n_blocks = params.n_blocks * params.n_shares;

	switch (type)
	{
#define X(name, family, ctype)                                           \
	case GA_##name:                                                      \
		add_share<ctype><<<n_blocks, kElemThreads, 0, stream>>>(params); \
		return cudaGetLastError();
		GA_ELEMENT_TYPES(X)
#undef X
		default:
			return cudaErrorInvalidValue;
	}
}

cudaError_t
launch_elem_combine(const ElemParams &params, cudaStream_t stream)
{
	constexpr uint32_t kRecords = 4; /* of a lane, as long as lanes are left */
	uint32_t group = 1;
	uint32_t n_blocks;

	while (group < kWarp && group * kRecords < params.n_shares)
		group *= 2;
	n_blocks =
		uint32_t((uint64_t(params.n_positions) * group + kElemThreads - 1) /
				 kElemThreads);
	combine_shares<<<n_blocks, kElemThreads, 0, stream>>>(params, int(group));
	return cudaGetLastError();
}
