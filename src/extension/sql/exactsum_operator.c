/*
 * exactsum_operator.c
 *		Operators of exactsum: exact arithmetic, order, hashing.
 *
 * Equal sums of the same inputs have the same bytes, so equality and hashing
 * look at bytes alone.  The order is that of the exact values, NaN last, and of
 * the bytes where those are equal.
 *
 * Called by the executor; keeps nothing between two calls.
 */
#include "postgres.h"
#include "common/hashfn.h"
#include "fmgr.h"

#include "exact/exact_sum_value.h"
#include "exactsum.h"
#include "extension/error.h"

PG_FUNCTION_INFO_V1(exactsum_add);
PG_FUNCTION_INFO_V1(exactsum_subtract);
PG_FUNCTION_INFO_V1(exactsum_negate);
PG_FUNCTION_INFO_V1(exactsum_hash);
PG_FUNCTION_INFO_V1(exactsum_hash_extended);

Datum
exactsum_add(PG_FUNCTION_ARGS)
{
	return ga_exact_value_add(fcinfo, &ga_exactsum_type);
}

Datum
exactsum_subtract(PG_FUNCTION_ARGS)
{
	return ga_exact_value_subtract(
		fcinfo, &ga_exactsum_type,
		"For the difference of the values, with the inputs of both, "
		"write a + (- b).");
}

/* Return the sum of the negatives of the inputs. */
Datum
exactsum_negate(PG_FUNCTION_ARGS)
{
	GaFullSum full;
	GaExactSum *sum = ga_exactsum_read(PG_GETARG_DATUM(0), &full);

	ga_exact_sum_negate(sum);
	return ga_exactsum_datum(sum);
}

/* Compare bytes, of which the longer ones are greater where the others end. */
static int
compare_bytes(const struct varlena *a, const struct varlena *b)
{
	const Size n_a = VARSIZE_ANY_EXHDR(a);
	const Size n_b = VARSIZE_ANY_EXHDR(b);
	int order = memcmp(VARDATA_ANY(a), VARDATA_ANY(b), Min(n_a, n_b));

	return order != 0 ? order : (n_a > n_b) - (n_a < n_b);
}

/* Compare values: -1, 0 or 1. */
static int
compare(FunctionCallInfo fcinfo)
{
	struct varlena *a = PG_GETARG_VARLENA_PP(0);
	struct varlena *b = PG_GETARG_VARLENA_PP(1);
	const int by_bytes = compare_bytes(a, b);
	GaFullSum left, right;
	int order = 0;

	if (by_bytes != 0)
		order =
			ga_exact_sum_compare(ga_exactsum_read(PointerGetDatum(a), &left),
								 ga_exactsum_read(PointerGetDatum(b), &right));
	if (order == 0)
		order = (by_bytes > 0) - (by_bytes < 0);
	PG_FREE_IF_COPY(a, 0);
	PG_FREE_IF_COPY(b, 1);
	return order;
}

/* Are two values the same, byte by byte? */
static bool
is_equal(FunctionCallInfo fcinfo)
{
	struct varlena *a = PG_GETARG_VARLENA_PP(0);
	struct varlena *b = PG_GETARG_VARLENA_PP(1);
	const bool result = compare_bytes(a, b) == 0;

	PG_FREE_IF_COPY(a, 0);
	PG_FREE_IF_COPY(b, 1);
	return result;
}

#define COMPARISON(name, result)            \
	PG_FUNCTION_INFO_V1(exactsum_##name);   \
	Datum exactsum_##name(PG_FUNCTION_ARGS) \
	{                                       \
		return result;                      \
	}
COMPARISON(eq, BoolGetDatum(is_equal(fcinfo)))
COMPARISON(ne, BoolGetDatum(!is_equal(fcinfo)))
COMPARISON(lt, BoolGetDatum(compare(fcinfo) < 0))
COMPARISON(le, BoolGetDatum(compare(fcinfo) <= 0))
COMPARISON(gt, BoolGetDatum(compare(fcinfo) > 0))
COMPARISON(ge, BoolGetDatum(compare(fcinfo) >= 0))
COMPARISON(cmp, Int32GetDatum(compare(fcinfo)))

/* Hash the bytes. */
Datum
exactsum_hash(PG_FUNCTION_ARGS)
{
	struct varlena *value = PG_GETARG_VARLENA_PP(0);
	const Datum hash = hash_any((unsigned char *) VARDATA_ANY(value),
								(int) VARSIZE_ANY_EXHDR(value));

	PG_FREE_IF_COPY(value, 0);
	return hash;
}

/* Hash the bytes, with a seed. */
Datum
exactsum_hash_extended(PG_FUNCTION_ARGS)
{
	struct varlena *value = PG_GETARG_VARLENA_PP(0);
	const Datum hash =
		hash_any_extended((unsigned char *) VARDATA_ANY(value),
						  (int) VARSIZE_ANY_EXHDR(value), PG_GETARG_INT64(1));

	PG_FREE_IF_COPY(value, 0);
	return hash;
}
