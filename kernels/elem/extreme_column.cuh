/*
 * extreme_column.cuh
 *		The least or greatest element of a position: what a thread has of it.
 *
 * The record has a key (order.cuh), in reverse for the least one, so that the
 * larger of two is the one of both.
 */
#ifndef GA_EXTREME_COLUMN_CUH
#define GA_EXTREME_COLUMN_CUH

#include "elem_share.cuh"
#include "order.cuh"

template <typename T, bool kIsMax>
struct ExtremeColumn
{
	using Element = T;
	using Record = int64_t;
	using Key = typename Order<T>::Key;

	static constexpr bool kOfMax = kIsMax;

	Key best;

	static __device__ __forceinline__ T
	outside()
	{
		return kIsMax ? Order<T>::least() : Order<T>::largest();
	}

	__device__ __forceinline__ void
	clear()
	{
		best = Order<T>::key(outside());
	}

	__device__ __forceinline__ bool
	add(const ColumnItems<T> &items)
	{
#pragma unroll
		for (int i = 0; i < kTileArrays; i++)
		{
			const Key key = Order<T>::key(items.item(i));

			best = (kIsMax ? key > best : key < best) ? key : best;
		}
		return true;
	}

	template <typename Place>
	static __device__ __forceinline__ ExtremeColumn
	add_again(ExtremeColumn column, const Place &, Record *)
	{
		return column;
	}

	__device__ __forceinline__ void
	finish(Record *record) const
	{
		*record = kIsMax ? best : Key(~best);
	}

	template <int kGroup>
	__device__ __forceinline__ void
	begin_group(const ColumnItems<T> &)
	{
	}

	template <int kGroup>
	__device__ __forceinline__ void
	finish_group(Record *, Record *to, uint32_t) const
	{
		const Key mine = kIsMax ? best : Key(~best);
		const Key top =
			kGroup == kWarp ? warp_max(mine) : shuffle_max(mine, kGroup);

		if (to && lane_id() % kGroup == 0)
			*to = top;
	}
};

/* Return the value of an element of a record. */
template <typename T, bool kIsMax>
static __device__ __forceinline__ uint64_t
value_of_record(int64_t record)
{
	return Order<T>::value(kIsMax ? record : ~record);
}

/* Call a launch with the column of a type. */
template <typename Launch>
static cudaError_t
for_extreme(GaElementType type, bool is_max, Launch launch)
{
	switch (type)
	{
#define X(name, family, ctype)                                 \
	case GA_##name:                                            \
		return is_max ? launch(ExtremeColumn<ctype, true>()) : \
						launch(ExtremeColumn<ctype, false>());
		GA_ELEMENT_TYPES(X)
#undef X
		default:
			return cudaErrorInvalidValue;
	}
}

#endif /* GA_EXTREME_COLUMN_CUH */
