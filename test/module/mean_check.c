/*
 * mean_check.c
 *		For tests only: means and totals beside those of PostgreSQL.
 */
#include "postgres.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

#include "extension/pg_compat.h"
#include "extension/sql/mean.h"

PG_FUNCTION_INFO_V1(mean_differs);

/* Cases whose memory is freed at once. */
#define CASES_AT_A_TIME 1000

typedef unsigned __int128 Uint128;

/* Return the next random number of 64 bits (splitmix64). */
static uint64
random_bits(uint64 *seed)
{
	uint64 x = *seed += UINT64CONST(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64CONST(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64CONST(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* Return 10 to a random power, at most 18. */
static int64
random_power(uint64 *seed)
{
	int64 power = 1;
	int i;

	for (i = (int) (random_bits(seed) % 19); i > 0; i--)
		power *= 10;
	return power;
}

/* Return a divisor: of any length, a power of 2 or 10, or near one. */
static int64
random_divisor(uint64 *seed)
{
	const int shift = (int) (random_bits(seed) % 63);
	int64 n;

	switch (random_bits(seed) % 4)
	{
		case 0:
			n = (int64) (random_bits(seed) >> (shift + 1));
			break;
		case 1:
			n = INT64CONST(1) << shift;
			break;
		case 2:
			n = random_power(seed) + (int64) (random_bits(seed) % 3) - 1;
			break;
		default:
			n = (int64) (random_bits(seed) % 20000);
			break;
	}
	return Max(n, 1);
}

/*
 * Return a total: of any length, near a multiple of half of n, or n by a power
 * of 10, or near that.
 */
static GaInt128
random_total(uint64 *seed, int64 n)
{
	const int shift = (int) (random_bits(seed) % 127);
	const Uint128 all =
		(Uint128) random_bits(seed) << 64 | (Uint128) random_bits(seed);
	Uint128 total;

	switch (random_bits(seed) % 4)
	{
		case 0:
			total = all >> (shift + 1);
			break;
		case 1:
			total = (Uint128) (uint64) n * (random_bits(seed) >> shift / 2) / 2;
			break;
		case 2:
			total = (Uint128) (uint64) n * (uint64) random_power(seed);
			break;
		default:
			total = random_bits(seed) % 1000000;
			break;
	}
	total += random_bits(seed) % 3;
	total -= Min(total, random_bits(seed) % 3);
	total &= ~((Uint128) 1 << 127);
	return random_bits(seed) % 2 ? (GaInt128) total : -(GaInt128) total;
}

/* Return a total as numeric by way of its decimal form. */
static Datum
numeric_of(GaInt128 total)
{
	char digits[41];
	char *first = digits + sizeof(digits);
	Uint128 rest = total < 0 ? -(Uint128) total : (Uint128) total;

	*--first = '\0';
	do
		*--first = '0' + (char) (rest % 10);
	while ((rest /= 10) > 0);
	if (total < 0)
		*--first = '-';
	return DirectFunctionCall3(numeric_in, CStringGetDatum(first),
							   ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
}

static bool
is_same(Datum a, Datum b)
{
	return VARSIZE(DatumGetPointer(a)) == VARSIZE(DatumGetPointer(b)) &&
		   memcmp(DatumGetPointer(a), DatumGetPointer(b),
				  VARSIZE(DatumGetPointer(a))) == 0;
}

/* Return what differs of a random case, or NULL. */
static const char *
difference(uint64 *seed)
{
	const int64 n = random_divisor(seed);
	const GaInt128 total = random_total(seed, n);
	const Datum dividend = numeric_of(total);
	const Datum ours = ga_mean_get_numeric(total, n);
	const Datum mean = DirectFunctionCall2(
		numeric_div, dividend, NumericGetDatum(int64_to_numeric(n)));

	if (is_same(ga_int128_get_numeric(total), dividend) && is_same(ours, mean))
		return NULL;
	return psprintf("%s / " INT64_FORMAT " is %s, not %s",
					DatumGetCString(DirectFunctionCall1(numeric_out, dividend)),
					n, DatumGetCString(DirectFunctionCall1(numeric_out, mean)),
					DatumGetCString(DirectFunctionCall1(numeric_out, ours)));
}

/*
 * mean_differs(seed bigint, n_cases bigint): the first random case in which the
 * bytes of a mean or of a total are not those of PostgreSQL, or NULL.
 */
Datum
mean_differs(PG_FUNCTION_ARGS)
{
	uint64 seed = (uint64) PG_GETARG_INT64(0);
	MemoryContext cases = AllocSetContextCreate(
		CurrentMemoryContext, "mean_differs", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(cases);
	const char *found = NULL;
	int64 i;

	for (i = 0; found == NULL && i < PG_GETARG_INT64(1); i++)
	{
		if (i % CASES_AT_A_TIME == 0)
		{
			CHECK_FOR_INTERRUPTS();
			MemoryContextReset(cases);
		}
		found = difference(&seed);
	}
	MemoryContextSwitchTo(caller);
	if (found == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(found));
}
