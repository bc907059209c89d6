/*
 * emulated_encode.c
 *		The form of a packed vector, and its payload.
 *
 * Called by emulated_pack.c.  The form is the one with the fewest bytes of
 * those that exact/packed.h has: all numbers of places are tried.
 */
#include "emulated_encode.h"
#include "emulated_memory.h"
#include "exact/packed_element.h"

/* Load n elements, at least one. */
void
ga_emulated_load_vector(GaEmulatedVector *vector, GaElementType type,
						const void *elements, uint32_t n)
{
	const size_t size = ga_element_size(type);
	uint32_t i;

	vector->type = type;
	for (i = 0; i < GA_PACKED_VECTOR; i++)
	{
		const char *from = (const char *) elements + (i < n ? i : 0) * size;
		uint64_t bits = 0;
		double wide;
		float narrow;

		memcpy(&bits, from, size);
		vector->bits[i] = size == 2 ? (int16_t) bits :
						  size == 4 ? (int32_t) bits :
									  (int64_t) bits;
		memcpy(&wide, &bits, sizeof(wide));
		memcpy(&narrow, &bits, sizeof(narrow));
		vector->value[i] = type == GA_float8 ? wide : narrow;
	}
}

/* Return the coding of integers from the least to the largest. */
static GaPackedCoding
coding_of(unsigned form, int64_t least, int64_t largest, unsigned n_exceptions)
{
	const uint64_t range = (uint64_t) largest - (uint64_t) least;
	const unsigned bits = range == 0 ? 0 : 64 - __builtin_clzll(range);

	return (GaPackedCoding){
		least, ga_packed_code(form, ga_packed_round_width(bits), n_exceptions)};
}

/* Return the coding of the form of integers. */
static GaPackedCoding
try_integers(const GaEmulatedVector *vector)
{
	int64_t least = INT64_MAX;
	int64_t largest = INT64_MIN;
	int i;

	for (i = 0; i < GA_PACKED_VECTOR; i++)
	{
		if (vector->bits[i] < least)
			least = vector->bits[i];
		if (vector->bits[i] > largest)
			largest = vector->bits[i];
	}
	return coding_of(GA_PACKED_INTEGERS, least, largest, 0);
}

/*
 * Does element i decode to itself, in the form of decimals or of printed
 * floats?  Sets its integer.
 */
static bool
is_decimal(const GaEmulatedVector *vector, int i, unsigned form,
		   int64_t *integer)
{
	const GaPackedScale *scale = &ga_packed_scales[ga_packed_places(form)];
	const double rounded = rint(vector->value[i] * scale->power);
	double wide;
	float narrow;
	int32_t narrow_bits;
	int64_t bits;

	/* NaN and infinities are not below */
	if (!(fabs(rounded) < (double) GA_PACKED_MAX_INTEGER))
		return false;
	*integer = (int64_t) rounded;
	wide = ga_packed_decimal((double) *integer, *scale);
	if (form >= GA_PACKED_FLOATS)
		wide =
			ga_packed_printed(wide, ga_packed_scales[GA_PACKED_PRINTED_PLACES]);
	narrow = (float) wide;
	memcpy(&bits, &wide, sizeof(bits));
	memcpy(&narrow_bits, &narrow, sizeof(narrow_bits));
	return vector->bits[i] == (vector->type == GA_float8 ? bits : narrow_bits);
}

/*
 * Set the coding of a form of decimals or printed floats.  False: there are too
 * many exceptions.
 */
static bool
try_decimals(const GaEmulatedVector *vector, unsigned form,
			 GaPackedCoding *coding)
{
	int64_t least = INT64_MAX;
	int64_t largest = INT64_MIN;
	unsigned n_exceptions = 0;
	int i;

	for (i = 0; i < GA_PACKED_VECTOR; i++)
	{
		int64_t integer;

		if (is_decimal(vector, i, form, &integer))
		{
			least = integer < least ? integer : least;
			largest = integer > largest ? integer : largest;
		}
		else if (++n_exceptions > GA_PACKED_MAX_EXCEPTIONS)
			return false;
	}
	*coding = coding_of(form, least, largest, n_exceptions);
	return true;
}

/* Make a coding that of multiples, if its integers are. */
static void
try_multiples(const GaEmulatedVector *vector, GaPackedCoding *coding)
{
	uint64_t largest = 0;
	unsigned places = GA_PACKED_MULTIPLE_PLACES;
	uint64_t power;
	int i;

	for (i = 0; i < GA_PACKED_VECTOR; i++)
	{
		const uint64_t field =
			(uint64_t) vector->bits[i] - (uint64_t) coding->base;

		largest = field > largest ? field : largest;
		while (field % (uint64_t) ga_packed_scales[places].power != 0)
			places--;
	}
	power = (uint64_t) ga_packed_scales[places].power;
	if (places > 0 && largest > 0)
		*coding = coding_of(GA_PACKED_MULTIPLES, coding->base,
							coding->base + (int64_t) (largest / power), places);
}

/*
 * Try forms from one up to an end, which have ever more places, and keep the
 * coding with the fewest bytes.
 */
static void
try_forms(const GaEmulatedVector *vector, unsigned form, unsigned end,
		  GaPackedCoding *best)
{
	const size_t size = ga_element_size(vector->type);

	for (; form < end; form++)
	{
		GaPackedCoding coding;

		if (!try_decimals(vector, form, &coding))
			continue;
		if (ga_packed_bytes(coding.code, size) <
			ga_packed_bytes(best->code, size))
			*best = coding;
		/* more places make larger integers */
		if (ga_packed_exceptions(coding.code) == 0)
			break;
	}
}

/* Make a coding that of a sparse vector, if that is smaller. */
static void
try_sparse(const GaEmulatedVector *vector, GaPackedCoding *coding)
{
	const size_t size = ga_element_size(vector->type);
	const unsigned form = ga_packed_form(coding->code);
	const unsigned width = ga_packed_width(coding->code);
	unsigned n = 0;
	unsigned n_slots;
	uint64_t code;
	int i;

	for (i = 0; i < GA_PACKED_VECTOR; i++)
		n += vector->bits[i] != 0;
	n_slots = (n + 2 * GA_PACKED_LANES - 1) / (2 * GA_PACKED_LANES) * 2;
	if (n_slots > GA_PACKED_MAX_SLOTS || width > GA_PACKED_SPARSE_WIDTH ||
		ga_packed_exceptions(coding->code) > 0 || form == GA_PACKED_MULTIPLES)
		return;
	code = ga_packed_code(form, width, n_slots) | GA_PACKED_SPARSE;
	if (ga_packed_bytes(code, size) < ga_packed_bytes(coding->code, size))
		coding->code = code;
}

/* Return the coding of the form with the fewest bytes, without an address. */
GaPackedCoding
ga_emulated_choose_form(const GaEmulatedVector *vector)
{
	const size_t size = ga_element_size(vector->type);
	GaPackedCoding best = try_integers(vector);

	if (!ga_element_is_float(vector->type))
		try_multiples(vector, &best);
	else
		try_forms(vector, GA_PACKED_DECIMALS, GA_PACKED_FLOATS, &best);
	if (vector->type == GA_float8)
		try_forms(vector, GA_PACKED_FLOATS,
				  GA_PACKED_FLOATS + GA_PACKED_FLOAT_PLACES + 1, &best);
	try_sparse(vector, &best);
	if (ga_packed_bytes(best.code, size) > ga_packed_max_bytes(size))
		best = (GaPackedCoding){0, ga_packed_code(GA_PACKED_PLAIN, 0, 0)};
	return best;
}

/* Set field j of a lane, where all bits are zero; as ga_packed_field(). */
static void
put_field(char *planes, unsigned width, unsigned lane, unsigned j,
		  uint64_t field)
{
	unsigned b;

	for (b = 32; b > 0; b /= 2)
	{
		const uint32_t mask = UINT32_MAX >> (32 - b);
		const uint32_t part = (uint32_t) field & mask;
		char *to;
		uint32_t word;

		if ((width & b) == 0)
			continue;
		to = planes + ga_packed_word_at(b, lane, j * b / 32);
		memcpy(&word, to, sizeof(word));
		word |= part << j * b % 32;
		memcpy(to, &word, sizeof(word));
		field >>= b;
		planes += ga_packed_plane_bytes(b);
	}
}

/*
 * Set the field in slot r / 32 of lane r % 32 of a sparse vector, where all
 * bits are zero; as ga_packed_slot().
 */
static void
put_slot(char *planes, uint64_t code, unsigned r, uint32_t field)
{
	const unsigned slot = r / GA_PACKED_LANES;
	unsigned b;

	for (b = 16; b > 0; b /= 2)
	{
		const uint32_t part = field & (UINT32_MAX >> (32 - b));
		char *to =
			planes + (slot * b / 32 * GA_PACKED_LANES + r % GA_PACKED_LANES) *
						 sizeof(uint32_t);
		uint32_t word;

		if ((ga_packed_width(code) & b) == 0)
			continue;
		memcpy(&word, to, sizeof(word));
		word |= part << slot * b % 32;
		memcpy(to, &word, sizeof(word));
		field >>= b;
		planes += ga_packed_row_bytes(b, ga_packed_slots(code));
	}
}

/* Return the integer of element i, which is no exception. */
static uint64_t
integer_of(const GaEmulatedVector *vector, int i, unsigned form)
{
	int64_t integer = vector->bits[i];

	if (ga_packed_has_decimals(form))
		(void) is_decimal(vector, i, form, &integer);
	return (uint64_t) integer;
}

/* Write the payload of a sparse vector. */
static void
write_sparse(const GaEmulatedVector *vector, const GaPackedCoding *coding,
			 char *payload)
{
	const size_t size = ga_element_size(vector->type);
	const unsigned width = ga_packed_width(coding->code);
	const unsigned n_slots = ga_packed_slots(coding->code);
	char *masks = payload + ga_packed_rows_bytes(width, n_slots);
	uint32_t mask_of[GA_PACKED_LANES] = {0};
	int element_of[GA_PACKED_VECTOR]; /* GA_PACKED_LANE_ITEMS of each lane */
	uint16_t r = 0;
	unsigned lane;
	int i;

	memset(payload, 0, ga_packed_bytes(coding->code, size));
	for (i = 0; i < GA_PACKED_VECTOR; i++)
	{
		unsigned j;

		lane = ga_packed_lane((unsigned) i, size, &j);
		element_of[lane * GA_PACKED_LANE_ITEMS + j] = i;
		mask_of[lane] |= (uint32_t) (vector->bits[i] != 0) << j;
	}
	memcpy(masks, mask_of, sizeof(mask_of));
	masks += sizeof(mask_of);
	for (i = 0; i < GA_PACKED_VECTOR; i++)
	{
		const int element = element_of[i];

		if (i % GA_PACKED_LANE_ITEMS == 0)
			memcpy(masks + i / GA_PACKED_LANE_ITEMS * sizeof(r), &r, sizeof(r));
		if (vector->bits[element] != 0)
			put_slot(payload, coding->code, r++,
					 (uint32_t) (integer_of(vector, element,
											ga_packed_form(coding->code)) -
								 (uint64_t) coding->base));
	}
	for (; r < n_slots * GA_PACKED_LANES; r++)
		put_slot(payload, coding->code, r, (uint32_t) -coding->base);
}

/* Write an exception and its place, behind the planes. */
static void
put_exception(const GaEmulatedVector *vector, uint64_t code, char *exceptions,
			  unsigned e, int i)
{
	const size_t size = ga_element_size(vector->type);
	const uint16_t place = (uint16_t) i;

	memcpy(exceptions + e * size, &vector->bits[i], size);
	memcpy(exceptions + ga_packed_exceptions(code) * size + e * sizeof(place),
		   &place, sizeof(place));
}

/* Write planes, and exceptions. */
static void
write_fields(const GaEmulatedVector *vector, const GaPackedCoding *coding,
			 char *payload)
{
	const size_t size = ga_element_size(vector->type);
	const unsigned form = ga_packed_form(coding->code);
	const unsigned width = ga_packed_width(coding->code);
	const uint64_t power =
		form == GA_PACKED_MULTIPLES ?
			(uint64_t) ga_packed_scales[ga_packed_count(coding->code)].power :
			1;
	unsigned n_exceptions = 0;
	int i;

	memset(payload, 0, ga_packed_bytes(coding->code, size));
	for (i = 0; i < GA_PACKED_VECTOR; i++)
	{
		int64_t integer = vector->bits[i];
		unsigned j;
		const unsigned lane = ga_packed_lane((unsigned) i, size, &j);

		if (!ga_packed_has_decimals(form) ||
			is_decimal(vector, i, form, &integer))
			put_field(payload, width, lane, j,
					  ((uint64_t) integer - (uint64_t) coding->base) / power);
		else
			put_exception(vector, coding->code,
						  payload + ga_packed_plane_bytes(width),
						  n_exceptions++, i);
	}
}

/* Write the payload of a coding, which has its address. */
void
ga_emulated_write_payload(const GaEmulatedVector *vector,
						  const GaPackedCoding *coding)
{
	const size_t size = ga_element_size(vector->type);
	char *payload = ga_emulated_pointer(ga_packed_payload(coding->code));
	int i;

	if (ga_packed_is_sparse(coding->code))
		write_sparse(vector, coding, payload);
	else if (ga_packed_form(coding->code) != GA_PACKED_PLAIN)
		write_fields(vector, coding, payload);
	else
	{
		for (i = 0; i < GA_PACKED_VECTOR; i++)
			memcpy(payload + i * size, &vector->bits[i], size);
	}
}
