/*
 * test_elem_extreme.c
 *		Least and greatest elements position by position, by the CPU engines.
 *
 * The answer to compare with looks at one element after another.
 */
#include "cpu/cpu.h"
#include "random_floats.h"
#include "tap.h"

#define MAX_LENGTH 300

static char data[MAX_LENGTH * 8 + 1];
static int64_t keys[MAX_LENGTH], expected[MAX_LENGTH];

/* Set bits to a random element: any bits, a few values, NaN, and zeros. */
static int64_t
random_bits(Rng *rng, GaElementType type)
{
	static const double few[] = {0.0, -0.0, 1, -1, 5e-324, -5e-324};
	double x = few[rng_below(rng, 6)];
	float f;
	int64_t bits = 0;

	if (rng_chance(rng, 3) || !ga_element_is_float(type))
		return (int64_t) rng_next(rng) >> rng_below(rng, 60);
	if (rng_chance(rng, 4))
		x = random_special(rng);
	f = (float) x;
	if (type == GA_float4)
		memcpy(&bits, &f, sizeof(f));
	else
		memcpy(&bits, &x, sizeof(x));
	return bits;
}

/* Return the key of an element that has these bits. */
static int64_t
key_of(GaElementType type, const char *element)
{
	int16_t int2;
	int32_t int4;
	int64_t int8;

	memcpy(&int2, element, sizeof(int2));
	if (type == GA_int2)
		return int2;
	memcpy(&int4, element, sizeof(int4));
	if (type == GA_int4)
		return int4;
	if (type == GA_float4)
		return ga_float4_key(int4);
	memcpy(&int8, element, sizeof(int8));
	return type == GA_float8 ? ga_float8_key(int8) : int8;
}

/* Take an array of random elements into keys, and into those expected. */
static void
take(Rng *rng, const GaCpuEngine *cpu, GaElementType type, size_t n,
	 bool is_max, bool is_first)
{
	const size_t size = ga_element_size(type);
	size_t i;

	for (i = 0; i < n; i++)
	{
		const int64_t bits = random_bits(rng, type);
		int64_t key;

		memcpy(data + 1 + i * size, &bits, size);
		key = key_of(type, data + 1 + i * size);
		if (is_first)
			memcpy((char *) keys + i * size, &key, size);
		if (is_first || (is_max ? key > expected[i] : key < expected[i]))
			expected[i] = key;
	}
	(is_max ? cpu->elem.max : cpu->elem.min)[type](keys, data + 1, n);
}

static void
test_type(Rng *rng, const GaCpuEngine *cpu, GaElementType type)
{
	const size_t size = ga_element_size(type);
	long cases;

	tap_begin("%s: least and greatest %s", cpu->name, ga_element_name(type));
	for (cases = tap_cases(20000); cases > 0; cases--)
	{
		const size_t n = 1 + rng_below(rng, MAX_LENGTH);
		const bool is_max = rng_chance(rng, 2);
		int rows = 1 + (int) rng_below(rng, 5);
		size_t i;

		take(rng, cpu, type, n, is_max, true);
		while (--rows > 0)
			take(rng, cpu, type, n, is_max, false);
		for (i = 0; i < n; i++)
			tap_check(memcmp((char *) keys + i * size, &expected[i], size) == 0,
					  "position %zu of %zu", i, n);
	}
	tap_end();
}

/* Keys have PostgreSQL's order: NaN the greatest, -0 before 0. */
static void
test_keys(void)
{
	static const double order[] = {
		-__builtin_inf(), -1e308,			-5e-324, -0.0, 0.0, 5e-324, 1,
		__builtin_inf(),  __builtin_nan("")};
	size_t i;

	tap_begin("keys have PostgreSQL's order");
	for (i = 0; i + 1 < sizeof(order) / sizeof(order[0]); i++)
	{
		const float one = (float) order[i], other = (float) order[i + 1];
		int32_t bits[2];

		memcpy(&bits[0], &one, 4);
		memcpy(&bits[1], &other, 4);
		tap_check(ga_float8_key((int64_t) ga_float8_bits(order[i])) <
					  ga_float8_key((int64_t) ga_float8_bits(order[i + 1])),
				  "%g and %g", order[i], order[i + 1]);
		tap_check(ga_float4_key(bits[0]) <= ga_float4_key(bits[1]),
				  "real %g and %g", one, other);
	}
	for (i = 0; i < sizeof(order) / sizeof(order[0]); i++)
	{
		const int64_t bits = (int64_t) ga_float8_bits(order[i]);
		const float single = (float) order[i];
		int32_t bits4;

		memcpy(&bits4, &single, 4);
		tap_check(ga_float8_of_key(ga_float8_key(bits)) == bits,
				  "%g has other bits", order[i]);
		tap_check(ga_float4_of_key(ga_float4_key(bits4)) == bits4,
				  "real %g has other bits", order[i]);
	}
	tap_check(ga_float8_key((int64_t) ga_float8_bits(-__builtin_nan(""))) ==
				  GA_FLOAT8_NAN_BITS,
			  "NaNs have one key");
	tap_end();
}

int
main(void)
{
	Rng rng = {20261125};
	int i;

	for (i = 0; i < ga_cpu_n_engines; i++)
	{
		if (!ga_cpu_engines[i]->is_supported())
			continue;
#define X(name, family, ctype) test_type(&rng, ga_cpu_engines[i], GA_##name);
		GA_ELEMENT_TYPES(X)
#undef X
	}
	test_keys();
	return tap_done();
}
