/*
 * exactsum.c
 *		The SQL type exactsum: input and output, and how others read it.
 *
 * The type is plain bytes (exact_sum_io.h), which are canonical and checked
 * whenever they are read: by input functions since they may come from anywhere,
 * by all others since a stored value may be damaged.
 *
 * Called by the executor and by the other files of the type.
 */
#include "postgres.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "utils/builtins.h"
#include "utils/float.h"

#include "exact/exact_sum_io.h"
#include "exactsum.h"
#include "extension/error.h"
#include "extension/pg_compat.h"

PG_FUNCTION_INFO_V1(exactsum_in);
PG_FUNCTION_INFO_V1(exactsum_out);
PG_FUNCTION_INFO_V1(exactsum_recv);
PG_FUNCTION_INFO_V1(exactsum_send);

/* What text begins with that has the bytes. */
#define HEX_PREFIX "\\x"

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
		ga_report_damaged_exactsum();
	if ((Pointer) bytes != DatumGetPointer(value))
		pfree(bytes);
	return ga_full_sum(full);
}

/* Return a value of these bytes, in the current context. */
Datum
ga_exactsum_from_bytes(const uint8_t *bytes, size_t n_bytes)
{
	struct varlena *value = palloc(VARHDRSZ + n_bytes);

	SET_VARSIZE(value, VARHDRSZ + n_bytes);
	memcpy(VARDATA(value), bytes, n_bytes);
	return PointerGetDatum(value);
}

/* Return a sum as a value, in the current context. */
Datum
ga_exactsum_datum(const GaExactSum *sum)
{
	uint8_t bytes[GA_EXACT_SUM_MAX_BYTES];

	return ga_exactsum_from_bytes(bytes, ga_exact_sum_serialize(sum, bytes));
}

/*
 * Add a sum to one of full capacity.  Errors: 22003 if they have more inputs
 * than there can be.
 */
void
ga_exactsum_add(GaExactSum *sum, const GaExactSum *other)
{
	if (other->n > GA_EXACT_SUM_MAX_N - sum->n)
		ga_report_many_inputs();
	(void) ga_exact_sum_merge(sum, other);
}

/* Read the bytes in hexadecimal digits; errors go to the context. */
static Datum
from_hex(const char *digits, const char *string, struct Node *context)
{
	uint8_t bytes[GA_EXACT_SUM_MAX_BYTES] = {0};
	const size_t n = strlen(digits);
	size_t n_bytes = 0;
	GaFullSum full;

	if (n <= 2 * GA_EXACT_SUM_MAX_BYTES)
		n_bytes = ga_hex_decode(digits, n, (char *) bytes, context);
	if (ga_soft_error_occurred(context))
		return (Datum) 0;
	if (ga_exact_sum_deserialize(&full, bytes, n_bytes) != GA_OK)
		ga_ereturn(
			context, (Datum) 0,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("invalid input syntax for type %s: \"%s\"", "exactsum",
					string),
			 errdetail("The bytes are no exactsum of a known version."),
			 errhint("A later version of gpuagg may have written it, or it "
					 "was damaged on its way.")));
	return ga_exactsum_from_bytes(bytes, n_bytes);
}

/*
 * Read a number, which is the sum of itself, or bytes that exactsum_out wrote.
 * Errors: 22P02; 22003 for a number beyond the range of double precision.
 */
Datum
exactsum_in(PG_FUNCTION_ARGS)
{
	char *string = PG_GETARG_CSTRING(0);
	struct Node *context = ga_soft_error_context(fcinfo);
	GaFullSum full;
	float8 number;

	if (strncmp(string, HEX_PREFIX, strlen(HEX_PREFIX)) == 0)
		PG_RETURN_DATUM(from_hex(string + strlen(HEX_PREFIX), string, context));
	number = ga_float8_in(string, "exactsum", context);
	if (ga_soft_error_occurred(context))
		PG_RETURN_NULL();
	(void) ga_exact_sum_add(ga_full_sum_init(&full), number);
	PG_RETURN_DATUM(ga_exactsum_datum(ga_full_sum(&full)));
}

/* Write the bytes in hexadecimal digits. */
Datum
exactsum_out(PG_FUNCTION_ARGS)
{
	struct varlena *bytes = PG_GETARG_VARLENA_PP(0);
	const Size n = VARSIZE_ANY_EXHDR(bytes);
	const Size n_prefix = strlen(HEX_PREFIX);
	char *string = palloc(n_prefix + 2 * n + 1);

	memcpy(string, HEX_PREFIX, n_prefix);
	(void) hex_encode(VARDATA_ANY(bytes), n, string + n_prefix);
	string[n_prefix + 2 * n] = '\0';
	PG_RETURN_CSTRING(string);
}

/* Read the bytes.  Errors: 22P03. */
Datum
exactsum_recv(PG_FUNCTION_ARGS)
{
	StringInfo message = (StringInfo) PG_GETARG_POINTER(0);
	const int n = message->len - message->cursor;
	const uint8_t *bytes = (const uint8_t *) pq_getmsgbytes(message, n);
	GaFullSum full;
	GaStatus status = ga_exact_sum_deserialize(&full, bytes, n);

	if (status != GA_OK)
		ga_report_exactsum(status);
	PG_RETURN_DATUM(ga_exactsum_from_bytes(bytes, n));
}

/* Write the bytes. */
Datum
exactsum_send(PG_FUNCTION_ARGS)
{
	StringInfoData message;
	struct varlena *bytes = PG_GETARG_VARLENA_PP(0);

	pq_begintypsend(&message);
	pq_sendbytes(&message, VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
	PG_RETURN_BYTEA_P(pq_endtypsend(&message));
}
