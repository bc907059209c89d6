/*
 * residues.cuh
 *		The differences of decimals that are small integers, in 32 bits.
 *
 * With the names of sum/decimal_sum.cuh, and h = m * u: d is a multiple of its
 * last place, 2^k * u, and t is what is left of i * m * u.  So t is known from
 * i * m modulo 2^k, but for the part of the scale behind h, which may round d
 * to the other multiple.  Therefore there are f more bits: M is the scale,
 * 10^-places, in units of u / 2^f, rounded; and i * M modulo 2^(k + f), taken
 * from the middle, is i's residue, t * 2^f + i * L, where L is M - m * 2^f.
 * The sum of residues less L * (sum of i) is the sum of t * 2^f.
 *
 * This is so because no i / 10^places is in the middle between two multiples:
 * it is at least 1 / 5^places of half a last place away, and 2^f is more than
 * twice 5^places.  doc/numerics.md has the proof.
 *
 * k + f is read from a float, i times 10^-places times a power of two, which is
 * chosen such that the exponent is k + f modulo 32.  Where d is a power of two,
 * it may be less by one, and the residue is the same.  A field is a float as it
 * is, a subnormal one: field * 2^-149.
 */
#ifndef GA_RESIDUES_CUH
#define GA_RESIDUES_CUH

#include "fields.cuh"

/* The most places; of more, integers would have to be too small. */
constexpr unsigned kResiduePlaces = 6;

/* The most bits of residues: the sum of a lane's has 32. */
constexpr unsigned kResidueBits = 27;

/* The most bits of integers: a float is not far from i * 10^-places. */
constexpr unsigned kResidueIntegerBits = 22;

static_assert(kResidueBits - 1 + 5 < 32 && GA_PACKED_LANE_ITEMS <= 1 << 5,
			  "five bits more, for all fields of a lane");

/* Return f, of decimals of a number of places: more than 1 + log2(5^places). */
static __device__ __forceinline__ unsigned
extra_bits(unsigned places)
{
	return 2 + (places * 1189 >> 9);
}

/* The residues of decimals of a number of places. */
struct Residues
{
	uint32_t multiplier; /* M, modulo 2^32 */
	int excess;			 /* L */
	unsigned bits;		 /* f */
	float scale;		 /* times i it has the exponent k + f modulo 32 */
	float field_scale;	 /* the same, times a field that is read as a float */

	/* Not initialized. */
	Residues() = default;

	__device__ __forceinline__ explicit Residues(unsigned places)
	{
		const GaPackedScale exact = kPackedScales[places];
		const uint64_t m = __double_as_longlong(exact.high);
		const unsigned exponent = unsigned(m >> 52);
		const int fraction = __float_as_int(float(exact.high)) & 0x7fffff;

		bits = extra_bits(places);
		excess =
			places > kResiduePlaces ?
				0 :
				int(rint(exact.low *
						 __hiloint2double(
							 int(2 * 1023 + 52 + bits - exponent) << 20, 0)));
		multiplier = uint32_t(m << bits) + uint32_t(excess);
		scale = __int_as_float(fraction | int((64 + bits) << 23));
		field_scale = __int_as_float(fraction | int((64 + 149 + bits) << 23));
	}

	/*
	 * Are all integers of a vector of decimals small enough, and its fields of
	 * a width that there is code for?
	 */
	static __device__ __forceinline__ bool
	takes(const PackedVector &vector)
	{
		const unsigned places = ga_packed_places(vector.form);
		const unsigned n_bits =
			min(kResidueBits - extra_bits(places), kResidueIntegerBits);
		const int limit = 1 << n_bits;

		return places <= kResiduePlaces && has_width(vector.width) &&
			   vector.base >= -limit / 2 &&
			   vector.base + (1 << vector.width) - 1 <= limit;
	}

	/*
	 * Return t / u of an integer, given its residue; or the sum of some, given
	 * the sums of both, which may be of products with anything.
	 */
	template <typename Int>
	__device__ __forceinline__ Int
	difference(Int i, Int residue) const
	{
		return (residue - excess * i) >> bits;
	}

	/* Return the bits of an integer's residue, modulo 32, from its float. */
	static __device__ __forceinline__ unsigned
	bits_of(float scaled)
	{
		return unsigned(__float_as_int(scaled)) >> 23;
	}

	/* Return the residue of an integer. */
	__device__ __forceinline__ int
	residue(int i) const
	{
		return sign_extend(uint32_t(i) * multiplier, bits_of(float(i) * scale));
	}

	/* Call f(field, residue) for some of a lane's fields. */
	template <int kN, typename F>
	__device__ __forceinline__ void
	for_each(int base, unsigned width, const uint32_t (&fields)[kN], F f) const
	{
		const uint32_t offset = uint32_t(base) * multiplier;
		const float scaled_base = float(base) * scale;
		const unsigned n_bits = bits_of(scaled_base);
		const int last = base + int((1u << width) - 1);

		/* many vectors of neighbors have one for all */
		if (n_bits == bits_of(float(last) * scale))
		{
#pragma unroll
			for (uint32_t field : fields)
				f(field, sign_extend(field * multiplier + offset, n_bits));
			return;
		}
#pragma unroll
		for (uint32_t field : fields)
			f(field, residue_of(field, offset, scaled_base));
	}

	/*
	 * Return the residue of a field, given its base's product with the
	 * multiplier, and that with the scale.
	 */
	__device__ __forceinline__ int
	residue_of(uint32_t field, uint32_t offset, float scaled_base) const
	{
		return sign_extend(field * multiplier + offset,
						   bits_of(__fmaf_rn(__int_as_float(int(field)),
											 field_scale, scaled_base)));
	}

	/* Return the sum of the residues of some of a lane's fields. */
	template <int kN>
	__device__ __forceinline__ int
	sum(int base, unsigned width, const uint32_t (&fields)[kN]) const
	{
		int total = 0;

		for_each(base, width, fields,
				 [&](uint32_t, int residue) { total += residue; });
		return total;
	}

	/* The same, without asking whether all have the same number of bits. */
	template <int kN>
	__device__ __forceinline__ int
	sum_of_different(int base, const uint32_t (&fields)[kN]) const
	{
		const uint32_t offset = uint32_t(base) * multiplier;
		const float scaled_base = float(base) * scale;
		int total = 0;

#pragma unroll
		for (uint32_t field : fields)
			total += residue_of(field, offset, scaled_base);
		return total;
	}
};

#endif /* GA_RESIDUES_CUH */
