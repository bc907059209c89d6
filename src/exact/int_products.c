/*
 * int_products.c
 *		Sums of products of integers in 192 bits, and of their weights.
 */
#include "bytes.h"
#include "int_products.h"

#define LIMBS 3

/* Add x * 2^(64 * at) to the products. */
static void
add_shifted(GaIntProducts *sum, GaInt128 x, int at)
{
	unsigned __int128 carry = 0;
	const uint64_t parts[LIMBS] = {(uint64_t) x, (uint64_t) (x >> 64),
								   x < 0 ? UINT64_MAX : 0};
	int i;

	for (i = at; i < LIMBS; i++)
	{
		carry += (unsigned __int128) sum->product[i] + parts[i - at];
		sum->product[i] = (uint64_t) carry;
		carry >>= 64;
	}
}

static void
add_weight(GaIntProducts *sum, GaInt128 weight, int64_t n)
{
	const unsigned __int128 total =
		(unsigned __int128) ga_int_products_weight(sum) +
		(unsigned __int128) weight;

	sum->weight[0] = (uint64_t) total;
	sum->weight[1] = (uint64_t) (total >> 64);
	sum->n += n;
}

/* Add n products and their weights; remove them if all three are negated. */
void
ga_int_products_add(GaIntProducts *sum, GaInt128 product, GaInt128 weight,
					int64_t n)
{
	add_shifted(sum, product, 0);
	add_weight(sum, weight, n);
}

/* Add n pairs of elements, which may be unaligned; fewer than 2^32. */
#define ADD(name, ctype)                                                   \
	void ga_int_products_add_##name(GaIntProducts *sum, const void *x,     \
									const void *weights, size_t n)         \
	{                                                                      \
		GaInt128 product = 0;                                              \
		GaInt128 weight = 0;                                               \
		size_t i;                                                          \
                                                                           \
		for (i = 0; i < n; i++)                                            \
		{                                                                  \
			ctype a, b;                                                    \
                                                                           \
			memcpy(&a, (const char *) x + i * sizeof(a), sizeof(a));       \
			memcpy(&b, (const char *) weights + i * sizeof(b), sizeof(b)); \
			product += (int64_t) a * b;                                    \
			weight += b;                                                   \
		}                                                                  \
		ga_int_products_add(sum, product, weight, (int64_t) n);            \
	}

ADD(int2, int16_t)
ADD(int4, int32_t)

/* Products of 128 bits: their halves are summed apart. */
void
ga_int_products_add_int8(GaIntProducts *sum, const void *x, const void *weights,
						 size_t n)
{
	unsigned __int128 low = 0;
	GaInt128 high = 0;
	GaInt128 weight = 0;
	size_t i;

	for (i = 0; i < n; i++)
	{
		int64_t a, b;
		GaInt128 product;

		memcpy(&a, (const char *) x + i * sizeof(a), sizeof(a));
		memcpy(&b, (const char *) weights + i * sizeof(b), sizeof(b));
		product = (GaInt128) a * b;
		low += (uint64_t) product;
		high += (int64_t) (product >> 64);
		weight += b;
	}
	add_shifted(sum, (GaInt128) low, 0);
	add_shifted(sum, high, 1);
	add_weight(sum, weight, (int64_t) n);
}

/* Add all inputs of other. */
void
ga_int_products_merge(GaIntProducts *sum, const GaIntProducts *other)
{
	unsigned __int128 carry = 0;
	int i;

	for (i = 0; i < LIMBS; i++)
	{
		carry += (unsigned __int128) sum->product[i] + other->product[i];
		sum->product[i] = (uint64_t) carry;
		carry >>= 64;
	}
	add_weight(sum, ga_int_products_weight(other), other->n);
}

/* Set x to -x, in two's complement. */
static void
negate(uint64_t x[LIMBS])
{
	unsigned __int128 carry = 1;
	int i;

	for (i = 0; i < LIMBS; i++)
	{
		carry += (uint64_t) ~x[i];
		x[i] = (uint64_t) carry;
		carry >>= 64;
	}
}

/* Remove all inputs of other, which must be in the sum. */
void
ga_int_products_unmerge(GaIntProducts *sum, const GaIntProducts *other)
{
	GaIntProducts removed = *other;

	negate(removed.product);
	removed.n = -removed.n;
	removed.weight[0] = removed.weight[1] = 0;
	add_weight(&removed, -ga_int_products_weight(other), 0);
	ga_int_products_merge(sum, &removed);
}

/* Copy the magnitude of the products; true if they are below zero. */
static bool
magnitude_of(const GaIntProducts *sum, uint64_t limbs[LIMBS])
{
	const bool negative = (int64_t) sum->product[LIMBS - 1] < 0;

	memcpy(limbs, sum->product, sizeof(sum->product));
	if (negative)
		negate(limbs);
	return negative;
}

/* Set *result to the sum of products; GA_OVERFLOW if 64 bits do not hold it. */
GaStatus
ga_int_products_int8(const GaIntProducts *sum, int64_t *result)
{
	const int64_t low = (int64_t) sum->product[0];
	const uint64_t sign = low < 0 ? UINT64_MAX : 0;

	if (sum->product[1] != sign || sum->product[2] != sign)
		return GA_OVERFLOW;
	*result = low;
	return GA_OK;
}

/* Return the sum of products in decimal form, within the caller's digits. */
const char *
ga_int_products_decimal(const GaIntProducts *sum,
						char digits[GA_INT_PRODUCTS_DIGITS])
{
	char *first = digits + GA_INT_PRODUCTS_DIGITS - 1;
	uint64_t limbs[LIMBS];
	const bool negative = magnitude_of(sum, limbs);

	*first = '\0';
	do
	{
		unsigned __int128 rest = 0;
		int i;

		for (i = LIMBS - 1; i >= 0; i--)
		{
			rest = rest << 64 | limbs[i];
			limbs[i] = (uint64_t) (rest / 10);
			rest %= 10;
		}
		*--first = (char) ('0' + (int) rest);
	} while ((limbs[0] | limbs[1] | limbs[2]) != 0);
	if (negative)
		*--first = '-';
	return first;
}

/* Write a sum; returns the number of bytes. */
size_t
ga_int_products_serialize(const GaIntProducts *sum,
						  uint8_t bytes[GA_INT_PRODUCTS_BYTES])
{
	uint8_t *to = bytes;
	int i;

	*to++ = GA_INT_PRODUCTS_VERSION;
	to = ga_put_int64(to, sum->n);
	for (i = LIMBS - 1; i >= 0; i--)
		to = ga_put_int64(to, (int64_t) sum->product[i]);
	for (i = 1; i >= 0; i--)
		to = ga_put_int64(to, (int64_t) sum->weight[i]);
	return (size_t) (to - bytes);
}

/* Can n products and weights of 64-bit integers have these sums? */
static bool
is_in_range(const GaIntProducts *sum)
{
	uint64_t limbs[LIMBS];
	unsigned __int128 weight = (unsigned __int128) ga_int_products_weight(sum);
	const unsigned __int128 n = (unsigned __int128) sum->n;

	if (sum->n < 0 || sum->n > GA_INT_SUM_MAX_N)
		return false;
	if ((GaInt128) weight < 0)
		weight = -weight;
	(void) magnitude_of(sum, limbs);
	/* n * 2^126 is n >> 2 in the highest limb and 2 bits below it */
	if (limbs[2] > (uint64_t) n >> 2 ||
		(limbs[2] == (uint64_t) n >> 2 &&
		 (limbs[1] > (uint64_t) n << 62 ||
		  (limbs[1] == (uint64_t) n << 62 && limbs[0] != 0))))
		return false;
	return weight <= n << 63;
}

/*
 * Read the output of ga_int_products_serialize().  GA_BAD_VERSION or
 * GA_BAD_STATE if the bytes cannot be such an output.
 */
GaStatus
ga_int_products_deserialize(GaIntProducts *sum, const uint8_t *bytes,
							size_t n_bytes)
{
	const uint8_t *from = bytes + 1;
	int i;

	if (n_bytes < 1)
		return GA_BAD_STATE;
	if (bytes[0] != GA_INT_PRODUCTS_VERSION)
		return GA_BAD_VERSION;
	if (n_bytes != GA_INT_PRODUCTS_BYTES)
		return GA_BAD_STATE;
	sum->n = ga_get_int64(&from);
	for (i = LIMBS - 1; i >= 0; i--)
		sum->product[i] = (uint64_t) ga_get_int64(&from);
	for (i = 1; i >= 0; i--)
		sum->weight[i] = (uint64_t) ga_get_int64(&from);
	return is_in_range(sum) ? GA_OK : GA_BAD_STATE;
}
