/*
 * test_packed_format.c
 *		The format of packed arrays: widths, planes, addresses, powers of ten.
 */
#include <math.h>
#include <mpfr.h>

#include "exact/packed_element.h"
#include "random_floats.h"
#include "tap.h"

/*
 * A width has at most three planes beside that of 32 bits, not both of 2 bits
 * and of 1 with wider ones, and is the next.
 */
static void
test_widths(void)
{
	unsigned bits, width;

	tap_begin("widths");
	for (bits = 0; bits <= 64; bits++)
	{
		const unsigned rounded = ga_packed_round_width(bits);

		for (width = bits; __builtin_popcount(width % 32) > 3 ||
						   (width > 7 && (width & 3) == 3);
			 width++)
			;
		tap_check(rounded == width, "%u bits: %u", bits, rounded);
	}
	tap_end();
}

/* Parts of a code come back, and do not touch each other. */
static void
test_codes(Rng *rng)
{
	long i;

	tap_begin("codes");
	for (i = tap_cases(100000); i > 0; i--)
	{
		const unsigned form = (unsigned) rng_below(rng, 32);
		const unsigned width = (unsigned) rng_below(rng, 65);
		const unsigned n = (unsigned) rng_below(rng, 64);
		const uint64_t address = rng_next(rng) >> 16 & ~UINT64_C(15);
		const uint64_t code =
			ga_packed_place(ga_packed_place(ga_packed_code(form, width, n),
											rng_next(rng) >> 16),
							address);

		tap_check(ga_packed_form(code) == form &&
					  ga_packed_width(code) == width &&
					  ga_packed_count(code) == n &&
					  ga_packed_payload(code) == address,
				  "form %u, width %u, count %u, %llx: %llx", form, width, n,
				  (unsigned long long) address, (unsigned long long) code);
	}
	tap_end();
}

/* Each element has a place of its own in a lane, as loads of 16 bytes have. */
static void
test_lanes(void)
{
	size_t size;

	tap_begin("lanes");
	for (size = 2; size <= 8; size *= 2)
	{
		bool is_taken[GA_PACKED_LANES][GA_PACKED_LANE_ITEMS] = {{false}};
		unsigned i, j;

		for (i = 0; i < GA_PACKED_VECTOR; i++)
		{
			const unsigned lane = ga_packed_lane(i, size, &j);

			tap_check(lane == i * size / 16 % GA_PACKED_LANES &&
						  j < GA_PACKED_LANE_ITEMS && !is_taken[lane][j],
					  "element %u of %zu bytes: lane %u, %u", i, size, lane, j);
			is_taken[lane][j % GA_PACKED_LANE_ITEMS] = true;
		}
	}
	tap_end();
}

/* The words of a plane fill it, and no two lanes share one. */
static void
test_planes(void)
{
	unsigned b, lane, w;

	tap_begin("planes");
	for (b = 1; b <= 32; b *= 2)
	{
		bool is_taken[GA_PACKED_LANES * 32] = {false};

		for (lane = 0; lane < GA_PACKED_LANES; lane++)
		{
			for (w = 0; w < b; w++)
			{
				const uint32_t at = ga_packed_word_at(b, lane, w);

				tap_check(at % 4 == 0 && at < ga_packed_plane_bytes(b) &&
							  !is_taken[at / 4 % (GA_PACKED_LANES * 32)],
						  "%u bits, lane %u, word %u: %u", b, lane, w,
						  (unsigned) at);
				is_taken[at / 4 % (GA_PACKED_LANES * 32)] = true;
			}
		}
	}
	tap_end();
}

/* Addresses are linear in elements, from header to header. */
static void
test_addresses(Rng *rng)
{
	long i;

	tap_begin("addresses");
	for (i = tap_cases(100000); i > 0; i--)
	{
		const size_t size = (size_t) 2 << rng_below(rng, 3);
		const uint64_t header =
			(rng_next(rng) >> 21 | 1) * sizeof(GaPackedHeader);
		const uint64_t at = rng_below(rng, 10000);
		const uint64_t address = ga_packed_address(header, size) + at * size;

		tap_check(!ga_is_packed(header) && ga_is_packed(address) &&
					  address % size == 0 &&
					  ga_packed_header(address, size) ==
						  header +
							  at / GA_PACKED_VECTOR * sizeof(GaPackedHeader) &&
					  ga_packed_number(address, size) == at % GA_PACKED_VECTOR,
				  "element %d of the header at %llx", (int) at,
				  (unsigned long long) header);
	}
	tap_end();
}

/* Set x to i / 10^places, to many digits. */
static void
divide(mpfr_t x, int64_t i, unsigned places)
{
	mpfr_t power;

	mpfr_init2(power, 200);
	mpfr_ui_pow_ui(power, 10, places, MPFR_RNDN);
	mpfr_set_si(x, i, MPFR_RNDN);
	mpfr_div(x, x, power, MPFR_RNDN);
	mpfr_clear(power);
}

/* Powers of ten are what MPFR says. */
static void
test_scales(void)
{
	mpfr_t x;
	unsigned places;

	tap_begin("powers of ten");
	mpfr_init2(x, 300);
	for (places = 0; places <= GA_PACKED_MAX_PLACES; places++)
	{
		const GaPackedScale *scale = &ga_packed_scales[places];

		mpfr_ui_pow_ui(x, 10, places, MPFR_RNDN);
		tap_check(mpfr_cmp_d(x, scale->power) == 0, "10^%u", places);
		divide(x, 1, places);
		tap_check(mpfr_get_d(x, MPFR_RNDN) == scale->high, "10^-%u", places);
		mpfr_sub_d(x, x, scale->high, MPFR_RNDN);
		tap_check(mpfr_get_d(x, MPFR_RNDN) == scale->low, "10^-%u: %a, not %a",
				  places, scale->low, mpfr_get_d(x, MPFR_RNDN));
	}
	mpfr_clear(x);
	tap_end();
}

/* Decimals are rounded correctly nearly always, and else to a neighbor. */
static void
test_decimals(Rng *rng)
{
	const long n = tap_cases(4000000);
	long n_wrong = 0;
	mpfr_t x;
	long k;

	tap_begin("decimals");
	mpfr_init2(x, 300);
	for (k = 0; k < n; k++)
	{
		const unsigned places =
			(unsigned) rng_below(rng, GA_PACKED_MAX_PLACES + 1);
		const int64_t i =
			(int64_t) (rng_next(rng) >> (13 + rng_below(rng, 48))) *
			(rng_chance(rng, 2) ? -1 : 1);
		const GaPackedScale *scale = &ga_packed_scales[places];
		const double is = ga_packed_decimal((double) i, *scale);
		double must;

		divide(x, i, places);
		must = mpfr_get_d(x, MPFR_RNDN);
		n_wrong += is != must;
		tap_check(is == must || is == nextafter(must, INFINITY) ||
					  is == nextafter(must, -INFINITY),
				  "%lld, %u places: %a, must be %a", (long long) i, places, is,
				  must);
	}
	tap_check(n_wrong <= n / 1000, "%ld of %ld are rounded to a neighbor",
			  n_wrong, n);
	tap_note("%ld of %ld are rounded to a neighbor", n_wrong, n);
	mpfr_clear(x);
	tap_end();
}

/* Integers of few digits, which prices are, are rounded correctly. */
static void
test_prices(void)
{
	const int step = tap_is_long() ? 1 : 97;
	int64_t i;

	tap_begin("prices");
	for (i = 0; i < 100000000; i += step)
	{
		const GaPackedScale *scale = &ga_packed_scales[2];

		tap_check(ga_packed_decimal((double) i, *scale) == (double) i / 100,
				  "%lld / 100", (long long) i);
	}
	tap_end();
}

int
main(void)
{
	Rng rng = {61};

	test_widths();
	test_codes(&rng);
	test_lanes();
	test_planes();
	test_addresses(&rng);
	test_scales();
	test_decimals(&rng);
	test_prices();
	return tap_done();
}
