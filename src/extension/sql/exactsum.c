/*
 * exactsum.c
 *		The SQL type exactsum: input and output, and how others read it.
 *
 * The type is plain bytes (exact_sum_io.h); exact_value.c has what it shares
 * with other types.
 *
 * Called by the executor and by the other files of the type.
 */
#include "postgres.h"

#include "exact/exact_sum_io.h"
#include "exactsum.h"
#include "extension/error.h"

PG_FUNCTION_INFO_V1(exactsum_in);
PG_FUNCTION_INFO_V1(exactsum_out);
PG_FUNCTION_INFO_V1(exactsum_recv);
PG_FUNCTION_INFO_V1(exactsum_send);

/* Are these the bytes of a value? */
static GaStatus
check(const uint8_t *bytes, size_t n_bytes)
{
	GaFullSum full;

	return ga_exact_sum_deserialize(&full, bytes, n_bytes);
}

/* Return the sum of one number. */
Datum
ga_exactsum_of_float(double x)
{
	GaFullSum full;

	(void) ga_exact_sum_add(ga_full_sum_init(&full), x);
	return ga_exactsum_datum(ga_full_sum(&full));
}

const GaExactType ga_exactsum_type = {"exactsum", check, ga_exactsum_of_float,
									  ga_exact_sum_add_serialized};

/*
 * Read a value into the caller's buffer; returns the sum there, which has full
 * capacity.  Errors: XX001 for one that is damaged.
 */
GaExactSum *
ga_exactsum_read(Datum value, GaFullSum *full)
{
	struct varlena *bytes = PG_DETOAST_DATUM_PACKED(value);

	if (ga_exact_sum_deserialize(full, (const uint8_t *) VARDATA_ANY(bytes),
								 VARSIZE_ANY_EXHDR(bytes)) != GA_OK)
		ga_report_damaged_value(ga_exactsum_type.name);
	if ((Pointer) bytes != DatumGetPointer(value))
		pfree(bytes);
	return ga_full_sum(full);
}

/* Return a sum as a value, in the current context. */
Datum
ga_exactsum_datum(const GaExactSum *sum)
{
	uint8_t bytes[GA_EXACT_SUM_MAX_BYTES];

	return ga_exact_value(bytes, ga_exact_sum_serialize(sum, bytes));
}

/*
 * Add a sum to one of full capacity.  Errors: 22003 if they have more inputs
 * than there can be.
 */
void
ga_exactsum_add(GaExactSum *sum, const GaExactSum *other)
{
	if (other->n > GA_EXACT_SUM_MAX_N - sum->n)
		ga_report_many_inputs(ga_exactsum_type.name);
	(void) ga_exact_sum_merge(sum, other);
}

Datum
exactsum_in(PG_FUNCTION_ARGS)
{
	return ga_exact_value_in(fcinfo, &ga_exactsum_type);
}

Datum
exactsum_out(PG_FUNCTION_ARGS)
{
	return ga_exact_value_out(fcinfo);
}

Datum
exactsum_recv(PG_FUNCTION_ARGS)
{
	return ga_exact_value_recv(fcinfo, &ga_exactsum_type);
}

Datum
exactsum_send(PG_FUNCTION_ARGS)
{
	return ga_exact_value_send(fcinfo);
}
