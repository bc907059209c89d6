/*
 * decimal_sum.cuh
 *		Exact sums of packed vectors from their fields.
 *
 * The sum of integers is that of their fields and of their bases.
 *
 * A decimal d is i / 10^places as ga_packed_decimal() rounds it.  With the
 * scale's high part h, whose last place is u, the difference t = i * h - d is a
 * multiple of u, since h and d are (d is not below h, or it is zero), and at
 * most 2 * |i| * u: |i| * u / 2 is left of the scale behind h, and a last place
 * of d is at most 2 * |i| * u.  So t is exact if it is made by a fused
 * multiply-add, and a tile's t can be added, without rounding, to an anchor
 * whose last place is u.  The sum of d is h * (sum of i) - (sum of t): two
 * integers for each thread.
 */
#ifndef GA_DECIMAL_SUM_CUH
#define GA_DECIMAL_SUM_CUH

#include "packed/decode.cuh"
#include "wide_cells.cuh"
#include "sum_floats.cuh"

/* The bits of base and field up to which decimals are summed so. */
constexpr unsigned kDecimalBits = 44;

static_assert(kItemsPerThread<double> * (int64_t(2) << (kDecimalBits + 1)) <=
				  int64_t(1) << 51,
			  "a tile's differences, in units of the anchor's last place");

/* Return the sum of some fields. */
template <int kN>
static __device__ __forceinline__ uint64_t
sum_of_fields(const PackedFields<kN> &fields, unsigned width)
{
	static_assert(kN <= 32 && GA_PACKED_MAX_WIDTH + 5 <= 64, "five bits more");
	uint64_t sum = 0;

	if (width <= 27)
	{
		uint32_t low = 0;

#pragma unroll
		for (int f = 0; f < kN; f++)
			low += fields.low[f];
		return low;
	}
#pragma unroll
	for (int f = 0; f < kN; f++)
		sum += fields.field(f);
	return sum;
}

/* Add kN elements, given the sum of their fields. */
template <int kN, typename T>
static __device__ __forceinline__ void
add_integers(SmallIntSum<T> &sum, int64_t base, uint64_t fields)
{
	sum.total += kN * base + int64_t(fields);
}

template <int kN>
static __device__ __forceinline__ void
add_integers(ThreadSum<int64_t> &sum, int64_t base, uint64_t fields)
{
	sum.low += kN * int64_t(uint32_t(base)) + uint32_t(fields);
	sum.high += kN * (base >> 32) + int64_t(fields >> 32);
}

/* Return the field in a slot of this lane of a sparse vector. */
static __device__ __forceinline__ uint32_t
own_slot(const PackedVector &vector, unsigned slot)
{
	return ga_packed_slot(reinterpret_cast<const char *>(vector.payload),
						  vector.width, vector.n_slots, lane_id(), slot);
}

/* The sum of a warp's decimals of a number of places. */
struct DecimalSum
{
	int64_t integers;	 /* of i */
	int64_t differences; /* of t, in units of u */
	unsigned form;		 /* of their vectors */
	int n_until_flush;	 /* tiles */

	__device__ __forceinline__ void
	init()
	{
		clear();
		form = GA_PACKED_DECIMALS;
	}

	__device__ __forceinline__ void
	clear()
	{
		integers = 0;
		differences = 0;
		n_until_flush = kFlushTiles<double>;
	}

	/* Can the decimals of a vector be summed so? */
	static __device__ __forceinline__ bool
	takes(const PackedVector &vector)
	{
		return vector.form >= GA_PACKED_DECIMALS &&
			   vector.form < GA_PACKED_FLOATS && vector.width <= kDecimalBits &&
			   llabs(vector.base) < INT64_C(1) << kDecimalBits;
	}

	/* Add the sum to cells; a whole warp. */
	__device__ __forceinline__ void
	flush(unsigned long long *cells)
	{
		const Mantissa high(kPackedScales[form - GA_PACKED_DECIMALS].high);
		const __int128 total =
			(__int128) int64_t(high.m) * group_sum(integers, kWarp) -
			group_sum(differences, kWarp);
		Limbs limbs = {
			{uint64_t(total), uint64_t(total >> 64), uint64_t(total >> 127)}};

		limbs.shift_up(int(high.place % GA_CELL_BITS));
		add_limbs(cells, limbs, int(high.place / GA_CELL_BITS));
		clear();
	}

	/*
	 * Take away what exceptions of this lane, among elements j to j + kN - 1,
	 * have added: their field is 0.  Add them to cells.
	 */
	template <int kN>
	__device__ __forceinline__ void
	replace_exceptions(const PackedVector &vector, unsigned j,
					   int64_t difference, unsigned long long *cells)
	{
		for (unsigned e = 0; e < vector.n_exceptions; e++)
		{
			unsigned i;
			unsigned place;
			const double x = exception_of<double>(vector, e, &i);

			if (ga_packed_lane(i, sizeof(double), &place) != lane_id() ||
				place < j || place >= j + kN)
				continue;
			integers -= vector.base;
			differences -= difference;
			(void) add_to_sum(cells, x);
		}
		__syncwarp();
	}

	/* Begin with a vector's part of up to a tile's elements. */
	__device__ __forceinline__ void
	begin(const PackedVector &vector, unsigned long long *cells)
	{
		if (n_until_flush == 0 || vector.form != form)
			flush(cells);
		n_until_flush--;
		form = vector.form;
	}

	/* Add slots of each lane of a sparse vector; a whole warp. */
	__device__ __forceinline__ void
	add_slots(const PackedVector &vector, unsigned from, unsigned end,
			  unsigned long long *cells)
	{
		const DecimalDecoder decoder(vector);
		const double anchor = anchor_of(decoder.high);
		double sum = anchor;

		static_assert(GA_PACKED_MAX_SLOTS <= kItemsPerThread<double>,
					  "no more than a tile has");
		begin(vector, cells);
		for (unsigned k = from; k < end; k++)
		{
			const uint32_t field = own_slot(vector, k);

			integers += vector.base + field;
			sum += difference_of(decoder, decoder.integer(0, field));
		}
		differences += units(sum, anchor);
	}

	/* Add elements j to j + kN - 1 of each lane; a whole warp. */
	template <int kN>
	__device__ __forceinline__ void
	add(const PackedVector &vector, unsigned j, unsigned long long *cells)
	{
		const DecimalDecoder decoder(vector);
		const double anchor = anchor_of(decoder.high);
		const PackedFields<kN> fields(vector, lane_id(), j);
		double sum = anchor;

		begin(vector, cells);
		integers +=
			kN * vector.base + int64_t(sum_of_fields(fields, vector.width));
#pragma unroll
		for (int f = 0; f < kN; f++)
			sum += difference_of(
				decoder, decoder.integer(fields.high[f], fields.low[f]));
		differences += units(sum, anchor);
		if (vector.n_exceptions > 0)
			replace_exceptions<kN>(
				vector, j,
				units(anchor + difference_of(decoder, double(vector.base)),
					  anchor),
				cells);
	}

	/* Return t of an integer. */
	static __device__ __forceinline__ double
	difference_of(const DecimalDecoder &decoder, double i)
	{
		return __fma_rn(i, decoder.high, -decoder.decimal(i));
	}

	/* Return the anchor whose last place is that of a scale. */
	static __device__ __forceinline__ double
	anchor_of(double high)
	{
		const unsigned exponent =
			unsigned(__double2hiint(high)) & kHighInfinity;

		return 1.5 * __hiloint2double(int(exponent), 0);
	}

	static __device__ __forceinline__ int64_t
	units(double sum, double anchor)
	{
		return __double_as_longlong(sum) - __double_as_longlong(anchor);
	}
};

#endif /* GA_DECIMAL_SUM_CUH */
