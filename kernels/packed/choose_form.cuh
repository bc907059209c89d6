/*
 * choose_form.cuh
 *		The form of a vector of elements, which a warp has.
 *
 * It is the one with the smallest payload, but decimals are tried only with the
 * number of places that a sample suggests.  If that leaves too many exceptions,
 * they are tried with as many places as the sample has.
 */
#ifndef GA_CHOOSE_FORM_CUH
#define GA_CHOOSE_FORM_CUH

#include "decode.cuh"
#include "lane_items.cuh"
#include "order.cuh"

/* Return the coding of fields from a base to a last integer. */
static __device__ __forceinline__ GaPackedCoding
coding_of(unsigned form, int64_t base, int64_t last, unsigned n_exceptions)
{
	const uint64_t range = uint64_t(last) - uint64_t(base);
	const unsigned bits = range == 0 ? 0 : 64 - __clzll(range);

	return GaPackedCoding{
		base, ga_packed_code(form, ga_packed_round_width(bits), n_exceptions)};
}

/* Return the coding of the form of integers; all lanes. */
template <typename T>
static __device__ __forceinline__ GaPackedCoding
survey_integers(const LaneItems<T> &items)
{
	int64_t least = INT64_MAX;
	int64_t largest = INT64_MIN;

#pragma unroll
	for (int j = 0; j < kLaneItems; j++)
	{
		const int64_t x = SignedBits<T>(bits_of(items.item[j]));

		least = min(least, x);
		largest = max(largest, x);
	}
	return coding_of(GA_PACKED_INTEGERS, ~warp_max(~least), warp_max(largest),
					 0);
}

/*
 * Does an element decode to itself, in the form of decimals or of printed
 * floats?  Sets its integer, as a double.
 */
template <typename T>
static __device__ __forceinline__ bool
is_decimal(T x, unsigned form, double *integer)
{
	const GaPackedScale scale = kPackedScales[ga_packed_places(form)];
	/* fields have no minus zero */
	const double i = rint(double(x) * scale.power) + 0.0;
	double found = ga_packed_decimal(i, scale);

	if (form >= GA_PACKED_FLOATS)
		found =
			ga_packed_printed(found, kPackedScales[GA_PACKED_PRINTED_PLACES]);
	*integer = i;
	return fabs(i) < double(GA_PACKED_MAX_INTEGER) &&
		   bits_of(T(found)) == bits_of(x);
}

/*
 * Return which form to try, from one up to an end that have ever more places,
 * from two items of each lane: a place more costs 3.3 bits an element, an
 * exception its own bits and its place.  Sets the form that has no exception
 * among these items, or the end.
 */
template <typename T>
static __device__ __forceinline__ unsigned
choose_form(const LaneSample<T> &sample, unsigned first, unsigned end,
			unsigned *complete)
{
	constexpr unsigned kPlaceCost = GA_PACKED_VECTOR * 10 / 3;
	constexpr unsigned kLeftCost =
		GA_PACKED_VECTOR / (2 * kWarp) * (8 * sizeof(T) + 16);
	bool is_found[2] = {false, false};
	unsigned least_cost = ~0u;
	unsigned result = first;

	*complete = end;

#pragma unroll 1
	for (unsigned form = first; form < end; form++)
	{
		const unsigned cost = (form - first) * kPlaceCost;
		unsigned n_left = 0;

#pragma unroll
		for (int s = 0; s < 2; s++)
		{
			double i;

			is_found[s] = is_found[s] || is_decimal(sample.item[s], form, &i);
			n_left += __popc(__ballot_sync(kFullMask, !is_found[s]));
		}
		if (cost + n_left * kLeftCost < least_cost)
		{
			least_cost = cost + n_left * kLeftCost;
			result = form;
		}
		if (n_left == 0)
		{
			*complete = form;
			break;
		}
	}
	return result;
}

/*
 * Make a coding that of decimals or printed floats of a form, if they take
 * less; all lanes.  Returns false if there are too many exceptions.
 */
template <typename T>
static __device__ __forceinline__ bool
try_form(const LaneItems<T> &items, unsigned form, GaPackedCoding *coding)
{
	double least = double(GA_PACKED_MAX_INTEGER);
	double largest = -least;
	unsigned n_exceptions = 0;
	GaPackedCoding decimals;

#pragma unroll
	for (int j = 0; j < kLaneItems; j++)
	{
		double i;

		if (is_decimal(items.item[j], form, &i))
		{
			least = fmin(least, i);
			largest = fmax(largest, i);
		}
		else
			n_exceptions++;
	}
	n_exceptions = group_sum(n_exceptions, kWarp);
	least = -warp_max(-least);
	largest = warp_max(largest);
	if (n_exceptions > GA_PACKED_MAX_EXCEPTIONS)
		return false;
	decimals = coding_of(form, int64_t(least), int64_t(largest), n_exceptions);
	if (ga_packed_bytes(decimals.code, sizeof(T)) <
		ga_packed_bytes(coding->code, sizeof(T)))
		*coding = decimals;
	return true;
}

/*
 * Make a coding that of decimals or printed floats, of a form from one up to an
 * end, if they take less; all lanes.  If more of the other elements need many
 * places than of the sample, the first choice has too many exceptions.
 */
template <typename T>
static __device__ __forceinline__ void
try_decimals(const LaneItems<T> &items, unsigned first, unsigned end,
			 GaPackedCoding *coding)
{
	unsigned complete;
	unsigned form = choose_form(LaneSample<T>(items), first, end, &complete);

#pragma unroll 1
	while (!try_form(items, form, coding) && form < complete && complete < end)
		form = complete;
}

/* Return the largest power of ten that divides a field, and `most` at most. */
static __device__ __noinline__ unsigned
places_of(uint64_t field, unsigned most)
{
	unsigned places = 0;

	if (field == 0)
		return most;
	while (places < most &&
		   field % uint64_t(kPackedScales[places + 1].power) == 0)
		places++;
	return places;
}

/* Make a coding of integers that of multiples, if they are; all lanes. */
template <typename T>
static __device__ __forceinline__ void
try_multiples(const LaneItems<T> &items, GaPackedCoding *coding)
{
	unsigned places = GA_PACKED_MULTIPLE_PLACES;
	uint64_t largest = 0;

#pragma unroll
	for (int j = 0; j < kLaneItems; j++)
	{
		const uint64_t field =
			uint64_t(int64_t(SignedBits<T>(bits_of(items.item[j])))) -
			uint64_t(coding->base);

		places = places_of(field, places);
		largest = max(largest, field);
		/* most arrays have none: one element tells */
		if (j == 0)
			places = ~group_max(~places, kWarp);
		if (places == 0)
			break;
	}
	places = ~group_max(~places, kWarp);
	largest = warp_max(largest);
	if (places > 0 && largest > 0)
		*coding = coding_of(
			GA_PACKED_MULTIPLES, coding->base,
			coding->base +
				int64_t(largest / uint64_t(kPackedScales[places].power)),
			places);
}

/* Which of a lane's elements are not 0, a bit for each. */
template <typename T>
static __device__ __forceinline__ uint32_t
mask_of(const LaneItems<T> &items)
{
	uint32_t mask = 0;

#pragma unroll
	for (int j = 0; j < kLaneItems; j++)
		mask |= uint32_t(bits_of(items.item[j]) != 0) << j;
	return mask;
}

/* Make a coding that of a sparse vector, if that is smaller; all lanes. */
template <typename T>
static __device__ __forceinline__ void
try_sparse(const LaneItems<T> &items, GaPackedCoding *coding)
{
	const unsigned n = group_sum(unsigned(__popc(mask_of(items))), kWarp);
	const unsigned width = ga_packed_width(coding->code);
	const unsigned n_slots = (n + 2 * kWarp - 1) / (2 * kWarp) * 2;
	const uint64_t code =
		ga_packed_code(ga_packed_form(coding->code), width, n_slots) |
		GA_PACKED_SPARSE;

	if (n_slots <= GA_PACKED_MAX_SLOTS && width <= GA_PACKED_SPARSE_WIDTH &&
		ga_packed_exceptions(coding->code) == 0 &&
		ga_packed_form(coding->code) != GA_PACKED_MULTIPLES &&
		ga_packed_bytes(code, sizeof(T)) <
			ga_packed_bytes(coding->code, sizeof(T)))
		coding->code = code;
}

/* Return the coding of a vector, without an address; all lanes. */
template <typename T>
static __device__ __forceinline__ GaPackedCoding
choose_coding(const LaneItems<T> &items)
{
	GaPackedCoding coding = survey_integers(items);

	if constexpr (std::is_floating_point<T>::value)
	{
		try_decimals(items, GA_PACKED_DECIMALS, GA_PACKED_FLOATS, &coding);
		if (sizeof(T) == 8 && ga_packed_form(coding.code) ==
								  GA_PACKED_DECIMALS + GA_PACKED_PRINTED_PLACES)
			try_decimals(items, GA_PACKED_FLOATS,
						 GA_PACKED_FLOATS + GA_PACKED_FLOAT_PLACES + 1,
						 &coding);
	}
	else
		try_multiples(items, &coding);
	try_sparse(items, &coding);
	if (ga_packed_width(coding.code) > 8 * sizeof(T) ||
		ga_packed_bytes(coding.code, sizeof(T)) >
			ga_packed_max_bytes(sizeof(T)))
		coding = GaPackedCoding{0, ga_packed_code(GA_PACKED_PLAIN, 0, 0)};
	return coding;
}

/* Set a vector's extremes; all lanes. */
template <typename T>
static __device__ __forceinline__ void
find_extremes(const LaneItems<T> &items, GaPackedHeader *header)
{
	using Key = typename Order<T>::Key;
	Key least = Order<T>::key(items.item[0]);
	Key largest = least;

#pragma unroll
	for (int j = 1; j < kLaneItems; j++)
	{
		const Key key = Order<T>::key(items.item[j]);

		least = min(least, key);
		largest = max(largest, key);
	}
	header->least = Key(~warp_max(Key(~least)));
	header->largest = warp_max(largest);
}

/* Return the header of a vector, without an address; all lanes. */
template <typename T>
static __device__ __forceinline__ GaPackedHeader
survey_vector(const LaneItems<T> &items)
{
	GaPackedHeader header;

	header.coding = choose_coding(items);
	find_extremes(items, &header);
	return header;
}

#endif /* GA_CHOOSE_FORM_CUH */
