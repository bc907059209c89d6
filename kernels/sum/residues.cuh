/*
 * residues.cuh
 *		The differences of decimals that are small integers, in 32 bits.
 *
 * With the names of decimal_sum.cuh, and h = m * u: d is a multiple of its last
 * place, 2^k * u, and t is what is left of i * m * u.  So t is known from i * m
 * modulo 2^k, but for the part of the scale behind h, which may round d to the
 * other multiple.  Therefore there are f more bits: M is the scale, 10^-places,
 * in units of u / 2^f, rounded; and i * M modulo 2^(k + f), taken from the
 * middle, is i's residue, t * 2^f + i * L, where L is M - m * 2^f.  The sum of
 * residues less L * (sum of i) is the sum of t * 2^f.
 *
 * This is so because no i / 10^places is in the middle between two multiples:
 * it is at least 1 / 5^places of half a last place away, and 2^f is more than
 * twice 5^places.  doc/numerics.md has the proof.
 *
 * k + f is read from a float, i times 10^-places times a power of two, which is
 * chosen such that the exponent is k + f modulo 32.  Where d is a power of two,
 * it may be less by one, and the residue is the same.
 */
#ifndef GA_RESIDUES_CUH
#define GA_RESIDUES_CUH

#include "packed/fields.cuh"

/* The bits of the float 2^23: a marked field is the float 2^23 + field. */
constexpr uint32_t kFieldMark = 0x4b000000;
constexpr float kFieldMarkValue = 0x1p23f;

/* The most places; of more, integers would have to be too small. */
constexpr unsigned kResiduePlaces = 6;

/* The most bits of residues: the sum of a lane's has 32. */
constexpr unsigned kResidueBits = 27;

static_assert(kResidueBits - 1 + 5 < 32 && GA_PACKED_LANE <= 1 << 5,
			  "five bits more, for all fields of a lane");

/* The residues of decimals of a number of places. */
struct Residues
{
	uint32_t multiplier; /* M, modulo 2^32 */
	int excess;			 /* L */
	unsigned bits;		 /* f */
	int limit;			 /* of i */
	uint32_t widths;	 /* of fields that are taken: bit n, n bits */
	float scale;		 /* times i it has the exponent k + f modulo 32 */

	/* Not initialized. */
	Residues() = default;

	__device__ __forceinline__ explicit Residues(unsigned places)
	{
		const GaPackedScale exact = kPackedScales[places];
		const uint64_t m = __double_as_longlong(exact.high);
		const unsigned exponent = unsigned(m >> 52);

		/* more than 1 + log2(5^places) */
		bits = 2 + (places * 1189 >> 9);
		limit = places <= kResiduePlaces ? 1 << (kResidueBits - bits) : 0;
		limit = min(limit, int(kFieldMarkValue) / 2);
		/* those whose range can be between the limits, which are powers of 2 */
		widths = limit == 0 ? 0 : kFieldWidths & (4 * limit - 1);
		excess =
			limit == 0 ?
				0 :
				int(rint(exact.low *
						 __hiloint2double(
							 int(2 * 1023 + 52 + bits - exponent) << 20, 0)));
		multiplier = uint32_t(m << bits) + uint32_t(excess);
		scale = __int_as_float((__float_as_int(float(exact.high)) & 0x7fffff) |
							   int((96 + bits) << 23));
	}

	/* Are all integers of a vector small enough? */
	__device__ __forceinline__ bool
	takes(const PackedVector &vector) const
	{
		const unsigned width = vector.width % 32;
		const bool is_possible = !vector.is_sparse && vector.width < 32 &&
								 (widths >> width & 1) != 0;
		/* bases from -limit on */
		const unsigned n_bases = is_possible ? 2 * limit + 1 - (1 << width) : 0;

		return uint64_t(vector.base + limit) < n_bases;
	}

	/* Return the bits of an integer's residue, modulo 32. */
	__device__ __forceinline__ unsigned
	bits_of(float i) const
	{
		return unsigned(__float_as_int(i * scale)) >> 23;
	}

	/*
	 * Return the sum of the residues of a lane's fields, of a width, which are
	 * marked.
	 */
	template <int kN>
	__device__ __forceinline__ int
	sum(int base, unsigned width, const uint32_t (&fields)[kN]) const
	{
		const int last = base + int((1u << width) - 1);
		const uint32_t offset = (uint32_t(base) - kFieldMark) * multiplier;
		const unsigned n_bits = bits_of(float(base));
		int total = 0;

		/* many vectors of neighbors have one for all */
		if (n_bits == bits_of(float(last)))
		{
#pragma unroll
			for (uint32_t field : fields)
				total += sign_extend(field * multiplier + offset, n_bits);
			return total;
		}

		const float shift = float(base) - kFieldMarkValue;

#pragma unroll
		for (uint32_t field : fields)
			total += sign_extend(field * multiplier + offset,
								 bits_of(__int_as_float(int(field)) + shift));
		return total;
	}
};

#endif /* GA_RESIDUES_CUH */
