/*
 * packed_element.c
 *		Decoding elements of packed arrays on the host.
 *
 * Called by the emulated device and by tests.  It believes what the headers
 * say: they are made by a device.  Elements and words are little-endian, as on
 * all machines that have a device.
 */
#include "packed_element.h"

const GaPackedScale ga_packed_scales[GA_PACKED_MAX_PLACES + 1] = {
#define X(places, power, high, low) {power, high, low},
	GA_PACKED_SCALES(X)
#undef X
};

/* Some elements of a vector, one after the other. */
typedef struct Elements
{
	const GaPackedCoding *coding;
	GaElementType type;
	size_t size; /* of an element */
	unsigned first;
	unsigned n;
	char *to;
} Elements;

static const char *
payload_of(const Elements *elements)
{
	return (const char *) (uintptr_t) ga_packed_payload(elements->coding->code);
}

/* Write the element that base + field stands for. */
static void
put_element(const Elements *elements, uint64_t integer, char *to)
{
	const unsigned form = ga_packed_form(elements->coding->code);
	double wide;
	float narrow;

	if (!ga_packed_has_decimals(form))
	{
		memcpy(to, &integer, elements->size);
		return;
	}
	wide = ga_packed_decimal((double) (int64_t) integer,
							 ga_packed_scales[ga_packed_places(form)]);
	if (form >= GA_PACKED_FLOATS)
		wide =
			ga_packed_printed(wide, ga_packed_scales[GA_PACKED_PRINTED_PLACES]);
	narrow = (float) wide;
	if (elements->type == GA_float8)
		memcpy(to, &wide, sizeof(wide));
	else
		memcpy(to, &narrow, sizeof(narrow));
}

/* Write those of the vector's exceptions that are among the elements. */
static void
put_exceptions(const Elements *elements)
{
	const uint64_t code = elements->coding->code;
	const unsigned n = ga_packed_exceptions(code);
	const char *bits;
	const char *places;
	unsigned e;

	if (n == 0)
		return;
	bits = payload_of(elements) + ga_packed_plane_bytes(ga_packed_width(code));
	places = bits + n * elements->size;
	for (e = 0; e < n; e++)
	{
		uint16_t place;

		memcpy(&place, places + e * sizeof(place), sizeof(place));
		if (place >= elements->first && place - elements->first < elements->n)
			memcpy(elements->to + (place - elements->first) * elements->size,
				   bits + e * elements->size, elements->size);
	}
}

/* Return the integer of an element of a sparse vector. */
static int64_t
sparse_integer(const Elements *elements, unsigned lane, unsigned j)
{
	const uint64_t code = elements->coding->code;
	const char *payload = payload_of(elements);
	const unsigned width = ga_packed_width(code);
	const char *masks =
		payload + ga_packed_rows_bytes(width, ga_packed_slots(code));
	uint32_t mask;
	uint16_t n_before;
	unsigned r;

	memcpy(&mask, masks + lane * sizeof(mask), sizeof(mask));
	memcpy(&n_before,
		   masks + GA_PACKED_LANES * sizeof(mask) + lane * sizeof(n_before),
		   sizeof(n_before));
	if ((mask >> j & 1) == 0)
		return 0;
	r = n_before +
		(unsigned) __builtin_popcount(mask & ((UINT32_C(1) << j) - 1));
	return elements->coding->base +
		   ga_packed_slot(payload, width, ga_packed_slots(code),
						  r % GA_PACKED_LANES, r / GA_PACKED_LANES);
}

/* The fields of a vector: GA_PACKED_LANE_ITEMS for each lane. */
typedef struct Fields
{
	uint64_t field[GA_PACKED_VECTOR];
} Fields;

/* Load all fields of a vector, plane by plane; as ga_packed_field(). */
static void
load_fields(const Elements *elements, Fields *fields)
{
	const unsigned width = ga_packed_width(elements->coding->code);
	const char *planes = payload_of(elements);
	unsigned done = 0;
	unsigned b, i;

	memset(fields, 0, sizeof(*fields));
	for (b = 32; b > 0; b /= 2)
	{
		const uint32_t mask = UINT32_MAX >> (32 - b);

		if ((width & b) == 0)
			continue;
		for (i = 0; i < GA_PACKED_LANES * b; i++)
		{
			const unsigned lane = i / b;
			uint64_t *field = fields->field + i * 32 / b;
			uint32_t word;
			unsigned f;

			memcpy(&word, planes + ga_packed_word_at(b, lane, i % b),
				   sizeof(word));
			for (f = 0; f < 32 / b; f++)
				field[f] |= (uint64_t) (word >> f * b & mask) << done;
		}
		done += b;
		planes += ga_packed_plane_bytes(b);
	}
}

/* Return the integer that a field stands for. */
static uint64_t
with_base(const Elements *elements, uint64_t field)
{
	const uint64_t code = elements->coding->code;

	if (ga_packed_form(code) == GA_PACKED_MULTIPLES)
		field *= (uint64_t) ga_packed_scales[ga_packed_count(code)].power;
	return (uint64_t) elements->coding->base + field;
}

/* Return the integer of element j of a lane. */
static uint64_t
integer_of(const Elements *elements, unsigned lane, unsigned j)
{
	const uint64_t code = elements->coding->code;

	if (ga_packed_is_sparse(code))
		return (uint64_t) sparse_integer(elements, lane, j);
	return with_base(elements, ga_packed_field(payload_of(elements),
											   ga_packed_width(code), lane, j));
}

/* Decode elements of a vector. */
static void
decode(const Elements *elements)
{
	const uint64_t code = elements->coding->code;
	const bool has_fields =
		elements->n >= GA_PACKED_LANE_ITEMS && !ga_packed_is_sparse(code);
	Fields fields;
	unsigned i;

	if (ga_packed_form(code) == GA_PACKED_PLAIN)
	{
		memcpy(elements->to,
			   payload_of(elements) + elements->first * elements->size,
			   elements->n * elements->size);
		return;
	}
	if (has_fields)
		load_fields(elements, &fields);
	for (i = 0; i < elements->n; i++)
	{
		unsigned j;
		const unsigned lane =
			ga_packed_lane(elements->first + i, elements->size, &j);

		put_element(
			elements,
			has_fields ?
				with_base(elements,
						  fields.field[lane * GA_PACKED_LANE_ITEMS + j]) :
				integer_of(elements, lane, j),
			elements->to + i * elements->size);
	}
	put_exceptions(elements);
}

/* Decode n elements from an address on, which is one of ga_packed_address(). */
void
ga_packed_elements(uint64_t address, uint64_t n, GaElementType type, void *to)
{
	Elements elements = {.type = type, .size = ga_element_size(type), .to = to};

	while (n > 0)
	{
		unsigned left;

		elements.coding =
			&((const GaPackedHeader *) (uintptr_t) ga_packed_header(
				  address, elements.size))
				 ->coding;
		elements.first = ga_packed_number(address, elements.size);
		left = GA_PACKED_VECTOR - elements.first;
		elements.n = n < left ? (unsigned) n : left;
		decode(&elements);
		elements.to += elements.n * elements.size;
		address += elements.n * elements.size;
		n -= elements.n;
	}
}

/* Decode the element at an address. */
void
ga_packed_element(uint64_t address, GaElementType type, void *to)
{
	ga_packed_elements(address, 1, type, to);
}
