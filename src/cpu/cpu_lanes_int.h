/*
 * cpu_lanes_int.h
 *		Sums of integers in vectors; a part of cpu_lanes.h.
 */

/*
 * Sum 64-bit integers: the upper and lower halves apart, the upper one with its
 * sign bit inverted, which makes it unsigned.  2^31 vectors fit.
 */
static void
sum_int8(GaIntSum *sum, const void *data, size_t n)
{
	const char *from = data;
	const Int64s low_half = broadcast_bits(0xffffffff);
	const Int64s sign = broadcast_bits(GA_FLOAT8_SIGN);
	size_t whole = n / LANES;
	Int64s low = {0}, high = {0};
	GaInt128 total = 0;
	size_t i;
	int j;

	for (i = 0; i < whole; i++)
	{
		Int64s v;

		memcpy(&v, from + i * sizeof(v), sizeof(v));
		low += v & low_half;
		high += (Int64s) ((Uint64s) (v ^ sign) >> 32);
	}
	for (j = 0; j < LANES; j++)
		total += (GaInt128) (uint64_t) low[j] +
				 ((GaInt128) (uint64_t) high[j] - ((GaInt128) whole << 31)) *
					 ((GaInt128) 1 << 32);
	for (i = whole * LANES; i < n; i++)
	{
		int64_t x;

		memcpy(&x, from + i * sizeof(x), sizeof(x));
		total += x;
	}
	ga_int_sum_add(sum, total, (int64_t) n);
}

/* Sum 32-bit integers in lanes of 64 bits, which hold 2^32 vectors. */
static void
sum_int4(GaIntSum *sum, const void *data, size_t n)
{
	const char *from = data;
	size_t whole = n / (2 * LANES) * 2;
	Int64s even = {0}, odd = {0};
	int64_t total;
	size_t i;

	for (i = 0; i < whole; i += 2)
	{
		HalfInt32s v[2];

		memcpy(v, from + i * sizeof(v[0]), sizeof(v));
		even += __builtin_convertvector(v[0], Int64s);
		odd += __builtin_convertvector(v[1], Int64s);
	}
	total = sum_of_lanes(even + odd);
	for (i = whole * LANES; i < n; i++)
	{
		int32_t x;

		memcpy(&x, from + i * sizeof(x), sizeof(x));
		total += x;
	}
	ga_int_sum_add(sum, total, (int64_t) n);
}

/* Sum 16-bit integers, 2^15 vectors at a time in lanes of 32 bits. */
static void
sum_int2(GaIntSum *sum, const void *data, size_t n)
{
	const char *from = data;
	size_t whole = n / (2 * LANES);
	int64_t total = 0;
	size_t i = 0;

	while (i < whole)
	{
		size_t end = whole - i > 32768 ? i + 32768 : whole;
		Int32s part = {0};
		int j;

		for (; i < end; i++)
		{
			HalfInt16s v;

			memcpy(&v, from + i * sizeof(v), sizeof(v));
			part += __builtin_convertvector(v, Int32s);
		}
		for (j = 0; j < 2 * LANES; j++)
			total += part[j];
	}
	for (i = whole * 2 * LANES; i < n; i++)
	{
		int16_t x;

		memcpy(&x, from + i * sizeof(x), sizeof(x));
		total += x;
	}
	ga_int_sum_add(sum, total, (int64_t) n);
}
