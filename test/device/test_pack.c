/*
 * test_pack.c
 *		Arrays that a device packs: what it makes of all kinds of elements, in
 *		one piece or in several, and how many bytes that takes.
 */
#include <math.h>
#include <stdlib.h>

#include "elements.h"
#include "packed_class.h"
#include "packing.h"
#include "tap.h"

#define LONG_LENGTH	   300000
#define DIVIDED_LENGTH 40000

static Fixture fixture;

static const uint32_t lengths[] = {1, 2, 1023, 1024, 1025, 5000};

#define N_LENGTHS (sizeof(lengths) / sizeof(lengths[0]))

/* A place in a page: any, or one near the end. */
static uint32_t
random_at(Rng *rng)
{
	return rng_chance(rng, 2) ?
			   0 :
		   rng_chance(rng, 3) ?
			   GA_PACKED_PAGE_BYTES - 16 * (uint32_t) rng_between(rng, 1, 300) :
			   16 * (uint32_t) rng_below(rng, GA_PACKED_PAGE_BYTES / 16);
}

/* Many lengths of a class in a request, in one piece each, and in several. */
static void
try_class(Rng *rng, GaElementType type, int class, bool is_scattered)
{
	Packing packing;
	size_t k;

	packing_init(&packing, &fixture, type);
	packing.is_scattered = is_scattered;
	for (k = 0; k < N_LENGTHS; k++)
	{
		void *to =
			packing_add(&packing, "", lengths[k],
						is_scattered ? (uint32_t) rng_between(rng, 1, 2) *
										   GA_PACKED_VECTOR :
									   0,
						random_at(rng));

		packing.arrays[k].name =
			packed_class_fill(rng, type, class, lengths[k], to);
	}
	packing_run(&packing);
	packing_free(&packing);
}

static void
test_classes(Rng *rng, GaElementType type)
{
	int class;

	tap_begin("%s: elements of all kinds", ga_element_name(type));
	for (class = 0; class < n_packed_classes(type); class ++)
	{
		try_class(rng, type, class, false);
		try_class(rng, type, class, true);
	}
	tap_end();
}

/* Arrays of all classes, each in pieces or not, one of which is long. */
static void
test_long(Rng *rng, GaElementType type)
{
	const uint32_t n = tap_is_divided() ? DIVIDED_LENGTH : LONG_LENGTH;
	Packing packing;
	int class;

	tap_begin("%s: %u elements, and some others", ga_element_name(type),
			  (unsigned) n);
	packing_init(&packing, &fixture, type);
	packing.is_scattered = true;
	for (class = 0; class < n_packed_classes(type); class ++)
	{
		const uint32_t n_here =
			class == PACKED_CLASS_PRICES || !tap_is_divided() ?
				n :
				(uint32_t) rng_between(rng, 1, 9000);
		void *to = packing_add(&packing, "", n_here,
							   rng_chance(rng, 2) ? 0 : 7 * GA_PACKED_VECTOR,
							   random_at(rng));

		packing.arrays[class].name =
			packed_class_fill(rng, type, class, n_here, to);
	}
	packing_run(&packing);
	packing_free(&packing);
	tap_end();
}

/* Decimals of each number of places, few digits and many. */
static void
test_decimals(Rng *rng, GaElementType type)
{
	const int most = type == GA_float8 ? 22 : 10;
	const int most_digits = type == GA_float8 ? 15 : 6;
	Packing packing;
	int places, digits;

	tap_begin("%s: decimals", ga_element_name(type));
	packing_init(&packing, &fixture, type);
	for (places = 0; places <= most; places++)
	{
		for (digits = 2; digits <= most_digits + 1; digits += 4)
			packed_fill_decimals(rng, type, places, digits, 1500,
								 packing_add(&packing, "decimals", 1500, 0, 0));
	}
	packing_run(&packing);
	packing_free(&packing);
	tap_end();
}

/* A number that is not among the decimals of the others. */
static double
random_exception(Rng *rng, int kind)
{
	static const double specials[] = {NAN,	 INFINITY, -INFINITY, -0.0,
									  1e-40, -1e-45f,  3e38};

	return kind < 7 ?
			   specials[kind] :
			   float_random(rng, &float4_type, rng_between(rng, -50, 50));
}

/* Overwrite so many elements of a vector, from a place on. */
static void
put_exceptions(Rng *rng, GaElementType type, size_t place, size_t step, int n,
			   char *vector)
{
	const int kind = rng_between(rng, 0, 8);

	for (; n > 0; n--, place += step)
	{
		const double x = random_exception(rng, kind);

		elements_put(type, &x, 1,
					 vector + place % GA_PACKED_VECTOR * ga_element_size(type));
	}
}

/*
 * Vectors of decimals with exceptions: one at each step-th place and at the
 * ends, or so many, side by side or apart.
 */
static void
test_exceptions(Rng *rng, GaElementType type)
{
	static const int counts[] = {2, 31, 32, 33, 62, 63, 64, 65, 200, 1024};
	const size_t step = tap_is_divided() ? 31 : 1;
	const size_t size = GA_PACKED_VECTOR * ga_element_size(type);
	const size_t n_single = GA_PACKED_VECTOR / step + 1;
	const size_t n_counts = sizeof(counts) / sizeof(counts[0]);
	const size_t n_vectors = n_single + 4 * n_counts;
	Packing packing;
	char *to;
	size_t i;

	tap_begin("%s: exceptions at each place, and many", ga_element_name(type));
	packing_init(&packing, &fixture, type);
	to = packing_add(&packing, "exceptions",
					 (uint32_t) n_vectors * GA_PACKED_VECTOR, 0, 0);
	packed_fill_decimals(rng, type, 2, 5, n_vectors * GA_PACKED_VECTOR, to);
	for (i = 0; i < n_single; i++)
		put_exceptions(rng, type,
					   i + 1 == n_single ? GA_PACKED_VECTOR - 1 : i * step, 1,
					   1, to + i * size);
	for (i = 0; i < 4 * n_counts; i++)
		put_exceptions(rng, type, rng_below(rng, GA_PACKED_VECTOR),
					   i % 4 < 2 ? 1 : 15, counts[i / 4],
					   to + (n_single + i) * size);
	packing_run(&packing);
	packing_free(&packing);
	tap_end();
}

/* Return an integer of the low bits, signed. */
static int64_t
sign_extend(uint64_t x, int bits)
{
	return (int64_t) (x << (64 - bits)) >> (64 - bits);
}

/* Fill a vector with integers whose range has so many bits. */
static void
fill_width(Rng *rng, GaElementType type, int width, char *to)
{
	const int bits = 8 * (int) ga_element_size(type);
	const uint64_t mask = width == 0 ? 0 : UINT64_MAX >> (64 - width);
	const uint64_t least = (uint64_t) (INT64_MIN >> (64 - bits));
	const uint64_t room = (UINT64_MAX >> (64 - bits)) - mask;
	const uint64_t base = least + (rng_chance(rng, 4) || room == 0 ? room :
								   rng_chance(rng, 4)			   ? 0 :
														rng_next(rng) % room);
	int i;

	for (i = 0; i < GA_PACKED_VECTOR; i++)
	{
		const uint64_t field = i == 500 ? 0 : i == 77 ? mask : rng_next(rng);
		const int64_t x = sign_extend(base + (field & mask), bits);

		memcpy(to + i * ga_element_size(type), &x, ga_element_size(type));
	}
}

/* Bits of each width; the bytes they take, unless 7/8 of the plain ones. */
static void
test_widths(Rng *rng, GaElementType type)
{
	const size_t size = ga_element_size(type);
	const uint32_t plain = GA_PACKED_VECTOR * (uint32_t) size;
	int width;
	Packing packing;

	tap_begin("%s: integers of each width", ga_element_name(type));
	packing_init(&packing, &fixture, type);
	for (width = 0; width <= 8 * (int) size; width++)
		fill_width(rng, type, width,
				   packing_add(&packing, "integers", GA_PACKED_VECTOR, 0,
							   rng_chance(rng, 3) ? random_at(rng) : 0));
	packing_run(&packing);
	for (width = 0; width <= 8 * (int) size; width++)
	{
		const uint32_t n_bytes =
			ga_packed_plane_bytes(ga_packed_round_width((unsigned) width));
		const uint64_t is = packing.pack[width].n_bytes;

		if (n_bytes != plain / 8 * 7 && !ga_element_is_float(type))
			tap_check(is == (n_bytes > plain / 8 * 7 ? plain : n_bytes),
					  "%d bits take %d bytes", width, (int) is);
		tap_check(is <= plain && (is == plain || is <= plain / 8 * 7),
				  "%d bits take %d bytes", width, (int) is);
	}
	packing_free(&packing);
	tap_end();
}

/* Is an element of a vector one that the encoder samples? */
static bool
is_sampled(uint32_t i)
{
	return i % (GA_PACKED_VECTOR / 2) < 128;
}

/* Fill n elements with numbers of one place between zeros; samples are 0. */
static void
fill_sparse(GaElementType type, uint32_t n, char *to)
{
	uint32_t i;

	for (i = 0; i < n; i++)
	{
		const double x = is_sampled(i) || i % 6 != 0 ? 0 : (i % 801 + 1) / 10.0;

		elements_put(type, &x, 1, to + i * ga_element_size(type));
	}
}

/* Fill n elements with numbers of one place; of the samples only one has it. */
static void
fill_misleading(GaElementType type, uint32_t n, char *to)
{
	uint32_t i;

	for (i = 0; i < n; i++)
	{
		const double x = i % GA_PACKED_VECTOR == 4 ? 0.3 :
						 is_sampled(i)			   ? 7 :
													 (i % 801 + 1) / 10.0;

		elements_put(type, &x, 1, to + i * ga_element_size(type));
	}
}

/* Random bytes stay plain, one number takes no bytes. */
static void
test_sizes(Rng *rng, GaElementType type)
{
	const size_t size = ga_element_size(type);
	const uint32_t n = 20 * GA_PACKED_VECTOR;
	Packing packing;

	tap_begin("%s: bytes of a value", ga_element_name(type));
	packing_init(&packing, &fixture, type);
	packed_fill_bytes(rng, n * size,
					  packing_add(&packing, "random bytes", n, 0, 64));
	memset(packing_add(&packing, "a constant", n + 5, 0, 0), 0x55,
		   (n + 5) * size);
	if (ga_element_is_float(type))
	{
		(void) packed_class_fill(rng, type, PACKED_CLASS_PRICES, n,
								 packing_add(&packing, "prices", n, 0, 16));
		fill_sparse(type, n, packing_add(&packing, "mostly zeros", n, 0, 0));
		fill_misleading(type, n, packing_add(&packing, "tenths", n, 0, 0));
	}
	packing_run(&packing);
	tap_check(packing.pack[0].n_bytes == packing_plain_bytes(&packing, 0),
			  "random bytes take %llu bytes",
			  (unsigned long long) packing.pack[0].n_bytes);
	tap_check(packing.pack[1].n_bytes == 0 && packing.pack[1].n_pages == 0,
			  "a constant takes %llu bytes",
			  (unsigned long long) packing.pack[1].n_bytes);
	if (ga_element_is_float(type))
	{
		tap_check((double) packing.pack[2].n_bytes / n <= 2.3,
				  "a price takes %.2f bytes",
				  (double) packing.pack[2].n_bytes / n);
		tap_check((double) packing.pack[3].n_bytes / n <= 0.7,
				  "of mostly zeros one takes %.2f bytes",
				  (double) packing.pack[3].n_bytes / n);
		tap_check((double) packing.pack[4].n_bytes / n <= 1.4,
				  "a number with a tenth takes %.2f bytes",
				  (double) packing.pack[4].n_bytes / n);
	}
	packing_free(&packing);
	tap_end();
}

/* Payloads that end 16 bytes before a page's bound, at it, or would behind. */
static void
test_bounds(Rng *rng, GaElementType type)
{
	const uint32_t n_bytes =
		GA_PACKED_VECTOR * (uint32_t) ga_element_size(type);
	Packing packing;
	uint32_t i;

	tap_begin("%s: the bounds of pages", ga_element_name(type));
	packing_init(&packing, &fixture, type);
	for (i = 0; i < 3; i++)
		packed_fill_bytes(
			rng, n_bytes,
			packing_add(&packing, "random bytes", GA_PACKED_VECTOR, 0,
						GA_PACKED_PAGE_BYTES - n_bytes - 16 + 16 * i));
	packing_run(&packing);
	for (i = 0; i < 3; i++)
		tap_check(packing.pack[i].n_pages == (i < 2 ? 1 : 2), "%u: %u pages",
				  (unsigned) i, (unsigned) packing.pack[i].n_pages);
	packing_free(&packing);
	tap_end();
}

/* No arrays at all. */
static void
test_nothing(void)
{
	Packing packing;

	tap_begin("nothing");
	packing_init(&packing, &fixture, GA_int4);
	packing_run(&packing);
	packing_free(&packing);
	tap_end();
}

int
main(void)
{
	Rng rng = {41};
	int i;

	fixture_open(&fixture);
	test_nothing();
	for (i = 0; i < GA_N_ELEMENT_TYPES; i++)
	{
		const GaElementType type = (GaElementType) i;

		test_classes(&rng, type);
		test_long(&rng, type);
		test_widths(&rng, type);
		test_sizes(&rng, type);
		test_bounds(&rng, type);
		if (!ga_element_is_float(type))
			continue;
		test_decimals(&rng, type);
		test_exceptions(&rng, type);
	}
	fixture_close(&fixture);
	return tap_done();
}
