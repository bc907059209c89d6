/*
 * elem_column.cuh
 *		The sum of a position: what a thread has of it, for each element type.
 *
 * ElemColumn<T> adds the elements of a position, a tile at a time, and writes
 * the position's record.  Floats are added on levels, with anchors of the
 * position's own.  Where they do not do, the levels go to the record, which is
 * read and written again then, and other anchors are chosen; what fits no
 * anchors is added to the record element by element.
 */
#ifndef GA_ELEM_COLUMN_CUH
#define GA_ELEM_COLUMN_CUH

#include "elem_share.cuh"
#include "limb_sum.cuh"
#include "sum/thread_sum.cuh"

/*
 * Bits by which later elements may be larger than those for which anchors were
 * chosen.
 */
constexpr int kSpareBits = 8;

/* Integers. */
template <typename T, bool kIsInt = ThreadSum<T>::kIsInt>
struct ElemColumn
{
	using Record = GaPartialSum;

	ThreadSum<T> sum;

	static __device__ __forceinline__ T
	outside()
	{
		return 0;
	}

	__device__ __forceinline__ void
	clear()
	{
		sum.clear();
	}

	__device__ __forceinline__ bool
	add(const ColumnItems<T> &items)
	{
#pragma unroll
		for (const Vector<T> &vector : items.vector)
			sum.add(vector);
		return true;
	}

	template <typename Place>
	static __device__ __forceinline__ ElemColumn
	add_again(ElemColumn column, const Place &, GaPartialSum *)
	{
		return column;
	}

	__device__ __forceinline__ void
	finish(GaPartialSum *record) const
	{
		store_compact(record, sum.limbs(), 0, 0);
	}

	template <int kGroup>
	__device__ __forceinline__ void
	begin_group(const ColumnItems<T> &)
	{
	}

	template <int kGroup>
	__device__ __forceinline__ void
	finish_group(GaPartialSum *, GaPartialSum *to, uint32_t)
	{
		sum.add_group(kGroup);
		if (to && lane_id() % kGroup == 0)
			finish(to);
	}
};

template <typename T>
struct ElemColumn<T, false>
{
	using Record = GaPartialSum;

	ThreadSum<T> sum;
	unsigned n_neg_zero;
	bool has_record; /* something was added to the record */

	static __device__ __forceinline__ T
	outside()
	{
		return 0;
	}

	__device__ __forceinline__ void
	clear()
	{
		sum.clear();
		sum.set_anchor(0, 0);
		n_neg_zero = 0;
		has_record = false;
	}

	/* Add items; false without a certificate: only minus zeros are counted. */
	__device__ __forceinline__ bool
	add(const ColumnItems<T> &items)
	{
		bool has_neg_zero;
		const bool is_added = sum.add(items, has_neg_zero);

		if (has_neg_zero)
		{
#pragma unroll
			for (int i = 0; i < kTileArrays; i++)
				n_neg_zero += is_neg_zero(items.item(i));
		}
		return is_added;
	}

	/* Add a number on levels to a record's sum. */
	__device__ __forceinline__ void
	add_levels(LimbSum &total) const
	{
#pragma unroll
		for (int k = 0; k < sum.kCount; k++)
			total.add(sum.total[k], sum.place(k));
	}

	/* Return what was added to the record, or zero. */
	__device__ __forceinline__ LimbSum
	load_record(const GaPartialSum *record) const
	{
		LimbSum total;

		total.clear();
		if (has_record)
			total.load(record);
		return total;
	}

	/*
	 * Add items that have no certificate: on levels with other anchors, or one
	 * by one.  They are loaded again, and states are values, so that the way
	 * here takes no registers from other items.
	 */
	template <typename Place>
	static __device__ __noinline__ ElemColumn
	add_again(ElemColumn column, Place place, GaPartialSum *record)
	{
		LimbSum total = column.load_record(record);
		ColumnItems<T> items;
		bool has_neg_zero;

#pragma unroll
		for (int k = 0; k < kTileArrays; k++)
			items.vector[k / Vector<T>::kSize].item[k % Vector<T>::kSize] =
				place.template load<T>(k);
		column.has_record |= column.sum.has_any();
		column.add_levels(total);
		column.sum.clear();
		column.sum.set_anchor(largest_finite_item(items), kSpareBits);
		if (!column.sum.add(items, has_neg_zero))
		{
			column.has_record = true;
#pragma unroll 1
			for (int i = 0; i < kTileArrays; i++)
				total.add_item(place.template load<T>(i));
		}
		if (column.has_record)
			total.store(record);
		return column;
	}

	__device__ __forceinline__ void
	finish(GaPartialSum *record) const
	{
		if (has_record)
			finish_record(*this, record);
		else
			store_compact(record, sum.limbs(), sum.first_cell(), n_neg_zero);
	}

	/* Choose anchors of the group's own; none fit NaN and infinities. */
	template <int kGroup>
	__device__ __forceinline__ void
	begin_group(const ColumnItems<T> &items)
	{
		sum.set_anchor(group_max(largest_item(items), kGroup), kSpareBits);
	}

	/*
	 * Totals are added as they are if the lanes of each group have the same
	 * anchors yet, and few elements.
	 */
	template <int kGroup>
	__device__ __forceinline__ void
	finish_group(GaPartialSum *record, GaPartialSum *to, uint32_t n)
	{
		const int of_first =
			__shfl_sync(kFullMask, sum.exponent, lane_id() / kGroup * kGroup);

		if (__any_sync(kFullMask, has_record || sum.exponent != of_first ||
									  n > kMaxLevelItems))
		{
			finish(record);
			__syncwarp();
			combine_sums(record, to, kGroup);
			return;
		}
		sum.add_group(kGroup);
		n_neg_zero = group_sum(n_neg_zero, kGroup);
		if (to && lane_id() % kGroup == 0)
			finish(to);
	}

	/* Add the levels to a record that there is. */
	static __device__ __noinline__ void
	finish_record(ElemColumn column, GaPartialSum *record)
	{
		LimbSum total = column.load_record(record);

		column.add_levels(total);
		total.n_neg_zero = column.n_neg_zero;
		total.store(record);
	}
};

#endif /* GA_ELEM_COLUMN_CUH */
