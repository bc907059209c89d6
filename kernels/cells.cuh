/*
 * cells.cuh
 *		A sum in cells, distributed over a warp, and its record.
 *
 * The cells are those of exact_sum.h: 64 bits each, 32 bits apart, with carries
 * pending.  The counts of special inputs follow them, so that a sum is an array
 * of kSumWords integers, and two sums are merged by adding word by word, in any
 * order.  Used by the kernels of sum/ and scan/, and by the host, which reads
 * and writes such arrays (host/sum_words.h).
 */
#ifndef GA_CELLS_CUH
#define GA_CELLS_CUH

#include "common.cuh"

/* Indexes of the words behind the cells. */
enum SumWord
{
	kWordNan = GA_MAX_CELLS,
	kWordPosInf,
	kWordNegInf,
	kWordNegZero,
	kSumWords
};

constexpr int kWordsPerLane = (kSumWords + kWarp - 1) / kWarp;
constexpr int kLimbs = GA_PARTIAL_LIMBS;
constexpr int kDigits = 2 * kLimbs;

/* The magnitude of a finite float: m * 2^(place - 1074). */
struct Mantissa
{
	uint64_t m;
	unsigned place;

	__device__ __forceinline__
	Mantissa(double x)
	{
		const uint64_t bits = __double_as_longlong(x);
		const unsigned biased = unsigned(bits >> 52) & 0x7ff;

		m = (bits & GA_FLOAT8_FRACTION) | (biased ? GA_FLOAT8_HIDDEN : 0);
		place = biased ? biased - 1 : 0;
	}
};

/* An integer of 192 bits in two's complement, the lowest limb first. */
struct Limbs
{
	uint64_t limb[kLimbs];

	/* Add modulo 2^192. */
	__device__ __forceinline__ void
	add(const Limbs &other)
	{
		uint64_t carry = 0;

#pragma unroll
		for (int i = 0; i < kLimbs; i++)
		{
			uint64_t sum = limb[i] + other.limb[i];
			uint64_t carried = sum + carry;

			carry = (sum < other.limb[i]) | (carried < sum);
			limb[i] = carried;
		}
	}

	/* Add m * 2^shift modulo 2^192. */
	__device__ __forceinline__ void
	add_shifted(int64_t m, int shift)
	{
		Limbs part;
		uint64_t sign = m >> 63;
		int whole = shift / 64;
		int bits = shift % 64;
		uint64_t low = uint64_t(m) << bits;
		uint64_t high = bits ? uint64_t(m >> (64 - bits)) : sign;

#pragma unroll
		for (int i = 0; i < kLimbs; i++)
			part.limb[i] = i < whole	  ? 0 :
						   i == whole	  ? low :
						   i == whole + 1 ? high :
											sign;
		add(part);
	}

	/* Shift left by less than 32 bits. */
	__device__ __forceinline__ void
	shift_up(int bits)
	{
		uint32_t word[kDigits];

#pragma unroll
		for (int i = 0; i < kDigits; i++)
			word[i] = uint32_t(limb[i / 2] >> (i % 2 ? 32 : 0));
#pragma unroll
		for (int i = kDigits - 1; i > 0; i--)
			word[i] = __funnelshift_l(word[i - 1], word[i], bits);
		word[0] <<= bits;
#pragma unroll
		for (int i = 0; i < kLimbs; i++)
			limb[i] = uint64_t(word[2 * i + 1]) << 32 | word[2 * i];
	}

	/* Return digit i of 32 bits; the highest digit has the sign. */
	__device__ __forceinline__ int64_t
	digit(int i) const
	{
		uint64_t l = limb[i / 2];

		if (i == kDigits - 1)
			return int64_t(l) >> GA_CELL_BITS;
		return i % 2 ? l >> GA_CELL_BITS : l & 0xffffffff;
	}
};

/* A sum distributed over a warp: word i is in lane i % 32, word[i / 32]. */
struct WarpSum
{
	int64_t word[kWordsPerLane];

	__device__ __forceinline__ void
	clear()
	{
		for (int g = 0; g < kWordsPerLane; g++)
			word[g] = 0;
	}

	/*
	 * Add an integer in units of cell `first`, and a count of minus zeros; all
	 * lanes pass the same.
	 */
	__device__ __forceinline__ void
	add(const Limbs &limbs, int first, unsigned neg_zeros)
	{
#pragma unroll
		for (int g = 0; g < kWordsPerLane; g++)
		{
			int i = lane_id() + g * kWarp;

#pragma unroll
			for (int d = 0; d < kDigits; d++)
			{
				if (i - first == d && i < GA_MAX_CELLS)
					word[g] += limbs.digit(d);
			}
			if (i == kWordNegZero)
				word[g] += neg_zeros;
		}
	}

	/*
	 * Propagate carries until each cell is a signed digit of some 32 bits.  A
	 * small negative number keeps few digits that are not zero.
	 */
	__device__ __forceinline__ void
	propagate_carries()
	{
#pragma unroll 1
		for (int round = 0; round < 3; round++)
		{
			int64_t carry[kWordsPerLane];

#pragma unroll
			for (int g = 0; g < kWordsPerLane; g++)
			{
				int64_t digit = int32_t(uint32_t(word[g]));
				bool is_cell = lane_id() + g * kWarp < GA_MAX_CELLS - 1;

				carry[g] = is_cell ? (word[g] - digit) >> GA_CELL_BITS : 0;
				word[g] -= carry[g] << GA_CELL_BITS;
			}
#pragma unroll
			for (int g = 0; g < kWordsPerLane; g++)
			{
				int64_t from = __shfl_up_sync(kFullMask, carry[g], 1);
				int64_t below =
					g > 0 ? __shfl_sync(kFullMask, carry[g > 0 ? g - 1 : 0],
										kWarp - 1) :
							0;

				word[g] += lane_id() > 0 ? from : below;
			}
		}
	}

	/* Return word i, which may differ from lane to lane; a whole warp. */
	__device__ __forceinline__ int64_t
	at(int i) const
	{
		int64_t result = 0;

#pragma unroll
		for (int g = 0; g < kWordsPerLane; g++)
		{
			int64_t from = __shfl_sync(kFullMask, word[g], i % kWarp);

			result = i / kWarp == g ? from : result;
		}
		return result;
	}
};

/* The destination of a request's results. */
struct Output
{
	GaPartialSum *results;
	GaFullRecord *full;
	uint32_t full_capacity;
	uint32_t *n_full; /* NULL: a full record has the index of its result */
};

/* Write a compact record; one thread. */
static __device__ __forceinline__ void
store_compact(GaPartialSum *result, const Limbs &limbs, int first,
			  unsigned n_neg_zero)
{
	union
	{
		GaPartialSum partial;
		int4 raw[2];
	} u;

	static_assert(sizeof(u) == sizeof(GaPartialSum), "two vectors");
	for (int i = 0; i < kLimbs; i++)
		u.partial.limb[i] = limbs.limb[i];
	u.partial.n_neg_zero = n_neg_zero;
	u.partial.first = uint8_t(first);
	u.partial.kind = GA_PARTIAL_COMPACT;
	u.partial.unit = 0;
	reinterpret_cast<int4 *>(result)[0] = u.raw[0];
	reinterpret_cast<int4 *>(result)[1] = u.raw[1];
}

/* Write a full record and the record that refers to it; a whole warp. */
static __device__ __noinline__ void
store_full(const Output &out, uint32_t index, const WarpSum &sum,
		   unsigned n_neg_zero)
{
	uint32_t place = index;
	GaPartialSum partial = {};

	if (out.n_full != nullptr)
	{
		if (lane_id() == 0)
			place = atomicAdd(out.n_full, 1);
		place = __shfl_sync(kFullMask, place, 0);
	}
	partial.limb[0] = place;
	partial.n_neg_zero = n_neg_zero;
	partial.kind = GA_PARTIAL_FULL;
	if (place >= out.full_capacity)
	{
		partial.limb[0] = 0;
		partial.kind = GA_PARTIAL_NO_CAPACITY;
	}
	else
	{
		GaFullRecord *full = out.full + place;

#pragma unroll
		for (int g = 0; g < kWordsPerLane; g++)
		{
			int i = lane_id() + g * kWarp;

			if (i < GA_MAX_CELLS)
				full->cells[i] = sum.word[g];
			if (i == kWordNan)
				full->n_nan = sum.word[g];
			if (i == kWordPosInf)
				full->n_pos_inf = sum.word[g];
			if (i == kWordNegInf)
				full->n_neg_inf = sum.word[g];
		}
	}
	if (lane_id() == 0)
		out.results[index] = partial;
}

/*
 * Write the record of a sum; a whole warp.  A compact record begins at cell 0
 * for integers, at the lowest cell that is not zero for floats.  The code is
 * kept short, since it runs once a request and its instructions are not cached
 * then.
 */
template <bool kIsInt>
static __device__ __noinline__ void
store_result(const Output &out, uint32_t index, WarpSum sum)
{
	unsigned neg_zeros = unsigned(__shfl_sync(
		kFullMask, sum.word[kWordNegZero / kWarp], kWordNegZero % kWarp));
	int low = -1;
	int high = -1;
	bool special = false;
	int64_t digit;
	int64_t carry = 0;
	Limbs limbs = {};

	sum.propagate_carries();
#pragma unroll
	for (int g = 0; g < kWordsPerLane; g++)
	{
		int i = lane_id() + g * kWarp;
		unsigned cells =
			__ballot_sync(kFullMask, i < GA_MAX_CELLS && sum.word[g] != 0);

		special |= __any_sync(kFullMask, i >= kWordNan && i <= kWordNegInf &&
											 sum.word[g] != 0);
		if (cells != 0)
		{
			if (low < 0)
				low = g * kWarp + __ffs(cells) - 1;
			high = g * kWarp + kWarp - 1 - __clz(cells);
		}
	}
	/* one digit less than the record has leaves a bit for the sign */
	if (special || high - low >= kDigits - 1)
	{
		store_full(out, index, sum, neg_zeros);
		return;
	}
	low = low < 0 || kIsInt ? 0 : low;
	digit = sum.at(low + lane_id());
	digit = low + lane_id() < GA_MAX_CELLS ? digit : 0;
#pragma unroll
	for (int i = 0; i < kDigits; i++)
	{
		/* convert signed digits to two's complement */
		carry += __shfl_sync(kFullMask, digit, i);
		limbs.limb[i / 2] |= uint64_t(uint32_t(carry))
							 << (i % 2 ? GA_CELL_BITS : 0);
		carry >>= GA_CELL_BITS;
	}
	if (lane_id() == 0)
		store_compact(out.results + index, limbs, low, neg_zeros);
}

#endif /* GA_CELLS_CUH */
