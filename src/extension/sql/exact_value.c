/*
 * exact_value.c
 *		What the types of exact values share: input, output, bytes, addition.
 *
 * gpu_merge adds and takes away by the functions here, which then write to the
 * state where its size stays the same.
 *
 * Bytes are checked by input functions since they may come from anywhere, and
 * by all others since a stored value may be damaged.
 *
 * Called by the files of the types exactsum and exactmoments; keeps nothing.
 */
#include "postgres.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "utils/builtins.h"
#include "utils/float.h"

#include "exact_value.h"
#include "extension/error.h"
#include "extension/pg_compat.h"

/* What text begins with that has the bytes. */
#define HEX_PREFIX "\\x"

/* Return a value of these bytes, in the current context. */
Datum
ga_exact_value(const uint8_t *bytes, size_t n_bytes)
{
	struct varlena *value = palloc(VARHDRSZ + n_bytes);

	SET_VARSIZE(value, VARHDRSZ + n_bytes);
	memcpy(VARDATA(value), bytes, n_bytes);
	return PointerGetDatum(value);
}

/* Read the bytes in hexadecimal digits; errors go to the context. */
static Datum
from_hex(const char *string, const GaExactType *type, struct Node *context)
{
	const char *digits = string + strlen(HEX_PREFIX);
	uint8_t bytes[GA_EXACT_VALUE_MAX_BYTES] = {0};
	const size_t n = strlen(digits);
	size_t n_bytes = 0;

	if (n <= 2 * sizeof(bytes))
		n_bytes = ga_hex_decode(digits, n, (char *) bytes, context);
	if (ga_soft_error_occurred(context))
		return (Datum) 0;
	if (type->check(bytes, n_bytes) != GA_OK)
		ga_ereturn(
			context, (Datum) 0,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("invalid input syntax for type %s: \"%s\"", type->name,
					string),
			 errdetail("The bytes are no %s of a known version.", type->name),
			 errhint("A later version of gpuagg may have written it, "
					 "or it was damaged on its way.")));
	return ga_exact_value(bytes, n_bytes);
}

/*
 * Read a number, or bytes that ga_exact_value_out() wrote.  Errors: 22P02;
 * 22003 for a number beyond the range of double precision.
 */
Datum
ga_exact_value_in(FunctionCallInfo fcinfo, const GaExactType *type)
{
	char *string = PG_GETARG_CSTRING(0);
	struct Node *context = ga_soft_error_context(fcinfo);
	float8 number;

	if (strncmp(string, HEX_PREFIX, strlen(HEX_PREFIX)) == 0)
		PG_RETURN_DATUM(from_hex(string, type, context));
	number = ga_float8_in(string, type->name, context);
	if (ga_soft_error_occurred(context))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(type->of_number(number));
}

/* Write the bytes in hexadecimal digits. */
Datum
ga_exact_value_out(FunctionCallInfo fcinfo)
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
ga_exact_value_recv(FunctionCallInfo fcinfo, const GaExactType *type)
{
	StringInfo message = (StringInfo) PG_GETARG_POINTER(0);
	const int n = message->len - message->cursor;
	const uint8_t *bytes = (const uint8_t *) pq_getmsgbytes(message, n);
	const GaStatus status = type->check(bytes, n);

	if (status != GA_OK)
		ga_report_value(status, type->name);
	PG_RETURN_DATUM(ga_exact_value(bytes, n));
}

/* Write the bytes. */
Datum
ga_exact_value_send(FunctionCallInfo fcinfo)
{
	StringInfoData message;
	struct varlena *bytes = PG_GETARG_VARLENA_PP(0);

	pq_begintypsend(&message);
	pq_sendbytes(&message, VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
	PG_RETURN_BYTEA_P(pq_endtypsend(&message));
}

/*
 * Return the value of both arguments' inputs, or of the left one's without
 * those of the right one (by = -1): in the place of the left one if that is an
 * aggregate's state and has just that size.  False if there can be no such
 * inputs; otherwise *result is set.  Errors: XX001 for a damaged value.
 */
static bool
add(FunctionCallInfo fcinfo, const GaExactType *type, int by, Datum *result)
{
	struct varlena *a = PG_GETARG_VARLENA_PP(0);
	struct varlena *b = PG_GETARG_VARLENA_PP(1);
	uint8_t bytes[GA_EXACT_VALUE_MAX_BYTES];
	size_t n_bytes;
	const GaStatus status =
		type->add((const uint8_t *) VARDATA_ANY(a), VARSIZE_ANY_EXHDR(a),
				  (const uint8_t *) VARDATA_ANY(b), VARSIZE_ANY_EXHDR(b), by,
				  bytes, &n_bytes);

	if (status == GA_OVERFLOW)
		return false;
	if (status != GA_OK)
		ga_report_damaged_value(type->name);
	PG_FREE_IF_COPY(b, 1);
	if (AggCheckCallContext(fcinfo, NULL) && VARATT_IS_4B_U(a) &&
		(Pointer) a == PG_GETARG_POINTER(0) && VARSIZE(a) == VARHDRSZ + n_bytes)
	{
		memcpy(VARDATA(a), bytes, n_bytes);
		*result = PointerGetDatum(a);
		return true;
	}
	PG_FREE_IF_COPY(a, 0);
	*result = ga_exact_value(bytes, n_bytes);
	return true;
}

/* Return the value of the inputs of both.  Errors: 22003 for too many. */
Datum
ga_exact_value_add(FunctionCallInfo fcinfo, const GaExactType *type)
{
	Datum result;

	if (!add(fcinfo, type, 1, &result))
		ga_report_many_inputs(type->name);
	return result;
}

/*
 * Return the value of the left one's inputs without those of the right one.
 * Errors: 22003, with a hint unless it is NULL, if there can be no such inputs.
 */
Datum
ga_exact_value_subtract(FunctionCallInfo fcinfo, const GaExactType *type,
						const char *hint)
{
	Datum result;

	if (!add(fcinfo, type, -1, &result))
		ga_report_not_contained(type->name, hint);
	return result;
}
