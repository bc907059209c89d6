/*
 * pack.cu
 *		The kernels that pack arrays; see pack.h.
 *
 * Grid: blocks of kPackThreads, as many as fill the device or as there are
 * vectors; but a warp places the payloads of an array.
 */
#include <algorithm>

#include "encode.cuh"

/* Return the vector of this warp, and the number of warps. */
static __device__ __forceinline__ uint32_t
first_vector(uint32_t *n_warps)
{
	*n_warps = gridDim.x * kPackWarps;
	return blockIdx.x * kPackWarps + threadIdx.x / kWarp;
}

template <typename T>
static __global__ void
__launch_bounds__(kPackThreads)
	survey_vectors(const __grid_constant__ PackParams params)
{
	uint32_t step;

	for (uint32_t v = first_vector(&step); v < params.n_vectors; v += step)
	{
		const VectorPlace place(params, v);
		const GaPackedHeader header = survey_vector(LaneItems<T>(place));

		if (lane_id() == 0)
			*place.header = header;
	}
}

/* Where the next payload goes. */
struct PagePlace
{
	uint32_t page;
	uint32_t at; /* byte of it */
	uint32_t n_pages;
	uint64_t n_bytes;

	/*
	 * Place a payload of n_bytes for each lane, one after the other, none
	 * across the bounds of a page.  Returns where this lane's begins.
	 */
	__device__ __forceinline__ uint64_t
	add(uint32_t n)
	{
		uint32_t end = n; /* of all up to this lane's */
		uint32_t placed = 0;
		uint64_t result = 0;
		int from = 0;

		for (int step = 1; step < kWarp; step *= 2)
		{
			const uint32_t before = __shfl_up_sync(kFullMask, end, step);

			end += lane_id() >= step ? before : 0;
		}
		n_bytes += __shfl_sync(kFullMask, end, kWarp - 1);
		for (;;)
		{
			/* the lanes from one on that still fit */
			const bool fits =
				lane_id() < from || at + (end - placed) <= GA_PACKED_PAGE_BYTES;
			const unsigned left = ~__ballot_sync(kFullMask, fits);
			const int to = left != 0 ? __ffs(left) - 1 : kWarp;

			if (lane_id() >= from && lane_id() < to)
				result = uint64_t(page) * GA_PACKED_PAGE_BYTES + at +
						 (end - placed) - n;
			if (__any_sync(kFullMask,
						   lane_id() >= from && lane_id() < to && n > 0))
				n_pages = page + 1;
			if (to > 0)
			{
				const uint32_t end_there =
					__shfl_sync(kFullMask, end, to > 0 ? to - 1 : 0);

				at += end_there - placed;
				placed = end_there;
			}
			if (to == kWarp)
				return result;
			from = to;
			page++;
			at = 0;
		}
	}
};

/* Place the payloads of a piece's vectors; a whole warp. */
static __device__ __forceinline__ void
place_piece(const PackPiece &piece, size_t size, PagePlace *place)
{
	const uint32_t n = (piece.n - 1) / GA_PACKED_VECTOR + 1;

	for (uint32_t first = 0; first < n; first += kWarp)
	{
		const uint32_t v = first + lane_id();
		const uint64_t code = v < n ? piece.headers[v].coding.code : 0;
		const uint32_t n_bytes = v < n ? ga_packed_bytes(code, size) : 0;
		const uint64_t at = place->add(n_bytes);

		if (v < n && n_bytes > 0)
			piece.headers[v].coding.code = ga_packed_place(code, at);
	}
}

/* Place the payloads of an array.  Grid: a warp for each of them. */
static __global__ void
__launch_bounds__(kWarp)
	place_payloads(const __grid_constant__ PackParams params, size_t size)
{
	const PackArray array = params.arrays[blockIdx.x];
	PagePlace place = {0, array.at, 0, 0};

	for (uint32_t p = 0; p < array.n_pieces; p++)
		place_piece(params.pieces[array.first_piece + p], size, &place);
	if (lane_id() == 0)
		params.results[blockIdx.x] = PackResult{place.n_bytes, place.n_pages};
}

/* Return a code with the payload's address instead of its place. */
static __device__ __forceinline__ uint64_t
address_of(const PackParams &params, uint32_t array, uint64_t code, size_t size)
{
	const uint64_t at = ga_packed_payload(code);
	const GaDeviceAddress *pages =
		params.pages + params.arrays[array].first_page;

	if (ga_packed_bytes(code, size) == 0)
		return code;
	return ga_packed_place(code, pages[at / GA_PACKED_PAGE_BYTES] +
									 at % GA_PACKED_PAGE_BYTES);
}

template <typename T>
static __global__ void
__launch_bounds__(kPackThreads)
	pack_vectors(const __grid_constant__ PackParams params)
{
	__shared__ SlotFields slots[kPackWarps];
	uint32_t step;

	for (uint32_t v = first_vector(&step); v < params.n_vectors; v += step)
	{
		const VectorPlace place(params, v);
		GaPackedCoding coding = place.header->coding;

		coding.code =
			address_of(params, place.piece->array, coding.code, sizeof(T));
		__syncwarp();
		store_payload(PackedVector(coding), LaneItems<T>(place),
					  slots[threadIdx.x / kWarp]);
		if (lane_id() == 0)
			place.header->coding.code = coding.code;
	}
}

/* Is a part of this lane's elements, from j on, what was packed? */
template <typename T>
static __device__ __forceinline__ bool
is_same(const VectorPlace &place, const PackedVector &vector, unsigned j)
{
	const T *plain = static_cast<const T *>(place.piece->data) + place.first;
	T item[kItemsPerThread<T>];
	bool result = true;

	decode(vector, lane_id(), j, item);
#pragma unroll
	for (int i = 0; i < kItemsPerThread<T>; i++)
	{
		const unsigned at = LaneItems<T>::place_of(j + i);

		result &= at >= place.n || bits_of(item[i]) == bits_of(plain[at]);
	}
	return result;
}

/* Are a vector's extremes those of what was packed?  All lanes. */
template <typename T>
static __device__ __forceinline__ bool
has_extremes(const VectorPlace &place)
{
	GaPackedHeader must;

	find_extremes(LaneItems<T>(place), &must);
	return place.header->least == must.least &&
		   place.header->largest == must.largest;
}

/* Decode all vectors, and count those that are not what they were. */
template <typename T>
static __global__ void
__launch_bounds__(kPackThreads)
	check_vectors(const __grid_constant__ PackParams params)
{
	uint32_t step;

	for (uint32_t v = first_vector(&step); v < params.n_vectors; v += step)
	{
		const VectorPlace place(params, v);
		const PackedVector vector(place.header->coding);
		bool same = has_extremes<T>(place);

#pragma unroll 1
		for (int j = 0; j < kLaneItems; j += kItemsPerThread<T>)
			same &= is_same<T>(place, vector, j);
		if (!__all_sync(kFullMask, same) && lane_id() == 0)
			atomicAdd(params.n_wrong, 1ull);
	}
}

template <typename T>
static cudaError_t
survey_type(const PackParams &params, int n_blocks, cudaStream_t stream)
{
	survey_vectors<T><<<n_blocks, kPackThreads, 0, stream>>>(params);
	/* the next kernel relies on the headers */
	const cudaError_t error = cudaGetLastError();
	if (error != cudaSuccess)
		return error;
	place_payloads<<<params.n_arrays, kWarp, 0, stream>>>(params, sizeof(T));
	return cudaGetLastError();
}

template <typename T>
static cudaError_t
pack_type(const PackParams &params, int n_blocks, cudaStream_t stream)
{
	pack_vectors<T><<<n_blocks, kPackThreads, 0, stream>>>(params);
	const cudaError_t error = cudaGetLastError();
	if (error != cudaSuccess)
		return error;
	check_vectors<T><<<n_blocks, kPackThreads, 0, stream>>>(params);
	return cudaGetLastError();
}

/* Return the blocks for all vectors. */
static int
count_blocks(const PackParams &params, int max_blocks)
{
	return int(std::min((params.n_vectors + kPackWarps - 1) / kPackWarps,
						uint32_t(max_blocks)));
}

cudaError_t
launch_survey(GaElementType type, const PackParams &params, int max_blocks,
			  cudaStream_t stream)
{
	const int n_blocks = count_blocks(params, max_blocks);

	switch (type)
	{
#define X(name, family, ctype) \
	case GA_##name:            \
		return survey_type<ctype>(params, n_blocks, stream);
		GA_ELEMENT_TYPES(X)
#undef X
		default:
			return cudaErrorInvalidValue;
	}
}

cudaError_t
launch_pack(GaElementType type, const PackParams &params, int max_blocks,
			cudaStream_t stream)
{
	const int n_blocks = count_blocks(params, max_blocks);

	switch (type)
	{
#define X(name, family, ctype) \
	case GA_##name:            \
		return pack_type<ctype>(params, n_blocks, stream);
		GA_ELEMENT_TYPES(X)
#undef X
		default:
			return cudaErrorInvalidValue;
	}
}
