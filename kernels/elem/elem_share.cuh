/*
 * elem_share.cuh
 *		The kernel that goes through the arrays of a share, position by
 *		position.
 *
 * A Column is what a thread has of a position:
 *
 * Record: what it writes at the end; outside(): an element that changes none;
 * clear(); add(), false if it could not add the elements, and then add_again()
 * does, which may read and write the record; finish().  If a group of kGroup
 * lanes has the position together: begin_group(), with the first elements of
 * each lane, and finish_group(), which makes one record of those of all lanes,
 * each of which added n elements at most.  The other groups of the warp have
 * other positions then.
 */
#ifndef GA_ELEM_SHARE_CUH
#define GA_ELEM_SHARE_CUH

#include "decoded_tile.cuh"
#include "find_array.cuh"

/* The elements of a position in a tile of arrays. */
template <typename T>
using ColumnItems = Items<T, kTileArrays / Vector<T>::kSize>;

/* Where they are: in up to kTileArrays plain arrays, at a number of bytes. */
struct ColumnPlace
{
	const uint64_t *addresses;
	int n_arrays;
	uint64_t at;

	template <typename T>
	__device__ __forceinline__ T
	load(int k) const
	{
		return k < n_arrays ? *reinterpret_cast<const T *>(addresses[k] + at) :
							  T(0);
	}
};

/* Where they are when they are decoded: this thread's position c. */
template <typename Tile>
struct DecodedPlace
{
	const Tile *tile;
	int c;

	template <typename T>
	__device__ __forceinline__ T
	load(int k) const
	{
		return tile->vector[k][threadIdx.x].item[c];
	}
};

/* What a thread reads of a piece, and writes. */
template <typename T, typename Record>
struct ElemPlace
{
	const uint64_t *addresses; /* of the piece, all arrays */
	uint64_t at;			   /* of the thread's positions, bytes from there */
	int n;					   /* their number; 0 if there are none */
	uint32_t n_of_block;	   /* positions of all its threads */
	bool is_whole;			   /* they are a vector */
	Record *records;

	/* The block is that of a share; a whole warp. */
	__device__ __forceinline__
	ElemPlace(const ElemParams &params, uint32_t share, uint32_t block)
	{
		constexpr int kSize = Vector<T>::kSize;
		const uint32_t p = find_array(params.n_pieces, block,
									  [&params](uint32_t i)
									  { return params.pieces[i].first_block; });
		const ElemPiece piece = params.pieces[p];
		const uint32_t first_of_block =
			(block - piece.first_block) * kElemThreads * kSize;
		const uint32_t first = first_of_block + threadIdx.x * kSize;

		addresses = params.addresses + uint64_t(p) * params.n_arrays;
		at = uint64_t(first) * sizeof(T);
		n = first < piece.n ? min(piece.n - first, uint32_t(kSize)) : 0;
		n_of_block = min(piece.n - first_of_block, kElemThreads * kSize);
		is_whole = piece.is_aligned && n == kSize;
		records = static_cast<Record *>(params.records) +
				  uint64_t(share) * params.n_positions + piece.first_position +
				  first;
	}
};

/* The elements of a thread's positions in some arrays. */
template <typename T>
struct ElemTile
{
	static constexpr int kSize = Vector<T>::kSize;

	Vector<T> vector[kTileArrays];

	/*
	 * Load those of kTileArrays plain arrays, or of fewer, with `outside`
	 * behind them.
	 */
	template <typename Place>
	__device__ __forceinline__ void
	load(const uint64_t *addresses, int n_arrays, const Place &place, T outside)
	{
		if (n_arrays >= kTileArrays && place.is_whole)
		{
#pragma unroll
			for (int k = 0; k < kTileArrays; k++)
				vector[k] = load_vector(
					reinterpret_cast<const T *>(addresses[k] + place.at));
		}
		else
			load_items(addresses, n_arrays, place, outside);
	}

	/* Load element by element. */
	template <typename Place>
	__device__ __forceinline__ void
	load_items(const uint64_t *addresses, int n_arrays, const Place &place,
			   T outside)
	{
#pragma unroll
		for (int k = 0; k < kTileArrays; k++)
		{
#pragma unroll
			for (int i = 0; i < kSize; i++)
			{
				const T *from =
					reinterpret_cast<const T *>(addresses[k] + place.at) + i;

				vector[k].item[i] = outside;
				if (k < n_arrays && i < place.n)
					vector[k].item[i] = *from;
			}
		}
	}

	/* Load what the block has decoded. */
	__device__ __forceinline__ void
	load(const DecodedTile<T> &decoded)
	{
#pragma unroll
		for (int k = 0; k < kTileArrays; k++)
			vector[k] = decoded.vector[k][threadIdx.x];
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

/* Add a tile.  place_of(c) is where column c can load its elements again. */
template <typename T, typename Column, typename PlaceOf>
static __device__ __forceinline__ void
add_tile(Column (&columns)[Vector<T>::kSize], const ElemTile<T> &tile,
		 typename Column::Record *records, PlaceOf place_of)
{
	bool is_added[Vector<T>::kSize];

#pragma unroll
	for (int c = 0; c < Vector<T>::kSize; c++)
		is_added[c] = columns[c].add(tile.column(c));
#pragma unroll
	for (int c = 0; c < Vector<T>::kSize; c++)
	{
		if (!is_added[c])
			columns[c] =
				Column::add_again(columns[c], place_of(c), records + c);
	}
}

/* Add the elements of up to kElemThreads plain arrays; place.n > 0. */
template <typename T, typename Column, typename Place>
static __device__ __forceinline__ void
add_arrays(Column (&columns)[Vector<T>::kSize], const uint64_t *addresses,
		   int n_arrays, const Place &place)
{
#pragma unroll 1
	for (int i = 0; i < n_arrays; i += kTileArrays)
	{
		ElemTile<T> tile;

		tile.load(addresses + i, n_arrays - i, place, Column::outside());
		add_tile<T>(columns, tile, place.records,
					[&](int c) {
						return ColumnPlace{addresses + i, n_arrays - i,
										   place.at + c * sizeof(T)};
					});
	}
}

/* The same of arrays that may be packed; the whole block. */
template <typename T, typename Column, typename Place>
static __device__ __forceinline__ void
add_mixed_arrays(Column (&columns)[Vector<T>::kSize], const uint64_t *addresses,
				 int n_arrays, const Place &place)
{
	using Decoded = DecodedTile<T>;
	__shared__ Decoded decoded;
	TileDecoder<T> decoder = {
		decoded,		  addresses,
		n_arrays,		  place.at - threadIdx.x * kVectorBytes,
		place.n_of_block, {}};

	decoder.load_headers(0);
#pragma unroll 1
	for (int i = 0; i < n_arrays; i += kTileArrays)
	{
		decoder.decode(i, Column::outside());
		__syncthreads();
		if (place.n > 0)
		{
			ElemTile<T> tile;

			tile.load(decoded);
			add_tile<T>(columns, tile, place.records,
						[&](int c) {
							return DecodedPlace<Decoded>{&decoded, c};
						});
		}
		decoder.prefetch(i + kTileArrays);
		__syncthreads();
	}
}

/*
 * Add the arrays of a share.  Grid: for each share the blocks of the positions.
 * Shared memory has the addresses of some arrays at a time.
 */
template <typename T, typename Column, bool kMixed>
static __global__ void
__launch_bounds__(kElemThreads, kElemBlocks)
	add_share(const __grid_constant__ ElemParams params)
{
	constexpr int kSize = Vector<T>::kSize;
	__shared__ uint64_t addresses[kElemThreads];
	const uint32_t share = blockIdx.x / params.n_blocks;
	const uint32_t first = share * params.share_arrays;
	const uint32_t end = min(first + params.share_arrays, params.n_arrays);
	const ElemPlace<T, typename Column::Record> place(
		params, share, blockIdx.x % params.n_blocks);
	Column columns[kSize];

#pragma unroll
	for (int c = 0; c < kSize; c++)
		columns[c].clear();
	for (uint32_t r = first; r < end; r += kElemThreads)
	{
		__syncthreads();
		if (r + threadIdx.x < end)
			addresses[threadIdx.x] = place.addresses[r + threadIdx.x];
		__syncthreads();
		if constexpr (kMixed)
			add_mixed_arrays<T>(columns, addresses,
								int(min(end - r, kElemThreads)), place);
		/* the test is here, since in add_arrays() the loop's code is slower */
		else if (place.n > 0)
			add_arrays<T>(columns, addresses, int(min(end - r, kElemThreads)),
						  place);
	}
#pragma unroll
	for (int c = 0; c < kSize; c++)
	{
		if (c < place.n)
			columns[c].finish(place.records + c);
	}
}

/* Go through all shares. */
template <typename T, typename Column>
static cudaError_t
launch_shares(const ElemParams &params, cudaStream_t stream)
{
	const uint32_t n_blocks = params.n_blocks * params.n_shares;

	if (params.any_packed)
		add_share<T, Column, true>
			<<<n_blocks, kElemThreads, 0, stream>>>(params);
	else
		add_share<T, Column, false>
			<<<n_blocks, kElemThreads, 0, stream>>>(params);
	return cudaGetLastError();
}

#endif /* GA_ELEM_SHARE_CUH */
