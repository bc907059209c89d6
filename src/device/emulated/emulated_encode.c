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

/* Return the header of integers from the least to the largest. */
static GaPackedHeader
header_of(unsigned form, int64_t least, int64_t largest, unsigned n_exceptions)
{
	const uint64_t range = (uint64_t) largest - (uint64_t) least;
	const unsigned bits = range == 0 ? 0 : 64 - __builtin_clzll(range);

	return (GaPackedHeader){
		least, ga_packed_code(form, ga_packed_round_width(bits), n_exceptions)};
}

/* Return the header of the form of integers. */
static GaPackedHeader
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
	return header_of(GA_PACKED_INTEGERS, least, largest, 0);
}

/* Does element i decode to itself as a decimal?  Sets its integer. */
static bool
is_decimal(const GaEmulatedVector *vector, int i, const GaPackedScale *scale,
		   int64_t *integer)
{
	const double rounded = rint(vector->value[i] * scale->power);
	double wide;
	float narrow;
	int32_t narrow_bits;
	int64_t bits;

	/* NaN and infinities are not below */
	if (!(fabs(rounded) < (double) GA_PACKED_MAX_INTEGER))
		return false;
	*integer = (int64_t) rounded;
	wide = ga_packed_decimal(*integer, scale->high, scale->low);
	narrow = (float) wide;
	memcpy(&bits, &wide, sizeof(bits));
	memcpy(&narrow_bits, &narrow, sizeof(narrow_bits));
	return vector->bits[i] == (vector->type == GA_float8 ? bits : narrow_bits);
}

/*
 * Set the header of the form of decimals with some places.  False: there are
 * too many exceptions.
 */
static bool
try_decimals(const GaEmulatedVector *vector, int places, GaPackedHeader *header)
{
	int64_t least = INT64_MAX;
	int64_t largest = INT64_MIN;
	unsigned n_exceptions = 0;
	int i;

	for (i = 0; i < GA_PACKED_VECTOR; i++)
	{
		int64_t integer;

		if (is_decimal(vector, i, &ga_packed_scales[places], &integer))
		{
			least = integer < least ? integer : least;
			largest = integer > largest ? integer : largest;
		}
		else if (++n_exceptions > GA_PACKED_MAX_EXCEPTIONS)
			return false;
	}
	*header =
		header_of(GA_PACKED_DECIMALS + places, least, largest, n_exceptions);
	return true;
}

/* Return the header of the form with the fewest bytes, without an address. */
GaPackedHeader
ga_emulated_choose_form(const GaEmulatedVector *vector)
{
	const size_t size = ga_element_size(vector->type);
	GaPackedHeader best = try_integers(vector);
	GaPackedHeader header;
	int places;

	if (ga_element_is_float(vector->type))
	{
		for (places = 0; places <= GA_PACKED_MAX_PLACES; places++)
		{
			if (!try_decimals(vector, places, &header))
				continue;
			if (ga_packed_bytes(header.code, size) <
				ga_packed_bytes(best.code, size))
				best = header;
			/* more places make larger integers */
			if (ga_packed_exceptions(header.code) == 0)
				break;
		}
	}
	if (ga_packed_bytes(best.code, size) > GA_PACKED_VECTOR * size / 8 * 7)
		best = (GaPackedHeader){0, ga_packed_code(GA_PACKED_PLAIN, 0, 0)};
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
write_fields(const GaEmulatedVector *vector, const GaPackedHeader *header,
			 char *payload)
{
	const size_t size = ga_element_size(vector->type);
	const unsigned form = ga_packed_form(header->code);
	const unsigned width = ga_packed_width(header->code);
	unsigned n_exceptions = 0;
	int i;

	memset(payload, 0, ga_packed_bytes(header->code, size));
	for (i = 0; i < GA_PACKED_VECTOR; i++)
	{
		int64_t integer = vector->bits[i];
		unsigned j;
		const unsigned lane = ga_packed_lane((unsigned) i, size, &j);

		if (form == GA_PACKED_INTEGERS ||
			is_decimal(vector, i, &ga_packed_scales[form - GA_PACKED_DECIMALS],
					   &integer))
			put_field(payload, width, lane, j,
					  (uint64_t) integer - (uint64_t) header->base);
		else
			put_exception(vector, header->code,
						  payload + ga_packed_plane_bytes(width),
						  n_exceptions++, i);
	}
}

/* Write the payload that a header has, which has its address. */
void
ga_emulated_write_payload(const GaEmulatedVector *vector,
						  const GaPackedHeader *header)
{
	const size_t size = ga_element_size(vector->type);
	char *payload = ga_emulated_pointer(ga_packed_payload(header->code));
	int i;

	if (ga_packed_form(header->code) != GA_PACKED_PLAIN)
		write_fields(vector, header, payload);
	else
	{
		for (i = 0; i < GA_PACKED_VECTOR; i++)
			memcpy(payload + i * size, &vector->bits[i], size);
	}
}
