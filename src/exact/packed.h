/*
 * packed.h
 *		Packed arrays: the format, and how one element is decoded.
 *
 * A packed array is divided into vectors of GA_PACKED_VECTOR elements.  A
 * vector has a payload and a header, which says how to decode that, and has the
 * least and the largest element.  Forms of payloads are:
 *
 * - plain: the elements as they are;
 * - integers: element = base + field, modulo 2^(bits of the type); floats are
 *   taken by their bits;
 * - multiples, for integers: element = base + field * 10^places, likewise;
 * - decimals, for floats: element = (base + field) / 10^places, correctly
 *   rounded to a double in most cases, and then to the type;
 * - printed floats, for doubles: such a decimal that was rounded to a float,
 *   and then to GA_PACKED_PRINTED_PLACES places, as printf("%f") prints it.
 *
 * Fields are unsigned, of a width in bits.  A vector's elements belong to 32
 * lanes, each of which has GA_PACKED_LANE_ITEMS of them: as if a warp loaded
 * the vector 16 bytes at a time.  Fields are cut into planes, one for each bit
 * of the width that is 1, the widest first, which has the lowest bits.  A plane
 * of b bits has b words of 32 bits for each lane; field j of a lane is at bit
 * j * b of them, and the words lie so that lanes can load up to 16 bytes each,
 * side by side.
 *
 * A vector is sparse if most of its elements are 0 and only the others have
 * fields: field r of them is in slot r / 32 of lane r % 32.  A plane of b bits
 * has as many words for each lane as its slots need, those of a word side by
 * side.  Behind the planes are 32 bits for each lane, bit j of which is 1 if
 * its element j is not 0, and then 16 bits for each lane: the number of such
 * elements that the lanes before it have.  A slot without an element stands for
 * 0.
 *
 * Elements of decimals that do not decode to themselves are exceptions: behind
 * the planes are their bits, and behind those their places in the vector, of 16
 * bits each.
 *
 * Headers of neighboring vectors are side by side, aligned to their size, and
 * payloads anywhere in memory, aligned to 16 bytes.  So the elements of packed
 * arrays have addresses as if they were plain (ga_packed_address()), of which
 * the highest bit is 1.  Decoding is lossless whatever the scales are: the
 * encoder compares.
 */
#ifndef GA_PACKED_H
#define GA_PACKED_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "host_device.h"

#define GA_PACKED_VECTOR	 1024
#define GA_PACKED_LANES		 32
#define GA_PACKED_LANE_ITEMS (GA_PACKED_VECTOR / GA_PACKED_LANES)

/* Payloads do not cross the bounds of pages of so many bytes. */
#define GA_PACKED_PAGE_BYTES (UINT32_C(256) << 10)

/* The most places of decimals, and the most exceptions of a vector. */
#define GA_PACKED_MAX_PLACES	 22
#define GA_PACKED_MAX_EXCEPTIONS 63

/* Decimals are integers below this, so that all steps are exact enough. */
#define GA_PACKED_MAX_INTEGER (INT64_C(1) << 51)

/*
 * The form of a vector.  Decimals of n places are GA_PACKED_DECIMALS + n, and
 * printed floats of up to GA_PACKED_FLOAT_PLACES GA_PACKED_FLOATS + n.  The
 * places of multiples are in place of the number of exceptions.
 */
#define GA_PACKED_PLAIN		0
#define GA_PACKED_INTEGERS	1
#define GA_PACKED_DECIMALS	2
#define GA_PACKED_FLOATS	25
#define GA_PACKED_MULTIPLES 31

#define GA_PACKED_FLOAT_PLACES	 5
#define GA_PACKED_PRINTED_PLACES 6

/* The most places of multiples: the power of ten is an int64_t. */
#define GA_PACKED_MULTIPLE_PLACES 18

/* How a payload is decoded. */
typedef struct GaPackedCoding
{
	int64_t base;
	uint64_t code; /* ga_packed_code() */
} GaPackedCoding;

/* The extremes are keys (ga_element_key()). */
typedef struct GaPackedHeader
{
	GaPackedCoding coding;
	int64_t least;
	int64_t largest;
} GaPackedHeader;

/* The bits of a code: the payload's address over 16, then the others. */
#define GA_PACKED_ADDRESS_BITS 44
#define GA_PACKED_WIDTH_AT	   44
#define GA_PACKED_COUNT_AT	   51
#define GA_PACKED_FORM_AT	   57
#define GA_PACKED_SPARSE	   (UINT64_C(1) << 62)

/* The most slots of a lane, an even number, and bits of fields, if sparse. */
#define GA_PACKED_MAX_SLOTS	   16
#define GA_PACKED_SPARSE_WIDTH 31

static inline GA_HOST_DEVICE uint64_t
ga_packed_code(unsigned form, unsigned width, unsigned n_exceptions)
{
	return (uint64_t) form << GA_PACKED_FORM_AT |
		   (uint64_t) n_exceptions << GA_PACKED_COUNT_AT |
		   (uint64_t) width << GA_PACKED_WIDTH_AT;
}

static inline GA_HOST_DEVICE unsigned
ga_packed_form(uint64_t code)
{
	return (unsigned) (code >> GA_PACKED_FORM_AT) & 31;
}

static inline GA_HOST_DEVICE unsigned
ga_packed_width(uint64_t code)
{
	return (unsigned) (code >> GA_PACKED_WIDTH_AT) & 127;
}

static inline GA_HOST_DEVICE bool
ga_packed_is_sparse(uint64_t code)
{
	return (code & GA_PACKED_SPARSE) != 0;
}

/* Is this the form of decimals, or of printed floats? */
static inline GA_HOST_DEVICE bool
ga_packed_has_decimals(unsigned form)
{
	return form >= GA_PACKED_DECIMALS && form < GA_PACKED_MULTIPLES;
}

/* Return the places of decimals or printed floats. */
static inline GA_HOST_DEVICE unsigned
ga_packed_places(unsigned form)
{
	return form < GA_PACKED_FLOATS ? form - GA_PACKED_DECIMALS :
									 form - GA_PACKED_FLOATS;
}

/* The number of exceptions, of slots, or of places. */
static inline GA_HOST_DEVICE unsigned
ga_packed_count(uint64_t code)
{
	return (unsigned) (code >> GA_PACKED_COUNT_AT) & 63;
}

/* Return the number of exceptions. */
static inline GA_HOST_DEVICE unsigned
ga_packed_exceptions(uint64_t code)
{
	return ga_packed_is_sparse(code) ||
				   !ga_packed_has_decimals(ga_packed_form(code)) ?
			   0 :
			   ga_packed_count(code);
}

/* Return the slots of each lane of a sparse vector. */
static inline GA_HOST_DEVICE unsigned
ga_packed_slots(uint64_t code)
{
	return ga_packed_count(code);
}

/* Return the address of a vector's payload. */
static inline GA_HOST_DEVICE uint64_t
ga_packed_payload(uint64_t code)
{
	return (code & ((UINT64_C(1) << GA_PACKED_ADDRESS_BITS) - 1)) * 16;
}

/* Return a code with another address, which is a multiple of 16. */
static inline GA_HOST_DEVICE uint64_t
ga_packed_place(uint64_t code, uint64_t address)
{
	return (code & ~((UINT64_C(1) << GA_PACKED_ADDRESS_BITS) - 1)) |
		   address / 16;
}

/* Return the bytes of all planes. */
static inline GA_HOST_DEVICE uint32_t
ga_packed_plane_bytes(unsigned width)
{
	return width * (GA_PACKED_VECTOR / 8);
}

/* Return the bytes of a plane of b bits, if vectors are sparse. */
static inline GA_HOST_DEVICE uint32_t
ga_packed_row_bytes(unsigned b, unsigned n_slots)
{
	return (n_slots * b + 31) / 32 * (4 * GA_PACKED_LANES);
}

/* Return the bytes of all planes, if vectors are sparse. */
static inline GA_HOST_DEVICE uint32_t
ga_packed_rows_bytes(unsigned width, unsigned n_slots)
{
	uint32_t n_bytes = 0;
	unsigned b;

	for (b = 16; b > 0; b /= 2)
		n_bytes += width & b ? ga_packed_row_bytes(b, n_slots) : 0;
	return n_bytes;
}

/* Return the bytes of a payload, a multiple of 16. */
static inline GA_HOST_DEVICE uint32_t
ga_packed_bytes(uint64_t code, size_t size)
{
	const uint32_t n = ga_packed_exceptions(code);

	if (ga_packed_form(code) == GA_PACKED_PLAIN)
		return GA_PACKED_VECTOR * (uint32_t) size;
	if (ga_packed_is_sparse(code))
		return ga_packed_rows_bytes(ga_packed_width(code),
									ga_packed_slots(code)) +
			   GA_PACKED_LANES * 6;
	return ga_packed_plane_bytes(ga_packed_width(code)) +
		   (n * ((uint32_t) size + 2) + 15) / 16 * 16;
}

/*
 * Return the most bytes of a payload that is not plain.  So fields have no more
 * than GA_PACKED_MAX_WIDTH bits.
 */
static inline GA_HOST_DEVICE uint32_t
ga_packed_max_bytes(size_t size)
{
	return GA_PACKED_VECTOR * (uint32_t) size / 8 * 7;
}

#define GA_PACKED_MAX_WIDTH 56

/*
 * Return the width to use for fields of so many bits: the next one that has at
 * most three planes beside that of 32 bits.  If it has wider ones, it does not
 * have both of 2 bits and of 1, which take twice the time of one of 4.
 */
static inline GA_HOST_DEVICE unsigned
ga_packed_round_width(unsigned bits)
{
	for (;; bits++)
	{
		unsigned planes = bits % 32;

		planes &= planes - 1;
		planes &= planes - 1;
		if ((planes & (planes - 1)) == 0 && (bits < 8 || bits % 4 != 3))
			return bits;
	}
}

/* The highest bit of an element's address: it is packed. */
#define GA_PACKED_TAG (UINT64_C(1) << 63)

static inline GA_HOST_DEVICE bool
ga_is_packed(uint64_t address)
{
	return address >> 63;
}

/*
 * Return the address of the first element of the vector whose header is there;
 * element i is i * size bytes further on, as are those of the vectors behind.
 */
static inline GA_HOST_DEVICE uint64_t
ga_packed_address(uint64_t header, size_t size)
{
	return GA_PACKED_TAG |
		   header / sizeof(GaPackedHeader) * (GA_PACKED_VECTOR * size);
}

/* Return the address of an element's header. */
static inline GA_HOST_DEVICE uint64_t
ga_packed_header(uint64_t address, size_t size)
{
	return (address & ~GA_PACKED_TAG) / (GA_PACKED_VECTOR * size) *
		   sizeof(GaPackedHeader);
}

/* Return an element's number in its vector. */
static inline GA_HOST_DEVICE unsigned
ga_packed_number(uint64_t address, size_t size)
{
	return (unsigned) (address / size) % GA_PACKED_VECTOR;
}

/* Return the lane that has element i of a vector, and set its number there. */
static inline GA_HOST_DEVICE unsigned
ga_packed_lane(unsigned i, size_t size, unsigned *j)
{
	const unsigned n = 16 / (unsigned) size;

	*j = i / n / GA_PACKED_LANES * n + i % n;
	return i / n % GA_PACKED_LANES;
}

/* Return which byte of a plane of b bits has word w of a lane. */
static inline GA_HOST_DEVICE uint32_t
ga_packed_word_at(unsigned b, unsigned lane, unsigned w)
{
	return b >= 4 ? w / 4 * 512 + lane * 16 + w % 4 * 4 : (lane * b + w) * 4;
}

static inline GA_HOST_DEVICE uint32_t
ga_packed_load_word(const char *at)
{
	return *(const uint32_t *) (const void *) at;
}

/* Return field j of a lane. */
static inline GA_HOST_DEVICE uint64_t
ga_packed_field(const char *planes, unsigned width, unsigned lane, unsigned j)
{
	uint64_t field = 0;
	unsigned done = 0;
	unsigned b;

	for (b = 32; b > 0; b /= 2)
	{
		const unsigned mask = 0xffffffffu >> (32 - b);
		uint32_t word;

		if ((width & b) == 0)
			continue;
		word = ga_packed_load_word(planes +
								   ga_packed_word_at(b, lane, j * b / 32));
		field |= (uint64_t) (word >> j * b % 32 & mask) << done;
		done += b;
		planes += ga_packed_plane_bytes(b);
	}
	return field;
}

/* Return the field in a slot of a lane of a sparse vector. */
static inline GA_HOST_DEVICE uint32_t
ga_packed_slot(const char *planes, unsigned width, unsigned n_slots,
			   unsigned lane, unsigned slot)
{
	uint32_t field = 0;
	unsigned done = 0;
	unsigned b;

	for (b = 16; b > 0; b /= 2)
	{
		uint32_t word;

		if ((width & b) == 0)
			continue;
		word = ga_packed_load_word(
			planes + (slot * b / 32 * GA_PACKED_LANES + lane) * 4);
		field |= (word >> slot * b % 32 & 0xffffffffu >> (32 - b)) << done;
		done += b;
		planes += ga_packed_row_bytes(b, n_slots);
	}
	return field;
}

#endif /* GA_PACKED_H */
