/*
 * residue_products.cuh
 *		Exact sums of products of packed decimals that are small integers, by
 *		their residues (packed/residues.cuh).
 *
 * With the names of sum/decimal_sum.cuh and packed/residues.cuh, the factors
 * are (m * i - t) * u and (n * j - s) * v, where t and s are in units of u and
 * v.  So the sum of their products is that of
 *
 *	m * n * i * j - m * i * s - n * t * j + t * s,
 *
 * and known from the sums of i * j and of three products with residues: four
 * integers for each thread.
 */
#ifndef GA_RESIDUE_PRODUCTS_CUH
#define GA_RESIDUE_PRODUCTS_CUH

#include "float_products.cuh"
#include "residue_sums.cuh"
#include "sum/residue_sum.cuh"

/* The decimals of one of the factors. */
struct ResidueFactor
{
	Residues residues;
	unsigned form;

	__device__ __forceinline__ void
	begin_form(unsigned next)
	{
		form = next;
		residues = Residues(ga_packed_places(form));
	}

	__device__ __forceinline__ Mantissa
	scale() const
	{
		return Mantissa(kPackedScales[ga_packed_places(form)].high);
	}
};

/* May a vector have zeros? */
static __device__ __forceinline__ bool
may_be_zero(const PackedVector &vector)
{
	return vector.base <= 0 && vector.base + (1 << vector.width) > 0;
}

/* The sums of a warp's pairs of decimals that have residues. */
template <bool kHasSum>
struct ResidueProducts
{
	static constexpr int kFields = GA_PACKED_LANE_ITEMS / 2; /* added at once */

	ResidueFactor first;
	ResidueFactor second;
	int64_t integers;		 /* of second factors */
	int64_t residues;		 /* of second factors */
	int64_t products;		 /* of both integers */
	int64_t first_residues;	 /* of the first's residue and an integer */
	int64_t second_residues; /* of the second's residue and an integer */
	int64_t both_residues;	 /* of both residues */
	int64_t n_neg_zero;		 /* products that are minus zero */
	int n_until_flush;		 /* vectors */

	__device__ __forceinline__ void
	init()
	{
		first.begin_form(GA_PACKED_DECIMALS);
		second.begin_form(GA_PACKED_DECIMALS);
		clear();
	}

	__device__ __forceinline__ void
	clear()
	{
		integers = 0;
		residues = 0;
		products = 0;
		first_residues = 0;
		second_residues = 0;
		both_residues = 0;
		n_neg_zero = 0;
		n_until_flush = kResidueFlushVectors;
	}

	/* Add the pairs of two vectors; a whole warp. */
	__device__ __forceinline__ void
	add(const PackedPair &pair, unsigned long long *words)
	{
		if (pair.x.form != first.form || pair.y.form != second.form ||
			n_until_flush == 0)
		{
			flush(words);
			first.begin_form(pair.x.form);
			second.begin_form(pair.y.form);
		}
		n_until_flush--;
#pragma unroll 1
		for (int j = 0; j < GA_PACKED_LANE_ITEMS; j += kFields)
			add_fields(pair, unsigned(j));
	}

	/* Add pairs j to j + kFields - 1 of each lane. */
	__device__ __forceinline__ void
	add_fields(const PackedPair &pair, unsigned j)
	{
		const int base[2] = {int(pair.x.base), int(pair.y.base)};
		uint32_t x[kFields];
		uint32_t y[kFields];
		int residue[kFields];
		int sum = 0;
		int residue_sum = 0;
		int f = 0;

		load_fields(pair.x.payload, pair.x.width, lane_id(), j, x);
		load_fields(pair.y.payload, pair.y.width, lane_id(), j, y);
		first.residues.for_each(base[0], pair.x.width, x,
								[&](uint32_t, int r) { residue[f++] = r; });
		f = 0;
		second.residues.for_each(base[1], pair.y.width, y,
								 [&](uint32_t field, int r)
								 {
									 const int a = base[0] + int(x[f]);
									 const int b = base[1] + int(field);

									 sum += b;
									 residue_sum += r;
									 products += int64_t(a) * b;
									 first_residues += int64_t(residue[f]) * b;
									 second_residues += int64_t(a) * r;
									 both_residues += int64_t(residue[f]) * r;
									 f++;
								 });
		if (kHasSum)
		{
			integers += sum;
			residues += residue_sum;
		}
		if ((may_be_zero(pair.x) && pair.y.base < 0) ||
			(may_be_zero(pair.y) && pair.x.base < 0))
		{
#pragma unroll
			for (f = 0; f < kFields; f++)
			{
				const int a = base[0] + int(x[f]);
				const int b = base[1] + int(y[f]);

				n_neg_zero += (a == 0 && b < 0) || (b == 0 && a < 0);
			}
		}
	}

	/* Add the sums to the words of a result; a whole warp. */
	__device__ __forceinline__ void
	flush(unsigned long long *words)
	{
		if (n_until_flush < kResidueFlushVectors)
			add_sums(*this, words);
		clear();
	}

	static __device__ __noinline__ void
	add_sums(ResidueProducts state, unsigned long long *words)
	{
		state.add_products_to(words + kSumWords);
		add_word(words + kProductNegZero, group_sum(state.n_neg_zero, kWarp));
		if (kHasSum)
			add_decimals(state.integers,
						 state.second.residues.difference(state.integers,
														  state.residues),
						 state.second.form, words);
	}

	/* Add the sum of products to cells: m * (n * ij - is) + (ts - n * tj). */
	__device__ __forceinline__ void
	add_products_to(unsigned long long *cells) const
	{
		const __int128 ij = group_sum(products, kWarp);
		const __int128 of_first = group_sum(first_residues, kWarp);
		const __int128 of_second = group_sum(second_residues, kWarp);
		const __int128 of_both = wide_group_sum(both_residues);
		const __int128 is = second.residues.difference(ij, of_second);
		const __int128 tj = first.residues.difference(ij, of_first);
		/* of r and s, and then of t and s */
		const __int128 ts = first.residues.difference(
			is, second.residues.difference(of_first, of_both));
		const Mantissa m = first.scale();
		const Mantissa n = second.scale();

		add_scaled(cells, m.m, __int128(n.m) * ij - is, ts - __int128(n.m) * tj,
				   m.place + n.place);
	}
};

/* Products of floats that may be packed: doubles by their residues, if any. */
template <typename T, bool kHasSum>
struct PackedProducts : FloatProducts<T, kHasSum, MixedPairSource<T>>
{
};

template <bool kHasSum>
struct PackedProducts<double, kHasSum>
	: FloatProducts<double, kHasSum, MixedPairSource<double>>
{
	using Source = MixedPairSource<double>;
	static constexpr bool kHasRuns = true;

	/*
	 * Add the vectors from the first one on, up to one that does not do;
	 * returns where that is.  A function of its own, whose registers are not
	 * needed for other vectors.
	 */
	static __device__ __noinline__ int
	add_run(Source source, unsigned long long *words)
	{
		ResidueProducts<kHasSum> decimals;
		int at = source.tiles.first;

		if (!source.has_vectors())
			return at;
		decimals.init();
		for (; at < source.tiles.whole.end; at += source.tiles.whole.step)
		{
			source.begin_readers(at);

			const PackedPair pair = source.vectors();

			if (!has_dense_residues(pair.x) || !has_dense_residues(pair.y))
				break;
			decimals.add(pair, words);
		}
		decimals.flush(words);
		return at;
	}
};

#endif /* GA_RESIDUE_PRODUCTS_CUH */
