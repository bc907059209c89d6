/*
 * residue_sum.cuh
 *		Exact sums of packed decimals that are small integers, by their
 *		residues (packed/residues.cuh).
 */
#ifndef GA_RESIDUE_SUM_CUH
#define GA_RESIDUE_SUM_CUH

#include "decimal_sum.cuh"
#include "packed/field_sums.cuh"
#include "packed/residues.cuh"
#include "warp_tiles.cuh"

static_assert((kMaxWarpTiles + 1) * int64_t(kWarp) << 31 <= int64_t(1) << 62,
			  "all residues of a warp's vectors, those of a lane in 32 bits");

/* What sums of residues have in common: `others` is of residues. */
template <typename Sum>
struct ResidueFormSum : FormSum<Sum>
{
	Residues residues;

	__device__ __forceinline__ void
	prepare()
	{
		residues = Residues(ga_packed_places(this->form));
	}

	__device__ __forceinline__ int64_t
	differences() const
	{
		return residues.difference(this->integers, this->others);
	}
};

/*
 * The sum of a warp's decimals that have residues.  There is code for each
 * width, and of sparse vectors also for each number of slots: for those of up
 * to kFewSlots, and of up to kSparseBits bits.
 */
struct ResidueSum : ResidueFormSum<ResidueSum>
{
	static constexpr int kFewSlots = 8;
	static constexpr unsigned kSparseBits = 16;

	/* Can the decimals of a vector be summed so? */
	static __device__ __forceinline__ bool
	takes(const PackedVector &vector)
	{
		return vector.has_plain_decimals() && Residues::takes(vector);
	}

	/*
	 * Add a vector, and those that next() goes on to, all of the same code but
	 * for base and payload; a whole warp.
	 */
	template <typename Next>
	__device__ __forceinline__ void
	add_vectors(PackedVector vector, unsigned long long *cells, Next next)
	{
		change_form(vector.form, cells);
		if (vector.is_sparse)
			with_slots(
				vector.count,
				[&](auto n)
				{
					if constexpr (n.value <= kFewSlots)
						with_width(vector.width,
								   [&](auto width)
								   {
									   if constexpr (width.value <= kSparseBits)
										   add_sparse<n.value>(
											   vector, width.value, next);
								   });
					if (n.value > kFewSlots || vector.width > kSparseBits)
						add_sparse<n.value>(vector, vector.width, next);
				});
		else
			with_width(vector.width,
					   [&](auto width)
					   {
						   do
							   add_dense(vector, width.value);
						   while (vector.n_exceptions == 0 && next(&vector));
					   });
		if (vector.n_exceptions > 0)
		{
			/* their field is 0: take away what that has added */
			const int n = count_exceptions(vector);

			integers -= n * vector.base;
			others -= int64_t(n) * residues.residue(int(vector.base));
			add_exceptions(vector, cells);
		}
	}

	/* Add n elements, given the sum of their fields. */
	__device__ __forceinline__ void
	add_integers(const PackedVector &vector, unsigned n, uint32_t fields)
	{
		integers += int(n * uint32_t(vector.base) + fields);
	}

	__device__ __forceinline__ void
	add_dense(const PackedVector &vector, unsigned width)
	{
		uint32_t fields[GA_PACKED_LANE_ITEMS];

		/* of planes, since other units do that than what follows */
		add_integers(vector, GA_PACKED_LANE_ITEMS,
					 uint32_t(sum_planes(vector.payload, width, lane_id())));
		load_fields<true>(vector.payload, width, lane_id(), 0, fields);
		others += residues.sum(int(vector.base), width, fields);
	}

	/* Add sparse vectors of a width.  What no slot has is 0. */
	template <int kSlots, typename Next>
	__device__ __forceinline__ void
	add_sparse(PackedVector &vector, unsigned width, Next next)
	{
		do
		{
			uint32_t fields[kSlots];

			load_slots(vector.payload, width, lane_id(), fields);
			others += residues.sum_of_different(int(vector.base), fields);
			add_integers(vector, kSlots, sum_of(fields));
		} while (next(&vector));
	}
};

#endif /* GA_RESIDUE_SUM_CUH */
