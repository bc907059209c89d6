/*
 * residue_moments.cuh
 *		Exact sums of packed decimals that are small integers, and of their
 *		squares, by their residues (packed/residues.cuh).
 *
 * With the names of sum/decimal_sum.cuh and packed/residues.cuh, d is
 * (m * i - t) * u, and t is (r - L * i) / 2^f.  So the sum of squares is known
 * from the sums of i * i, i * r and r * r: three integers for each thread.
 */
#ifndef GA_RESIDUE_MOMENTS_CUH
#define GA_RESIDUE_MOMENTS_CUH

#include "float_moments.cuh"
#include "residue_sums.cuh"
#include "sum/residue_sum.cuh"

/* The sums of a warp's decimals that have residues. */
struct ResidueMoments : ResidueFormSum<ResidueMoments>
{
	int64_t squares;		 /* of i * i */
	int64_t products;		 /* of i * r */
	int64_t residue_squares; /* of r * r */
	int n_until_flush;		 /* vectors */

	/* Can the decimals of a vector be added so? */
	static __device__ __forceinline__ bool
	takes(const PackedVector &vector)
	{
		return has_dense_residues(vector);
	}

	__device__ __forceinline__ void
	clear()
	{
		FormSum<ResidueMoments>::clear();
		squares = 0;
		products = 0;
		residue_squares = 0;
		n_until_flush = kResidueFlushVectors;
	}

	/* Add a vector; a whole warp. */
	__device__ __forceinline__ void
	add_vector(const PackedVector &vector, unsigned long long *words)
	{
		const int base = int(vector.base);
		uint32_t fields[GA_PACKED_LANE_ITEMS];
		int sum = 0;
		int residue_sum = 0;

		if (vector.form != form || n_until_flush == 0)
		{
			*this = flushed(*this, words);
			begin_form(vector.form);
		}
		n_until_flush--;
		load_fields(vector.payload, vector.width, lane_id(), 0, fields);
		residues.for_each(base, vector.width, fields,
						  [&](uint32_t field, int r)
						  {
							  const int i = base + int(field);

							  sum += i;
							  residue_sum += r;
							  squares += int64_t(i) * i;
							  products += int64_t(i) * r;
							  residue_squares += int64_t(r) * r;
						  });
		integers += sum;
		others += residue_sum;
	}

	/*
	 * Add the sums to the words of an exact sum, and to the cells of squares
	 * behind them; a whole warp.
	 */
	__device__ __forceinline__ void
	flush(unsigned long long *words)
	{
		if (n_until_flush < kResidueFlushVectors)
			*this = flushed(*this, words);
	}

	/* The same, as a value: see FloatMoments::add_again(). */
	static __device__ __noinline__ ResidueMoments
	flushed(ResidueMoments state, unsigned long long *words)
	{
		state.add_squares(words + kSumWords);
		add_decimals(state.integers, state.differences(), state.form, words);
		state.clear();
		return state;
	}

	/* Add the sum of squares to cells: m * (m * ii - 2 * it) + tt. */
	__device__ __forceinline__ void
	add_squares(unsigned long long *cells) const
	{
		const __int128 ii = group_sum(squares, kWarp);
		const __int128 ir = group_sum(products, kWarp);
		const __int128 rr = wide_group_sum(residue_squares);
		const __int128 it = residues.difference(ii, ir);
		/* of t and r, and then of t and t */
		const __int128 tt =
			residues.difference(it, residues.difference(ir, rr));
		const Mantissa m(kPackedScales[ga_packed_places(form)].high);

		add_scaled(cells, m.m, __int128(m.m) * ii - 2 * it, tt, 2 * m.place);
	}
};

/* Moments of floats that may be packed: doubles by their residues, if any. */
template <typename T>
struct PackedMoments : FloatMoments<T, MixedSource<T>>
{
};

template <>
struct PackedMoments<double> : FloatMoments<double, MixedSource<double>>
{
	using Base = FloatMoments<double, MixedSource<double>>;
	static constexpr bool kTakesVectors = true;

	ResidueMoments decimals;

	__device__ __forceinline__ void
	init()
	{
		Base::init();
		decimals.init();
	}

	static __device__ __forceinline__ bool
	takes_vector(const PackedVector &vector)
	{
		return ResidueMoments::takes(vector);
	}

	__device__ __forceinline__ void
	add_vector(const PackedVector &vector, unsigned long long *words)
	{
		decimals.add_vector(vector, words);
	}

	__device__ __forceinline__ void
	flush(unsigned long long *words)
	{
		Base::flush(words);
		decimals.flush(words);
	}
};

#endif /* GA_RESIDUE_MOMENTS_CUH */
