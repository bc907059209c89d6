/*
 * cpu_lanes_elem_digits.h
 *		Position by position: floats of any exponent, by digits; a part of
 *		cpu_lanes.h.
 *
 * Behind cpu_lanes_elem.h, for floats whose exponents lie too far apart for its
 * levels.  A vector of them is split at once, and each is added to its words.
 * doc/numerics.md has the proof.
 */

/*
 * A vector of floats as two digits each, low 2^(52 d) + high 2^(52 (d + 1)) of
 * the units of plane 0, where d is the digit of the lowest bit.
 */
typedef struct ElemDigits
{
	Int64s digit;
	Int64s low;
	Int64s high;
	Int64s beyond; /* not zero: it has bits that are not in the planes */
} ElemDigits;

static always_inline Int64s
elem_least(Int64s a, Int64s b)
{
	const Int64s is_less = a < b;

	return (a & is_less) | (b & ~is_less);
}

/* Split floats, whose bits these are, with the sign as it is to be added. */
static always_inline ElemDigits
elem_split(const GaElemDigits *digits, Int64s bits)
{
	const Int64s zero = {0};
	const Int64s exponent = (bits >> 52) & 0x7ff;
	const Int64s is_normal = exponent != zero;
	const Int64s sign = (bits ^ (Int64s) broadcast_bits(digits->flip)) >> 63;
	const Int64s m = (bits & (int64_t) GA_FLOAT8_FRACTION) |
					 (is_normal & (int64_t) GA_FLOAT8_HIDDEN);
	const Int64s place = exponent + is_normal - digits->place;
	const Int64s is_below = place < zero;

	/* bits below plane 0, which have to be zeros */
	const Int64s n_cut = elem_least(-(place & is_below), broadcast_bits(63));
	const Int64s at = place & ~is_below;
	const Int64s left = m >> n_cut;

	/* at / 52, for at < 4096 */
	const Int64s digit = (at * 20165) >> 20;
	const Int64s shift = at - digit * 52;
	const Int64s low = (Int64s) ((Uint64s) left << (Uint64s) shift) &
					   (int64_t) ELEM_DIGIT_MASK;
	const Int64s high = left >> (52 - shift);
	const Int64s last = digit - (high != zero);

	return (ElemDigits){digit, (low ^ sign) - sign, (high ^ sign) - sign,
						((left << n_cut) ^ m) | (last >= digits->n_planes) |
							(exponent == 0x7ff)};
}

/* Add a vector of floats, or its first lanes.  False, and nothing is added. */
static always_inline bool
elem_add_split(GaElemDigits *digits, Int64s bits, size_t i, size_t n)
{
	const ElemDigits split = elem_split(digits, bits);
	int64_t digit[LANES], low[LANES], high[LANES];
	size_t k;

	if (LANES_ANY(split.beyond))
		return false;
	memcpy(digit, &split.digit, sizeof(digit));
	memcpy(low, &split.low, sizeof(low));
	memcpy(high, &split.high, sizeof(high));
	for (k = 0; k < n; k++)
	{
		int64_t *word = digits->words + digit[k] * digits->stride + i + k;

		*word += low[k];
		if (high[k] != 0)
			word[digits->stride] += high[k];
	}
	return true;
}

/*
 * Add floats; returns how many, all those before the first that has bits beyond
 * the planes, and perhaps some before that.
 */
static always_inline size_t
elem_add_digits(GaElemDigits *digits, const char *data, size_t n,
				bool is_float4)
{
	const size_t size = is_float4 ? sizeof(float) : sizeof(double);
	Int64s neg_zeros = {0};
	char rest[LANES * sizeof(double)] = {0};
	size_t i = 0;
	Int64s bits;

	for (; i + LANES <= n; i += LANES)
	{
		bits = (Int64s) load(data, i, is_float4);
		neg_zeros |= bits & (Int64s) (0 - (Uint64s) bits);
		if (!elem_add_split(digits, bits, i, LANES))
			break;
	}
	if (i < n && n - i < LANES)
	{
		memcpy(rest, data + i * size, (n - i) * size);
		bits = (Int64s) load(rest, 0, is_float4);
		neg_zeros |= bits & (Int64s) (0 - (Uint64s) bits);
		if (elem_add_split(digits, bits, i, n - i))
			i = n;
	}
	digits->has_neg_zero = or_of_lanes(neg_zeros) < 0;
	return i;
}

static size_t
elem_digits_float4(GaElemDigits *digits, const void *data, size_t n)
{
	return elem_add_digits(digits, data, n, true);
}

static size_t
elem_digits_float8(GaElemDigits *digits, const void *data, size_t n)
{
	return elem_add_digits(digits, data, n, false);
}
