/*
 * test_exact_sum_io.c
 *		The exact sum as bytes: round trips, the format, and damage.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "float_families.h"
#include "oracle.h"
#include "tap.h"

/*
 * Read bytes from a place of just this size, at an odd address.  The sum goes
 * to `full`.
 */
static GaStatus
read_bytes(const uint8_t *bytes, size_t n, GaFullSum *full)
{
	uint8_t *buffer = malloc(n + 1);
	GaStatus status;

	memset(full, 0xa5, sizeof(*full));
	memcpy(buffer + 1, bytes, n);
	status = ga_exact_sum_deserialize(full, buffer + 1, n);
	free(buffer);
	return status;
}

/* A sum of random numbers with a history: engines, removals, growth. */
static GaExactSum *
random_sum(Rng *rng)
{
	const Family *family = &families[rng_below(rng, n_families)];
	GaExactSum *sum = sum_new(rng_between(rng, 0, GA_MAX_CELLS));
	double x[400];
	size_t n = rng_below(rng, rng_chance(rng, 4) ? 400 : 12);
	size_t i;

	family_fill(family, rng, &float8_type, x, n);
	if (rng_chance(rng, 3))
		sprinkle_neg_zeros(rng, 3, x, n);
	if (rng_chance(rng, 3))
		sprinkle_specials(rng, 5, x, n);
	sum_add_run(&sum, &ga_cpu_baseline, &float8_type, x, n);
	for (i = 0; i < n / 4; i++)
		sum_remove(&sum, x[i]);
	return sum;
}

/* A sum that was written and read is the same, and works on as it did. */
static void
test_round_trip(Rng *rng)
{
	long i;

	tap_begin("round trips");
	for (i = tap_cases(20000); i > 0; i--)
	{
		GaExactSum *sum = random_sum(rng);
		GaExactSum *other = random_sum(rng);
		GaExactSum *copy = sum_new(GA_MAX_CELLS);
		GaFullSum full;
		SumBytes bytes;
		GaStatus status;

		sum_bytes(sum, &bytes);
		status = read_bytes(bytes.bytes, bytes.n, &full);
		tap_check(status == GA_OK, "status %d", status);
		ga_exact_sum_copy(copy, GA_MAX_CELLS, ga_full_sum(&full));
		sum_check(copy);
		tap_check(same_sums(copy, sum), "another sum");

		sum_add(&sum, -0x1.23p-45);
		sum_add(&copy, -0x1.23p-45);
		sum_merge(&sum, other);
		sum_merge(&copy, other);
		tap_check(same_sums(copy, sum), "another sum after merging");
		sum_unmerge(&copy, other);
		sum_remove(&copy, -0x1.23p-45);
		sum_free(sum);
		sum = sum_new(0);
		sum_merge(&sum, copy);
		tap_check(same_sums(sum, ga_full_sum(&full)),
				  "another sum after removing");
		sum_free(sum);
		sum_free(other);
		sum_free(copy);
	}
	tap_end();
}

/* Sums in every form that a history can give: 2^a - 2^b has long carries. */
static void
test_canonical(Rng *rng)
{
	int a, b;

	tap_begin("the form is canonical");
	for (a = -1074; a <= 1023; a += rng_between(rng, 1, 20))
	{
		for (b = -1074; b <= 1023; b += rng_between(rng, 1, 20))
		{
			GaExactSum *sum = sum_new(GA_MAX_CELLS);
			double x = rng_chance(rng, 2) ? ldexp(1, a) : -ldexp(1, a);
			double y = rng_chance(rng, 2) ? ldexp(1, b) : -ldexp(1, b);
			double z =
				float_random(rng, &float8_type, rng_between(rng, -1074, 1023));
			Exact exact;

			exact_init(&exact);
			exact_add(&exact, x, 1);
			exact_add(&exact, y, 1);
			sum_add(&sum, z);
			sum_add(&sum, y);
			sum_add(&sum, x);
			if (rng_chance(rng, 2))
				ga_exact_sum_carry(sum);
			sum_remove(&sum, z);
			tap_check(exact_equals(&exact, sum), "%a and %a", x, y);
			exact_clear(&exact);
			sum_free(sum);
		}
	}
	tap_end();
}

/* States whose bytes are for ever. */
typedef struct Golden
{
	double x[7];
	int n;
	const char *hex;
} Golden;

#define COUNTS(n, nan, pos_inf, neg_inf, neg_zero)                   \
	"e50101"                                                         \
	"00000000000000" n "00000000000000" nan "00000000000000" pos_inf \
	"00000000000000" neg_inf "00000000000000" neg_zero
#define LIMB_OF_0 "0000000000000000"

static const Golden goldens[] = {
	{{0}, 0, COUNTS("00", "00", "00", "00", "00") "0000"},
	{{0.0}, 1, COUNTS("01", "00", "00", "00", "00") "0000"},
	{{-0.0, -0.0}, 2, COUNTS("02", "00", "00", "00", "02") "0000"},
	{{1.0},
	 1,
	 COUNTS("01", "00", "00", "00", "00") "1001"
										  "0004000000000000"},
	{{-1.0},
	 1,
	 COUNTS("01", "00", "00", "00", "00") "1001"
										  "fffc000000000000"},
	{{0x1p-1074},
	 1,
	 COUNTS("01", "00", "00", "00", "00") "0001"
										  "0000000000000001"},
	{{-0x1p-1074},
	 1,
	 COUNTS("01", "00", "00", "00", "00") "0001"
										  "ffffffffffffffff"},
	{{0x1.fffffffffffffp+1023},
	 1,
	 COUNTS("01", "00", "00", "00", "00") "1f02"
										  "e000000000000000"
										  "0003ffffffffffff"},
	{{-0x1p-1011},
	 1,
	 COUNTS("01", "00", "00", "00", "00") "0001"
										  "8000000000000000"},
	{{0x1p-1011},
	 1,
	 COUNTS("01", "00", "00", "00", "00") "0002"
										  "8000000000000000"
										  "0000000000000000"},
	{{1.0, -0x1p-1074},
	 2,
	 COUNTS("02", "00", "00", "00", "00") "0011"
										  "ffffffffffffffff"
										  "ffffffffffffffff"
										  "ffffffffffffffff"
										  "ffffffffffffffff"
										  "ffffffffffffffff"
										  "ffffffffffffffff"
										  "ffffffffffffffff"
										  "ffffffffffffffff"
										  "ffffffffffffffff"
										  "ffffffffffffffff"
										  "ffffffffffffffff"
										  "ffffffffffffffff"
										  "ffffffffffffffff"
										  "ffffffffffffffff"
										  "ffffffffffffffff"
										  "ffffffffffffffff"
										  "0003ffffffffffff"},
	{{NAN, INFINITY, INFINITY, -INFINITY, -0.0, 0.0, 3.0},
	 7,
	 COUNTS("07", "01", "02", "01", "01") "1001"
										  "000c000000000000"},
	{{0x1p-946, 1.0},
	 2,
	 COUNTS("02", "00", "00", "00",
			"00") "020f"
				  "0000000000000001" LIMB_OF_0 LIMB_OF_0 LIMB_OF_0 LIMB_OF_0
					  LIMB_OF_0 LIMB_OF_0 LIMB_OF_0 LIMB_OF_0 LIMB_OF_0
						  LIMB_OF_0 LIMB_OF_0 LIMB_OF_0 LIMB_OF_0
				  "0004000000000000"},
};

#define N_GOLDENS (int) (sizeof(goldens) / sizeof(goldens[0]))

static void
test_golden(void)
{
	int i;

	tap_begin("the format has not changed");
	for (i = 0; i < N_GOLDENS; i++)
	{
		GaExactSum *sum = sum_of(goldens[i].x, goldens[i].n);
		char hex[2 * GA_EXACT_SUM_MAX_BYTES + 1] = "";
		SumBytes bytes;
		size_t j;

		sum_bytes(sum, &bytes);
		for (j = 0; j < bytes.n; j++)
			sprintf(hex + 2 * j, "%02x", bytes.bytes[j]);
		tap_check(strcmp(hex, goldens[i].hex) == 0, "golden %d is %s", i, hex);
		sum_free(sum);
	}
	tap_end();
}

/*
 * Damaged bytes must be refused, or be what a sum would write; and that sum
 * must work.  Returns whether they were accepted.
 */
static bool
check_damage(const uint8_t *bytes, size_t n)
{
	GaFullSum full;
	GaExactSum *sum = ga_full_sum(&full);
	GaStatus status = read_bytes(bytes, n, &full);
	static const uint8_t head[] = {GA_EXACT_SUM_MAGIC, GA_EXACT_SUM_KIND,
								   GA_EXACT_SUM_VERSION};
	uint8_t again[GA_EXACT_SUM_MAX_BYTES];
	double result;

	if (status != GA_OK)
	{
		tap_check(status == (memcmp(bytes, head, n < 3 ? n : 3) != 0 ?
								 GA_BAD_VERSION :
								 GA_BAD_STATE),
				  "status %d", status);
		return false;
	}
	tap_check(ga_exact_sum_is_valid(sum), "not valid");
	tap_check(ga_exact_sum_serialize(sum, again) == n &&
				  memcmp(again, bytes, n) == 0,
			  "accepted, but not canonical");
	(void) sum_result(sum, &float8_type, &result);
	(void) sum_result(sum, &float4_type, &result);
	{
		GaFullSum copy = full;

		tap_check(ga_exact_sum_add(sum, 0x1p+1000) == GA_OK, "add");
		tap_check(ga_exact_sum_merge(sum, ga_full_sum(&copy)) == GA_OK,
				  "merge");
		(void) sum_result(sum, &float8_type, &result);
	}
	return true;
}

/*
 * Is a sum of n inputs read that is 2^exponent, or the largest float8 times n
 * (exponent -1), or what is one unit further away from zero?
 */
static bool
is_read(int64_t n, int exponent, bool is_negative, bool is_beyond)
{
	GaExactSum *sum = sum_new(GA_MAX_CELLS);
	SumBytes bytes;
	bool result;
	int bit;

	for (bit = 0; exponent < 0 && bit < 53; bit++)
		tap_check(ga_exact_sum_add_scaled(sum, n, 971 + bit) == GA_OK, "add");
	if (exponent >= 0)
		tap_check(ga_exact_sum_add_scaled(sum, 1, exponent) == GA_OK, "add");
	if (is_beyond)
		tap_check(ga_exact_sum_add_scaled(sum, 1, -1074) == GA_OK, "add");
	if (is_negative)
	{
		GaExactSum *zero = sum_new(GA_MAX_CELLS);

		tap_check(ga_exact_sum_unmerge(zero, sum) == GA_OK, "unmerge");
		sum_free(sum);
		sum = zero;
	}
	sum->n = n;
	sum_bytes(sum, &bytes);
	result = check_damage(bytes.bytes, bytes.n);
	sum_free(sum);
	return result;
}

/* A state has no more inputs, nor a larger total, than there can be. */
static void
test_limits(void)
{
	int sign;
	int i;

	tap_begin("limits of what is read");
	for (sign = 0; sign < 2; sign++)
	{
		for (i = 0; i <= 56; i++)
			tap_check(is_read(INT64_C(1) << i, -1, sign, false),
					  "refused: 2^%d inputs", i);
		for (i = 1; i < 50; i++)
			tap_check(is_read((INT64_C(1) << i) - 1, -1, sign, false),
					  "refused: 2^%d - 1 inputs", i);
		tap_check(!is_read(1, 1026, sign, false), "2^1026 of one input");
		tap_check(!is_read(GA_EXACT_SUM_MAX_N, 1082, sign, true),
				  "a total beyond all inputs");
		tap_check(!is_read(GA_EXACT_SUM_MAX_N + 1, 0, sign, false),
				  "one input too many");
		tap_check(!is_read(INT64_MAX, 0, sign, false), "far too many inputs");
	}
	tap_end();
}

static void
damage(Rng *rng, const SumBytes *good)
{
	uint8_t bytes[GA_EXACT_SUM_MAX_BYTES + 8] = {0};
	size_t i;
	int change;

	memcpy(bytes, good->bytes, good->n);
	tap_check(check_damage(bytes, good->n), "undamaged, but refused");
	for (i = 0; i < good->n; i++)
		tap_check(!check_damage(bytes, i), "accepted, cut off at %zu", i);
	for (i = good->n + 1; i < good->n + 9; i++)
		tap_check(!check_damage(bytes, i), "accepted with more behind");
	for (i = 0; i < good->n; i++)
	{
		for (change = 1; change < 256; change++)
		{
			bytes[i] = (uint8_t) (good->bytes[i] ^ change);
			(void) check_damage(bytes, good->n);
		}
		bytes[i] = good->bytes[i];
	}
	for (i = 0; i < 100; i++)
	{
		size_t a = rng_below(rng, good->n);
		size_t b = rng_below(rng, good->n);

		bytes[a] ^= 1 << rng_below(rng, 8);
		bytes[b] ^= 1 << rng_below(rng, 8);
		(void) check_damage(bytes, good->n);
		bytes[a] = good->bytes[a];
		bytes[b] = good->bytes[b];
	}
}

static void
test_damage(Rng *rng)
{
	GaExactSum *sum;
	SumBytes bytes;
	long i;

	tap_begin("damaged bytes");
	for (i = 0; i < N_GOLDENS; i++)
	{
		sum = sum_of(goldens[i].x, goldens[i].n);
		sum_bytes(sum, &bytes);
		damage(rng, &bytes);
		sum_free(sum);
	}
	for (i = tap_cases(100); i > 0; i--)
	{
		sum = random_sum(rng);
		sum_bytes(sum, &bytes);
		damage(rng, &bytes);
		sum_free(sum);
	}
	tap_end();
}

/* A sum that is not zero, and no number in it that could have made it so. */
static void
test_from_nothing(void)
{
	const double one = 1.0;
	GaExactSum *sum = sum_of(&one, 1);
	SumBytes bytes;
	GaFullSum full;
	int at;

	tap_begin("a sum of nothing that is not zero");
	sum_bytes(sum, &bytes);
	bytes.bytes[10] = 0; /* no inputs */
	tap_check(read_bytes(bytes.bytes, bytes.n, &full) == GA_BAD_STATE, "n");
	for (at = 18; at <= 42; at += 8)
	{
		bytes.bytes[10] = 1;
		bytes.bytes[at] = 1; /* all inputs are NaN, or so */
		tap_check(read_bytes(bytes.bytes, bytes.n, &full) == GA_BAD_STATE,
				  "byte %d", at);
		bytes.bytes[10] = 2;
		tap_check(read_bytes(bytes.bytes, bytes.n, &full) == GA_OK,
				  "and another one, byte %d", at);
		bytes.bytes[at] = 0;
	}
	sum_free(sum);
	tap_end();
}

/* Bytes without any sense, or with a head that makes some. */
static void
test_random_bytes(Rng *rng)
{
	long n_accepted = 0;
	long i;

	tap_begin("random bytes");
	for (i = tap_cases(300000); i > 0; i--)
	{
		uint8_t bytes[400];
		size_t n = rng_below(rng, sizeof(bytes) + 1);
		size_t j;

		for (j = 0; j < n; j++)
			bytes[j] = (uint8_t) rng_next(rng);
		if (n > 2 && !rng_chance(rng, 10))
		{
			bytes[0] = GA_EXACT_SUM_MAGIC;
			bytes[1] = GA_EXACT_SUM_KIND;
			bytes[2] = GA_EXACT_SUM_VERSION;
		}
		if (n >= GA_EXACT_SUM_HEAD_BYTES && !rng_chance(rng, 10))
		{
			/* counts that are small, and as many limbs as there are */
			for (j = 3; j <= 42; j++)
				bytes[j] = j % 8 == 2 ? bytes[j] % (j == 10 ? 9 : 4) : 0;
			bytes[44] = (uint8_t) ((n - GA_EXACT_SUM_HEAD_BYTES) / 8);
			bytes[43] = (uint8_t) rng_below(rng, GA_EXACT_SUM_MAX_LIMBS + 2);
			n = GA_EXACT_SUM_HEAD_BYTES + 8 * (size_t) bytes[44];
			if (n > GA_EXACT_SUM_HEAD_BYTES && rng_chance(rng, 4))
				memset(bytes + n - 8, rng_chance(rng, 2) ? 0xff : 0, 8);
		}
		n_accepted += check_damage(bytes, n);
	}
	tap_check(n_accepted > 0, "none of them is accepted");
	tap_end();
}

int
main(void)
{
	Rng rng = {10};

	test_round_trip(&rng);
	test_canonical(&rng);
	test_golden();
	test_limits();
	test_damage(&rng);
	test_from_nothing();
	test_random_bytes(&rng);
	return tap_done();
}
