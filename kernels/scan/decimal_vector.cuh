/*
 * decimal_vector.cuh
 *		A vector of packed decimals that have residues (packed/residues.cuh),
 *		on its way to running totals (scan_decimals.cuh).
 *
 * A warp has it: each lane has pairs of neighbors, and the next pair is in the
 * next lane.  With the names of sum/decimal_sum.cuh, elements and sums are an
 * integer and a difference, i and t / u.
 */
#ifndef GA_DECIMAL_VECTOR_CUH
#define GA_DECIMAL_VECTOR_CUH

#include "level_totals.cuh"
#include "packed/residues.cuh"
#include "scan_levels.cuh"

/* Pairs of elements that a lane has of a vector. */
constexpr int kPairs = GA_PACKED_LANE_ITEMS / 2;

/*
 * The largest integer: |t| is less than 1.6 times as many units of u, and those
 * of a vector have their sums in 32 bits.
 */
constexpr int kMostInteger = int((INT64_C(1) << 31) / GA_PACKED_VECTOR * 5 / 8);

/* Sums within a vector are counted from here, as unsigned integers. */
constexpr uint32_t kMiddle = UINT32_C(1) << 31;

/* The sums of some elements of a vector. */
struct alignas(8) DecimalSums
{
	int integers;
	int differences; /* of t / u */
};

/*
 * For the pairs of a vector, in order, their sums, and then those up to there:
 * two in 16 bytes.  Behind eight of these there is a gap, so that access lane
 * by lane and pair by pair are both free of bank conflicts.
 */
struct PairSums
{
	static constexpr int kTwos = kPairs / 2; /* of a lane in order */

	int4 two[kWarp * (kTwos + 1)];

	static_assert(kTwos == 8, "a gap is behind the pairs of a lane");

	/* Return pair k of those whose elements a lane has. */
	__device__ __forceinline__ DecimalSums &
	of_lane(int k)
	{
		const int i = k * int(kWarp) + lane_id();

		return reinterpret_cast<DecimalSums *>(two + i / 2 + i / 16)[i % 2];
	}

	/* Return the i-th two of a lane, in order. */
	__device__ __forceinline__ int4 &
	in_order(int i)
	{
		return two[lane_id() * (kTwos + 1) + i];
	}
};

/*
 * Can a vector's totals be made with those of an array of decimals?  A vector
 * of equal elements has the form of their bits, and gets that of the array.
 */
static __device__ __forceinline__ bool
make_decimals(unsigned form, PackedVector &vector)
{
	if (vector.form == GA_PACKED_INTEGERS && vector.width == 0)
	{
		const GaPackedScale scale = kPackedScales[ga_packed_places(form)];
		const double x = element_of<double>(uint64_t(vector.base));
		/* integers have no minus zero */
		const double integer = rint(x * scale.power) + 0.0;

		if (fabs(integer) <= kMostInteger &&
			bits_of(ga_packed_decimal(integer, scale)) == bits_of(x))
		{
			vector.form = form;
			vector.base = int(integer);
		}
	}
	return vector.form == form && vector.n_exceptions == 0 &&
		   Residues::takes(vector) && vector.base >= -kMostInteger &&
		   vector.base + (1 << vector.width) - 1 <= kMostInteger;
}

/* The second elements of a lane's pairs of a vector. */
struct DecimalVector
{
	DecimalSums second[kPairs];

	/* Let all elements be 0. */
	__device__ __forceinline__ void
	clear(PairSums &pairs)
	{
#pragma unroll
		for (int k = 0; k < kPairs; k++)
			pairs.of_lane(k) = second[k] = DecimalSums{};
	}

	/* Decode a vector, and put the sums of its pairs in shared memory. */
	__device__ __forceinline__ void
	decode(const PackedVector &vector, PairSums &pairs)
	{
		const Residues residues(ga_packed_places(vector.form));
		const int base = int(vector.base);
		uint32_t fields[GA_PACKED_LANE_ITEMS];
		DecimalSums first;
		int f = 0;

		if (vector.is_sparse)
		{
			const SparseMask mask(vector, lane_id());

#pragma unroll
			for (int j = 0; j < GA_PACKED_LANE_ITEMS; j++)
				fields[j] = mask.field(vector, j);
		}
		else
			with_width(vector.width,
					   [&](auto width) {
						   load_fields<true>(vector.payload, width.value,
											 lane_id(), 0, fields);
					   });
		residues.for_each(
			base, vector.width, fields,
			[&](uint32_t field, int residue)
			{
				const int i = base + int(field);
				const DecimalSums own{i, residues.difference(i, residue)};

				if (f % 2 == 0)
					first = own;
				else
				{
					second[f / 2] = own;
					pairs.of_lane(f / 2) =
						DecimalSums{first.integers + own.integers,
									first.differences + own.differences};
				}
				f++;
			});
	}

	/* Return the place of the first element of a lane's pair in the vector. */
	static __device__ __forceinline__ unsigned
	place(int k)
	{
		return unsigned(k * int(kWarp) + lane_id()) * 2;
	}

	/* Let elements from place `end` on be 0. */
	__device__ __forceinline__ void
	cut(uint32_t end, PairSums &pairs)
	{
#pragma unroll
		for (int k = 0; k < kPairs; k++)
		{
			DecimalSums &sums = pairs.of_lane(k);

			if (place(k) + 1 < end)
				continue;
			sums.integers -= second[k].integers;
			sums.differences -= second[k].differences;
			if (place(k) >= end)
				sums = DecimalSums{};
			second[k] = DecimalSums{};
		}
	}
};

/*
 * Replace sums of pairs by the sums up to there in the vector, from kMiddle on;
 * a whole warp.  Returns the sum of all.
 */
static __device__ __forceinline__ Levels<2>
scan_pairs(PairSums &pairs)
{
	DecimalSums own = {};
	DecimalSums sum;

#pragma unroll
	for (int i = 0; i < pairs.kTwos; i++)
	{
		const int4 two = pairs.in_order(i);

		own.integers += two.x + two.z;
		own.differences += two.y + two.w;
	}
	sum = own;
#pragma unroll
	for (int step = 1; step < int(kWarp); step *= 2)
	{
		const int integers = __shfl_up_sync(kFullMask, sum.integers, step);
		const int differences =
			__shfl_up_sync(kFullMask, sum.differences, step);

		sum.integers += lane_id() >= step ? integers : 0;
		sum.differences += lane_id() >= step ? differences : 0;
	}

	uint32_t integers = kMiddle + uint32_t(sum.integers - own.integers);
	uint32_t differences =
		kMiddle + uint32_t(sum.differences - own.differences);

#pragma unroll
	for (int i = 0; i < pairs.kTwos; i++)
	{
		int4 &two = pairs.in_order(i);
		const int4 sums = two;

		two.x = int(integers + uint32_t(sums.x));
		two.y = int(differences + uint32_t(sums.y));
		integers = uint32_t(two.x) + uint32_t(sums.z);
		differences = uint32_t(two.y) + uint32_t(sums.w);
		two.z = int(integers);
		two.w = int(differences);
	}
	return Levels<2>{{__shfl_sync(kFullMask, sum.integers, int(kWarp) - 1),
					  __shfl_sync(kFullMask, sum.differences, int(kWarp) - 1)}};
}

/*
 * Makes totals of what precedes a vector, and of sums in it.  These are the
 * last bits of doubles with the last place 1, or u, from which 2^52 + kMiddle
 * is taken away with what precedes the vector.
 */
struct DecimalTotals
{
	double high; /* h */
	double integers_before;
	double differences_before;
	int exponent; /* of 2^52 * u, as the high half of a double */

	__device__ __forceinline__
	DecimalTotals(unsigned places, const Levels<2> &before)
		: high(kPackedScales[places].high)
	{
		constexpr int64_t kAnchor = (INT64_C(1) << 52) + kMiddle;
		double unit;

		exponent = __double2hiint(high) & int(kHighInfinity);
		unit = __hiloint2double(exponent - (52 << 20), 0);
		integers_before = double(before.word[0] - kAnchor);
		differences_before = double(kAnchor - before.word[1]) * unit;
	}

	__device__ __forceinline__ double
	total(uint32_t integers, uint32_t differences) const
	{
		const double n =
			__hiloint2double(0x43300000, int(integers)) + integers_before;
		const double rest =
			differences_before - __hiloint2double(exponent, int(differences));
		const double product = n * high;

		return product + (__fma_rn(n, high, -product) + rest);
	}
};

/*
 * Write the totals of a lane's elements, of which n are in the array.
 * kIsWhole: all are.
 */
template <bool kIsWhole>
static __device__ __forceinline__ void
write_totals(double *out, uint32_t n, const DecimalVector &own,
			 const DecimalTotals &totals, PairSums &pairs)
{
#pragma unroll
	for (int k = 0; k < kPairs; k++)
	{
		const DecimalSums sums = pairs.of_lane(k);
		const DecimalSums &second = own.second[k];
		const unsigned at = DecimalVector::place(k);
		union
		{
			double total[2];
			int4 raw;
		} u;

		u.total[0] = totals.total(
			uint32_t(sums.integers) - uint32_t(second.integers),
			uint32_t(sums.differences) - uint32_t(second.differences));
		u.total[1] =
			totals.total(uint32_t(sums.integers), uint32_t(sums.differences));
		if (kIsWhole || at + 1 < n)
			__stcs(reinterpret_cast<int4 *>(out + at), u.raw);
		else if (at < n)
			out[at] = u.total[0];
	}
}

#endif /* GA_DECIMAL_VECTOR_CUH */
