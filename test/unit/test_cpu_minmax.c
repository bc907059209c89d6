/*
 * test_cpu_minmax.c
 *		The least and the largest element by the CPU engines.
 *
 * The answer to compare with is found one by one, among keys: integers of 64
 * bits in the order of the elements, where every NaN has the largest key, and
 * -0 the key below that of 0.
 */
#include <stdlib.h>

#include "cpu/cpu.h"
#include "float_case.h"
#include "tap.h"

#define MAX_LENGTH 5000

typedef struct MinmaxType
{
	const char *name;
	size_t size;
	uint64_t infinity; /* its bits; 0 for integers */
	uint64_t (*find)(const GaCpuEngine *engine, bool is_max, const void *data,
					 size_t n);
} MinmaxType;

/* find_int2(...): return the bits of what an engine finds. */
#define X(name, family, ctype)                                          \
	static uint64_t find_##name(const GaCpuEngine *engine, bool is_max, \
								const void *data, size_t n)             \
	{                                                                   \
		ctype x = is_max ? engine->max_##name(data, n) :                \
						   engine->min_##name(data, n);                 \
		uint64_t bits = 0;                                              \
                                                                        \
		memcpy(&bits, &x, sizeof(x));                                   \
		return bits;                                                    \
	}
GA_ELEMENT_TYPES(X)
#undef X

static const MinmaxType types[] = {
	{"int2", 2, 0, find_int2},
	{"int4", 4, 0, find_int4},
	{"int8", 8, 0, find_int8},
	{"float4", 4, 0x7f800000, find_float4},
	{"float8", 8, UINT64_C(0x7ff0000000000000), find_float8},
};

static char data[MAX_LENGTH * 8];
static Guarded guarded;

static uint64_t
element(const MinmaxType *type, const char *from, size_t i)
{
	uint64_t bits = 0;

	memcpy(&bits, from + i * type->size, type->size);
	return bits;
}

static void
set_element(const MinmaxType *type, size_t i, uint64_t bits)
{
	memcpy(data + i * type->size, &bits, type->size);
}

static uint64_t
sign_of(const MinmaxType *type)
{
	return UINT64_C(1) << (8 * type->size - 1);
}

static int64_t
key_of(const MinmaxType *type, uint64_t bits)
{
	uint64_t sign = sign_of(type);

	if (type->infinity == 0)
		return (int64_t) (bits << (64 - 8 * type->size)) >>
			   (64 - 8 * type->size);
	if ((bits & ~sign) > type->infinity)
		return INT64_MAX;
	return bits & sign ? -1 - (int64_t) (bits & ~sign) : (int64_t) bits;
}

/* Return the bits of what has a key; of the first NaN for NaN. */
static uint64_t
bits_of(const MinmaxType *type, int64_t key)
{
	if (type->infinity == 0)
		return (uint64_t) key & (sign_of(type) * 2 - 1);
	if (key == INT64_MAX)
		return type->size == 4 ? 0x7fc00000 : UINT64_C(0x7ff8000000000000);
	return key < 0 ? (uint64_t) (-1 - key) | sign_of(type) : (uint64_t) key;
}

/* Check all engines on n elements there. */
static void
check(const MinmaxType *type, const char *there, size_t n)
{
	int64_t least = INT64_MAX, largest = INT64_MIN;
	size_t i;
	int j;

	for (i = 0; i < n; i++)
	{
		int64_t key = key_of(type, element(type, there, i));

		least = key < least ? key : least;
		largest = key > largest ? key : largest;
	}
	for (j = 0; j < ga_cpu_n_engines; j++)
	{
		const GaCpuEngine *engine = ga_cpu_engines[j];

		if (!engine->is_supported())
			continue;
		tap_check(type->find(engine, false, there, n) == bits_of(type, least),
				  "%s: the least of %zu of %s", engine->name, n, type->name);
		tap_check(type->find(engine, true, there, n) == bits_of(type, largest),
				  "%s: the largest of %zu of %s", engine->name, n, type->name);
	}
}

/*
 * Return what is special about a type: both ends, zeros, ones, and of floats
 * infinities, subnormals and NaNs with and without sign, quiet and signalling.
 */
static int
special_bits(const MinmaxType *type, uint64_t *special)
{
	const uint64_t sign = sign_of(type);
	const uint64_t infinity = type->infinity;
	const uint64_t all[] = {0,
							sign,
							sign - 1,
							1,
							sign | 1,
							sign * 2 - 1,
							infinity,
							infinity | sign,
							infinity - 1,
							(infinity - 1) | sign,
							infinity | infinity >> 1,
							infinity + 1,
							(infinity + 1) | sign};
	const int n = infinity == 0 ? 6 : (int) (sizeof(all) / sizeof(all[0]));

	memcpy(special, all, n * sizeof(all[0]));
	return n;
}

/* How the elements around a special one are chosen. */
typedef enum Kind
{
	ANY,
	SMALL, /* a few values close to one */
	ALL_SPECIAL,
	N_KINDS
} Kind;

static void
fill(Rng *rng, const MinmaxType *type, Kind kind, size_t n)
{
	uint64_t special[16];
	int n_special = special_bits(type, special);
	uint64_t one = type->infinity == 0 ? 1 : type->infinity / 2;
	size_t i;

	for (i = 0; i < n; i++)
	{
		if (kind == ANY)
			set_element(type, i, rng_next(rng));
		else if (kind == SMALL)
			set_element(type, i, one + rng_below(rng, 3));
		else
			set_element(type, i, special[rng_below(rng, n_special)]);
	}
}

/* Every special value at every position of arrays of every length. */
static void
test_positions(const MinmaxType *type, uint64_t around, const char *name)
{
	const size_t longest = 2 * 256 / type->size + 3;
	const size_t step = tap_is_divided() ? 16 : 1;
	uint64_t special[16];
	int n_special = special_bits(type, special);
	size_t n, i;
	int s;

	tap_begin("%s: special values at every position among %s", type->name,
			  name);
	for (n = 1; n <= longest; n += step)
	{
		for (i = 0; i < n; i++)
			set_element(type, i, around);
		for (i = 0; i < n; i++)
		{
			for (s = 0; s < n_special; s++)
			{
				set_element(type, i, special[s]);
				check(type, data, n);
			}
			set_element(type, i, around);
		}
	}
	tap_end();
}

static void
test_all_positions(const MinmaxType *type)
{
	const uint64_t infinity = type->infinity;
	const uint64_t one = infinity == 0 ? 1 : infinity / 2;

	test_positions(type, one, "ones");
	test_positions(type, 0, "zeros");
	if (infinity == 0)
		return;
	test_positions(type, sign_of(type), "negative zeros");
	test_positions(type, infinity, "infinities");
	test_positions(type, infinity | sign_of(type), "minus infinities");
	test_positions(type, infinity | infinity >> 1, "NaNs");
}

/* Memory beside the elements is not read, and they need not be aligned. */
static void
test_lengths(Rng *rng, const MinmaxType *type, Kind kind)
{
	int step = tap_is_divided() ? 16 : 1;
	size_t n;

	tap_begin("%s, lengths from 1 to 600, kind %d", type->name, (int) kind);
	for (n = 1; n <= 600; n += step)
	{
		size_t n_bytes = n * type->size;

		fill(rng, type, kind, n);
		check(type, guarded_at_end(&guarded, n % 10, data, n_bytes), n);
		check(type, guarded_at_end(&guarded, 0, data, n_bytes), n);
		check(type, guarded_at_start(&guarded, n % 10, data, n_bytes), n);
	}
	tap_end();
}

static void
test_random(Rng *rng, const MinmaxType *type)
{
	long i;

	tap_begin("%s, random arrays", type->name);
	for (i = tap_cases(4000); i > 0; i--)
	{
		size_t n = 1 + rng_below(rng, rng_chance(rng, 4) ? MAX_LENGTH : 100);

		fill(rng, type, (Kind) rng_below(rng, N_KINDS), n);
		check(type, data, n);
	}
	tap_end();
}

int
main(void)
{
	Rng rng = {6};
	int kind;
	size_t t;

	skip_unsupported_engines();
	guarded_new(&guarded, 600 * 8);
	for (t = 0; t < sizeof(types) / sizeof(types[0]); t++)
	{
		test_all_positions(&types[t]);
		for (kind = 0; kind < N_KINDS; kind++)
			test_lengths(&rng, &types[t], (Kind) kind);
		test_random(&rng, &types[t]);
	}
	guarded_free(&guarded);
	return tap_done();
}
