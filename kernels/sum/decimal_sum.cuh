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
 * multiply-add, and a vector's t can be added, without rounding, to an anchor
 * whose last place is u.  The sum of d is h * (sum of i) - (sum of t): two
 * integers for each thread.  Small integers have residues instead of t
 * (residue_sum.cuh).
 */
#ifndef GA_DECIMAL_SUM_CUH
#define GA_DECIMAL_SUM_CUH

#include "packed/decimal_limbs.cuh"
#include "packed/decode.cuh"
#include "packed/field_sums.cuh"
#include "wide_cells.cuh"
#include "sum_floats.cuh"

/* The bits of a base up to which decimals are summed so. */
constexpr unsigned kDecimalBits = 44;

static_assert(GA_PACKED_LANE_ITEMS * (int64_t(2) << (kDecimalBits + 1)) <=
				  (int64_t(1) << 51),
			  "a vector's differences, in units of the anchor's last place");

/*
 * Vectors after which a warp's sums are flushed: its lanes have at most 2^62
 * units then, and what exceptions take away.
 */
constexpr int kFlushVectors = 64;

static_assert((kFlushVectors * int64_t(kWarp)) << 51 <= int64_t(1) << 62 &&
				  GA_PACKED_MAX_EXCEPTIONS < 2 * kWarp,
			  "two exceptions of a lane are less than its elements");

/* The bits of fields, and of fields whose sum has 32 bits. */
constexpr unsigned kFieldBits = 32;
constexpr unsigned kShortBits = 27;

template <int kN>
static __device__ __forceinline__ uint32_t
sum_of(const uint32_t (&fields)[kN])
{
	constexpr int kChains = kN < 4 ? kN : 4; /* that do not wait for another */
	uint32_t sum[kChains] = {};

	static_assert(kN <= GA_PACKED_LANE_ITEMS && GA_PACKED_LANE_ITEMS <= 1 << 5,
				  "five bits more, for all fields of a lane");
#pragma unroll
	for (int f = 0; f < kN; f++)
		sum[f % kChains] += fields[f];
#pragma unroll
	for (int c = 1; c < kChains; c++)
		sum[0] += sum[c];
	return sum[0];
}

/* Add n elements, given the sum of their fields. */
template <typename T>
static __device__ __forceinline__ void
add_integers(SmallIntSum<T> &sum, int64_t base, unsigned n, uint64_t fields)
{
	sum.total += n * base + int64_t(fields);
}

static __device__ __forceinline__ void
add_integers(ThreadSum<int64_t> &sum, int64_t base, unsigned n, uint64_t fields)
{
	sum.low += n * int64_t(uint32_t(base)) + uint32_t(fields);
	sum.high += n * (base >> 32) + int64_t(fields >> 32);
}

/*
 * Add a warp's sum to cells: its lanes' integers and differences, of vectors of
 * a form.
 */
static __device__ __forceinline__ void
add_decimals(int64_t integers, int64_t differences, unsigned form,
			 unsigned long long *cells)
{
	int cell;
	const Limbs limbs =
		decimal_limbs(group_sum(integers, kWarp), group_sum(differences, kWarp),
					  ga_packed_places(form), &cell);

	add_limbs(cells, limbs, cell);
}

/* Add a vector's exceptions to cells; a whole warp. */
static __device__ __forceinline__ void
add_exceptions(const PackedVector &vector, unsigned long long *cells)
{
	for (unsigned e = lane_id(); e < vector.n_exceptions; e += kWarp)
	{
		unsigned i;

		(void) add_to_sum(cells, exception_of<double>(vector, e, &i));
	}
	__syncwarp();
}

/* Return how many of a vector's exceptions are this lane's. */
static __device__ __forceinline__ int
count_exceptions(const PackedVector &vector)
{
	return int(vector.n_exceptions + kWarp - 1 - lane_id()) / kWarp;
}

/*
 * What sums of a warp's decimals have in common.  A sum is of vectors of one
 * form.  Sum has prepare(), which is called when there is another one, and
 * differences(): the sum of t, in units of u.
 */
template <typename Sum>
struct FormSum
{
	int64_t integers; /* of i */
	int64_t others;	  /* of what Sum adds for each i */
	unsigned form;	  /* of the vectors */

	__device__ __forceinline__ Sum &
	self()
	{
		return static_cast<Sum &>(*this);
	}

	__device__ __forceinline__ void
	init()
	{
		self().clear();
		begin_form(GA_PACKED_DECIMALS);
	}

	__device__ __forceinline__ void
	clear()
	{
		integers = 0;
		others = 0;
	}

	/* Add the sum to cells; a whole warp. */
	__device__ __forceinline__ void
	flush(unsigned long long *cells)
	{
		add_decimals(integers, self().differences(), form, cells);
		clear();
	}

	/* Make ready for vectors of a form. */
	__device__ __forceinline__ void
	begin_form(unsigned next)
	{
		form = next;
		self().prepare();
	}

	/* Flush before vectors of another form; a whole warp. */
	__device__ __forceinline__ void
	change_form(unsigned next, unsigned long long *cells)
	{
		if (next == form)
			return;
		flush(cells);
		begin_form(next);
	}
};

/* The sum of a warp's decimals. */
struct DecimalSum : FormSum<DecimalSum>
{
	DecimalDecoder decoder;
	double anchor;	   /* its last place is that of the scale */
	int n_until_flush; /* vectors */

	/* Can the decimals of a vector be summed so? */
	static __device__ __forceinline__ bool
	takes(const PackedVector &vector)
	{
		return vector.has_plain_decimals() && vector.width <= kFieldBits &&
			   llabs(vector.base) < INT64_C(1) << kDecimalBits;
	}

	__device__ __forceinline__ void
	prepare()
	{
		n_until_flush = kFlushVectors;
		decoder = DecimalDecoder(form, 0);
		anchor =
			1.5 * __hiloint2double(
					  __double2hiint(decoder.high) & int(kHighInfinity), 0);
	}

	__device__ __forceinline__ int64_t
	differences() const
	{
		return others;
	}

	/* Add a vector; a whole warp. */
	template <typename Next>
	__device__ __forceinline__ void
	add_vectors(const PackedVector &vector, unsigned long long *cells, Next)
	{
		change_form(vector.form, cells);
		if (n_until_flush == 0)
		{
			flush(cells);
			n_until_flush = kFlushVectors;
		}
		n_until_flush--;
		decoder.set_base(vector.base);
		add_fields(vector);
		if (vector.n_exceptions > 0)
		{
			/* their field is 0: take away what that has added */
			const int n = count_exceptions(vector);

			integers -= n * vector.base;
			others -= n * units(anchor + difference_of(decoder.integer(0, 0)));
			add_exceptions(vector, cells);
		}
	}

	__device__ __forceinline__ void
	add_fields(const PackedVector &vector)
	{
		const bool is_short = vector.width <= kShortBits;
		unsigned n = vector.is_sparse ? vector.count : GA_PACKED_LANE_ITEMS;
		uint64_t total;
		uint32_t short_total = 0;
		double sum = anchor;

		with_all_fields(vector, lane_id(),
						[&](const auto &fields)
						{
							if (is_short)
								short_total += sum_of(fields);
#pragma unroll
							for (uint32_t field : fields)
								sum += difference_of(decoder.integer(0, field));
						});
		others += units(sum);
		total = is_short ? short_total : sum_of_fields(vector, lane_id(), &n);
		integers += n * vector.base + int64_t(total);
	}

	/* Return t of an integer. */
	__device__ __forceinline__ double
	difference_of(double i) const
	{
		return __fma_rn(i, decoder.high, -decoder.decimal(i));
	}

	/* Return what was added to the anchor, in units of its last place. */
	__device__ __forceinline__ int64_t
	units(double sum) const
	{
		return __double_as_longlong(sum) - __double_as_longlong(anchor);
	}
};

#endif /* GA_DECIMAL_SUM_CUH */
