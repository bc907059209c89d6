/*
 * exactmoments.c
 *		The SQL type exactmoments: input, output, and exact arithmetic.
 *
 * The type is plain bytes (moments.h); exact_value.c has what it shares with
 * other types.  The same inputs give the same bytes, so that equality, order
 * and hashing are those of bytea.
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

static const GaExactType type = {
	"exactmoments", check, ga_exactmoments_of_float, ga_moments_add_serialized};

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

Datum
exactmoments_add(PG_FUNCTION_ARGS)
{
	return ga_exact_value_add(fcinfo, &type);
}

Datum
exactmoments_subtract(PG_FUNCTION_ARGS)
{
	return ga_exact_value_subtract(fcinfo, &type, NULL);
}
