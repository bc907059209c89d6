/*
 * exactmoments.c
 *		The SQL type exactmoments: input, output, and exact arithmetic.
 *
 * The type is plain bytes (moments.h); exact_value.c has what it shares with
 * other types.  The same inputs give the same bytes, so that equality, order
 * and hashing are those of bytea.
 *
 * gpu_merge adds and takes away by the functions here, which then write to the
 * state where its size stays the same.
 *
 * Called by the executor and by the other files of the type; keeps nothing.
 */
#include "postgres.h"

#include "exact_value.h"
#include "exactmoments.h"
#include "extension/error.h"

PG_FUNCTION_INFO_V1(exactmoments_in);
PG_FUNCTION_INFO_V1(exactmoments_out);
PG_FUNCTION_INFO_V1(exactmoments_recv);
PG_FUNCTION_INFO_V1(exactmoments_send);
PG_FUNCTION_INFO_V1(exactmoments_add);
PG_FUNCTION_INFO_V1(exactmoments_subtract);

/* Are these the bytes of a value? */
static GaStatus
check(const uint8_t *bytes, size_t n_bytes)
{
	GaFullSumPair full;

	return ga_moments_deserialize(&full, bytes, n_bytes);
}

/* Return the moments of one number. */
Datum
ga_exactmoments_of_float(double x)
{
	GaFullSumPair full;
	GaMoments *moments = ga_full_sum_pair_init(&full);

	(void) ga_moments_add(moments, x);
	return ga_exactmoments_datum(moments);
}

StaticAssertDecl(GA_MOMENTS_MAX_BYTES <= GA_EXACT_VALUE_MAX_BYTES,
				 "text of a value would be refused");

static const GaExactType type = {"exactmoments", check,
								 ga_exactmoments_of_float};

/*
 * Read a value into the caller's buffer; returns the moments there, which have
 * full size.  Errors: XX001 for one that is damaged.
 */
GaMoments *
ga_exactmoments_read(Datum value, GaFullSumPair *full)
{
	struct varlena *bytes = PG_DETOAST_DATUM_PACKED(value);

	if (ga_moments_deserialize(full, (const uint8_t *) VARDATA_ANY(bytes),
							   VARSIZE_ANY_EXHDR(bytes)) != GA_OK)
		ga_report_damaged_value(type.name);
	if ((Pointer) bytes != DatumGetPointer(value))
		pfree(bytes);
	return ga_full_sum_pair(full);
}

/* Return moments as a value, in the current context. */
Datum
ga_exactmoments_datum(const GaMoments *moments)
{
	uint8_t bytes[GA_MOMENTS_MAX_BYTES];

	return ga_exact_value(bytes, ga_moments_serialize(moments, bytes));
}

Datum
exactmoments_in(PG_FUNCTION_ARGS)
{
	return ga_exact_value_in(fcinfo, &type);
}

Datum
exactmoments_out(PG_FUNCTION_ARGS)
{
	return ga_exact_value_out(fcinfo);
}

Datum
exactmoments_recv(PG_FUNCTION_ARGS)
{
	return ga_exact_value_recv(fcinfo, &type);
}

Datum
exactmoments_send(PG_FUNCTION_ARGS)
{
	return ga_exact_value_send(fcinfo);
}

/*
 * Return the moments of both arguments' inputs, or of the left one's without
 * those of the right one (by = -1): in the place of the left one if that is an
 * aggregate's state and has just that size.  GA_OVERFLOW if there can be no
 * such inputs; otherwise *result is set.  Errors: XX001 for a damaged value.
 */
static GaStatus
add(FunctionCallInfo fcinfo, int by, Datum *result)
{
	struct varlena *a = PG_GETARG_VARLENA_PP(0);
	struct varlena *b = PG_GETARG_VARLENA_PP(1);
	uint8_t bytes[GA_MOMENTS_MAX_BYTES];
	size_t n_bytes;
	const GaStatus status = ga_moments_add_serialized(
		(const uint8_t *) VARDATA_ANY(a), VARSIZE_ANY_EXHDR(a),
		(const uint8_t *) VARDATA_ANY(b), VARSIZE_ANY_EXHDR(b), by, bytes,
		&n_bytes);

	if (status == GA_OK)
		*result = ga_exact_value_sum(fcinfo, a, b, bytes, n_bytes);
	else if (status != GA_OVERFLOW)
		ga_report_damaged_value(type.name);
	return status;
}

/* Return the moments of the inputs of both.  Errors: 22003 for too many. */
Datum
exactmoments_add(PG_FUNCTION_ARGS)
{
	Datum result;

	if (add(fcinfo, 1, &result) != GA_OK)
		ga_report_many_inputs(type.name);
	return result;
}

/*
 * Return the moments of the left one's inputs without those of the right one.
 * Errors: 22003 if there can be no such inputs.
 */
Datum
exactmoments_subtract(PG_FUNCTION_ARGS)
{
	Datum result;

	if (add(fcinfo, -1, &result) != GA_OK)
		ga_report_not_contained(type.name, NULL);
	return result;
}
