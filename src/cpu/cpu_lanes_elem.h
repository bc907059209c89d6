/*
 * cpu_lanes_elem.h
 *		Position by position: sums, least and greatest; a part of cpu_lanes.h.
 *
 * Floats are split among one to three levels as in cpu_lanes_float.h, but each
 * at the anchor itself, so that the integer of each element goes to the word of
 * its position.  A few vectors are split before any is stored.  If an element
 * of them is not split exactly, nothing of them is stored, and the caller adds
 * them in another way.  doc/numerics.md has the proof.
 */

/* Vectors that are split before they are stored. */
#define ELEM_VECTORS (LANES == 8 ? 4 : 2)

/* Is a bit of the vector set? */
#ifndef LANES_ANY
#define LANES_ANY(v) (or_of_lanes(v) != 0)
#endif

#define ELEM_DIGIT_MASK UINT64_C(0x000fffffffffffff)

/* Half of the binade of an anchor, in units. */
#define ELEM_HALF UINT64_C(0x0008000000000000)

static always_inline Int64s
load_words(const int64_t *words, size_t i)
{
	Int64s v;

	memcpy(&v, words + i, sizeof(v));
	return v;
}

static always_inline void
store_words(int64_t *words, size_t i, Int64s v)
{
	memcpy(words + i, &v, sizeof(v));
}

/*
 * Split some vectors of elements from i on, and add what they are to the words.
 * False, and nothing is added, if that would not be exact.
 */
static always_inline bool
elem_add_vectors(const GaElemLevels *levels, const Doubles *anchor,
				 const char *data, size_t i, bool is_float4, int n_levels,
				 int n_vectors, Int64s *neg_zeros)
{
	const Int64s flip = broadcast_bits(levels->flip);
	const Int64s half = broadcast_bits(ELEM_HALF);
	Int64s parts[4][GA_ELEM_LEVELS];
	Int64s residual = {0};
	Int64s beyond = {0};
	int v, k;

	_Pragma("GCC unroll 4") for (v = 0; v < n_vectors; v++)
	{
		Int64s bits = (Int64s) load(data, i + (size_t) v * LANES, is_float4);
		Doubles x = (Doubles) (bits ^ flip);

		/* the sign bit of b & -b is that of -0 alone */
		*neg_zeros |= bits & (Int64s) (0 - (Uint64s) bits);
		_Pragma("GCC unroll 4") for (k = 0; k < n_levels; k++)
		{
			Doubles q = x + anchor[k];

			parts[v][k] = (Int64s) ((Uint64s) q - (Uint64s) anchor[k]);
			x = x - (q - anchor[k]);
		}
		residual |= (Int64s) x;

		/* is q in the anchor's binade? */
		beyond |= (Int64s) ((Uint64s) parts[v][0] + (Uint64s) half);
	}
	if (LANES_ANY((Int64s) ((Uint64s) beyond >> 52 | (Uint64s) residual << 1)))
		return false;
	_Pragma("GCC unroll 4") for (v = 0; v < n_vectors; v++)
		_Pragma("GCC unroll 4") for (k = 0; k < n_levels; k++)
	{
		const size_t at = i + (size_t) v * LANES;

		store_words(levels->words[k], at,
					(Int64s) ((Uint64s) load_words(levels->words[k], at) +
							  (Uint64s) parts[v][k]));
	}
	return true;
}

/* Add one element in the same way; for those that fill no vector. */
static always_inline bool
elem_add_one(const GaElemLevels *levels, const char *data, size_t i,
			 bool is_float4, int n_levels, bool *has_neg_zero)
{
	int64_t parts[GA_ELEM_LEVELS];
	uint64_t bits;
	double x;
	float f;
	int k;

	if (is_float4)
	{
		memcpy(&f, data + i * sizeof(f), sizeof(f));
		x = f;
	}
	else
		memcpy(&x, data + i * sizeof(x), sizeof(x));
	bits = ga_float8_bits(x);
	x = ga_float8_from_bits(bits ^ levels->flip);
	for (k = 0; k < n_levels; k++)
	{
		const double q = x + levels->anchor[k];

		parts[k] =
			(int64_t) (ga_float8_bits(q) - ga_float8_bits(levels->anchor[k]));
		x = x - (q - levels->anchor[k]);
	}
	if (((uint64_t) parts[0] + ELEM_HALF) >> 52 != 0 ||
		ga_float8_bits(x) << 1 != 0)
		return false;
	for (k = 0; k < n_levels; k++)
		levels->words[k][i] += parts[k];
	*has_neg_zero |= bits == GA_FLOAT8_SIGN;
	return true;
}

/*
 * Add floats; returns how many, all those before the first that is not exact.
 */
static always_inline size_t
elem_add_levels(GaElemLevels *levels, const char *data, size_t n,
				bool is_float4, int n_levels)
{
	Int64s neg_zeros = {0};
	Doubles anchor[GA_ELEM_LEVELS];
	bool goes_on = true;
	size_t i = 0;
	int k;

	for (k = 0; k < n_levels; k++)
		anchor[k] = broadcast(levels->anchor[k]);
	while (i + ELEM_VECTORS * LANES <= n &&
		   elem_add_vectors(levels, anchor, data, i, is_float4, n_levels,
							ELEM_VECTORS, &neg_zeros))
		i += ELEM_VECTORS * LANES;
	while (i + LANES <= n &&
		   elem_add_vectors(levels, anchor, data, i, is_float4, n_levels, 1,
							&neg_zeros))
		i += LANES;
	levels->has_neg_zero = or_of_lanes(neg_zeros) < 0;
	while (goes_on && i < n)
	{
		goes_on = elem_add_one(levels, data, i, is_float4, n_levels,
							   &levels->has_neg_zero);
		i += goes_on;
	}
	return i;
}

static always_inline size_t
elem_add_floats(GaElemLevels *levels, const char *data, size_t n,
				bool is_float4)
{
	if (levels->n_levels == 1)
		return elem_add_levels(levels, data, n, is_float4, 1);
	if (levels->n_levels == 2)
		return elem_add_levels(levels, data, n, is_float4, 2);
	return elem_add_levels(levels, data, n, is_float4, 3);
}

static size_t
elem_add_float8(GaElemLevels *levels, const void *data, size_t n)
{
	return elem_add_floats(levels, data, n, false);
}

static size_t
elem_add_float4(GaElemLevels *levels, const void *data, size_t n)
{
	return elem_add_floats(levels, data, n, true);
}

/* Load a vector of integers as words of 64 bits. */
#define DEFINE_LOAD_INTS(name, lanes, ctype)                            \
	static always_inline Int64s load_##name(const char *data, size_t i) \
	{                                                                   \
		lanes v;                                                        \
                                                                        \
		memcpy(&v, data + i * sizeof(ctype), sizeof(v));                \
		return __builtin_convertvector(v, Int64s);                      \
	}

typedef int16_t QuarterInt16s __attribute__((vector_size(2 * LANES)));

DEFINE_LOAD_INTS(int2, QuarterInt16s, int16_t)
DEFINE_LOAD_INTS(int4, HalfInt32s, int32_t)
DEFINE_LOAD_INTS(int8, Int64s, int64_t)

/*
 * Add integers, or remove them (sign = -1, otherwise 0).  Those of 64 bits are
 * split into a digit of 52 bits and the rest, which goes to high[].
 */
#define DEFINE_ADD_INTS(name, ctype, is_int8)                                  \
	static void elem_add_##name(int64_t *low, int64_t *high, const void *data, \
								size_t n, int64_t sign)                        \
	{                                                                          \
		const char *from = data;                                               \
		const Int64s signs = broadcast_bits((uint64_t) sign);                  \
		const Int64s mask = broadcast_bits(ELEM_DIGIT_MASK);                   \
		size_t i;                                                              \
                                                                               \
		for (i = 0; i + LANES <= n; i += LANES)                                \
		{                                                                      \
			Int64s v = load_##name(from, i);                                   \
			Int64s part = is_int8 ? v & mask : v;                              \
                                                                               \
			store_words(low, i,                                                \
						load_words(low, i) + ((part ^ signs) - signs));        \
			if (is_int8)                                                       \
				store_words(high, i,                                           \
							load_words(high, i) +                              \
								(((v >> 52) ^ signs) - signs));                \
		}                                                                      \
		for (; i < n; i++)                                                     \
		{                                                                      \
			ctype x;                                                           \
			int64_t part;                                                      \
                                                                               \
			memcpy(&x, from + i * sizeof(x), sizeof(x));                       \
			part = is_int8 ? x & (int64_t) ELEM_DIGIT_MASK : x;                \
			low[i] += (part ^ sign) - sign;                                    \
			if (is_int8)                                                       \
				high[i] += (((int64_t) x >> 52) ^ sign) - sign;                \
		}                                                                      \
	}

DEFINE_ADD_INTS(int2, int16_t, false)
DEFINE_ADD_INTS(int4, int32_t, false)
DEFINE_ADD_INTS(int8, int64_t, true)

/*
 * Least and greatest, by keys: integers whose order is PostgreSQL's.  Those of
 * floats are their bits with the magnitude of negative ones inverted, so that
 * -0 is less than 0; all NaNs have one key, above all others.
 */
#define DEFINE_EXTREMES(name, lanes, ctype, keys_of, key_of)            \
	static void elem_min_##name(void *keys, const void *data, size_t n) \
	{                                                                   \
		EXTREME_LOOP(name, lanes, ctype, keys_of, key_of, <)            \
	}                                                                   \
	static void elem_max_##name(void *keys, const void *data, size_t n) \
	{                                                                   \
		EXTREME_LOOP(name, lanes, ctype, keys_of, key_of, >)            \
	}

#define EXTREME_LOOP(name, lanes, ctype, keys_of, key_of, before) \
	const size_t n_lanes = sizeof(lanes) / sizeof(ctype);         \
	const char *from = data;                                      \
	ctype *key = keys;                                            \
	size_t i;                                                     \
                                                                  \
	for (i = 0; i + n_lanes <= n; i += n_lanes)                   \
	{                                                             \
		lanes v, k, is_new;                                       \
                                                                  \
		memcpy(&v, from + i * sizeof(ctype), sizeof(v));          \
		memcpy(&k, key + i, sizeof(k));                           \
		v = keys_of(v);                                           \
		is_new = v before k;                                      \
		k = (is_new & v) | (~is_new & k);                         \
		memcpy(key + i, &k, sizeof(k));                           \
	}                                                             \
	for (; i < n; i++)                                            \
	{                                                             \
		ctype x;                                                  \
                                                                  \
		memcpy(&x, from + i * sizeof(x), sizeof(x));              \
		x = key_of(x);                                            \
		if (x before key[i])                                      \
			key[i] = x;                                           \
	}

#define SAME(x) (x)

static always_inline Int64s
float8_keys(Int64s bits)
{
	const Int64s nan = broadcast_bits(GA_FLOAT8_NAN_BITS);
	Int64s is_nan = (Doubles) bits != (Doubles) bits;
	Int64s keys = bits ^ ((bits >> 63) & INT64_MAX);

	return (is_nan & nan) | (~is_nan & keys);
}

static always_inline Int32s
float4_keys(Int32s bits)
{
	Int32s nan = (Int32s){0} + GA_FLOAT4_NAN_BITS;
	Int32s is_nan = (Floats) bits != (Floats) bits;
	Int32s keys = bits ^ ((bits >> 31) & INT32_MAX);

	return (is_nan & nan) | (~is_nan & keys);
}

DEFINE_EXTREMES(int2, Int16s, int16_t, SAME, SAME)
DEFINE_EXTREMES(int4, Int32s, int32_t, SAME, SAME)
DEFINE_EXTREMES(int8, Int64s, int64_t, SAME, SAME)
DEFINE_EXTREMES(float4, Int32s, int32_t, float4_keys, ga_float4_key)
DEFINE_EXTREMES(float8, Int64s, int64_t, float8_keys, ga_float8_key)
