/*
 * exactmoments.c
 *		The SQL type exactmoments: input, output, and exact arithmetic.
 *
 * The type is plain bytes (moments.h); exact_value.c has what it shares with
 * other types.  The same inputs give the same bytes, so that equality, order and
 * hashing are those of bytea.
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

static const GaExactType type = {"exactmoments", check,
								 ga_exactmoments_of_float};

/* Read bytes as ga_exactmoments_read() does. */
static GaMoments *
read_bytes(const struct varlena *bytes, GaFullSumPair *full)
{
	if (ga_moments_deserialize(full, (const uint8_t *) VARDATA_ANY(bytes),
							   VARSIZE_ANY_EXHDR(bytes)) != GA_OK)
		ga_report_damaged_value(type.name);
	return ga_full_sum_pair(full);
}

/*
 * Read a value into the caller's buffer; returns the moments there, which have
 * full size.  Errors: XX001 for one that is damaged.
 */
GaMoments *
ga_exactmoments_read(Datum value, GaFullSumPair *full)
{
	struct varlena *bytes = PG_DETOAST_DATUM_PACKED(value);
	GaMoments *moments = read_bytes(bytes, full);

	if ((Pointer) bytes != DatumGetPointer(value))
		pfree(bytes);
	return moments;
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
 * Return moments: in the place of argument 0 if that is an aggregate's state and
 * has just their size.
 */
static Datum
return_sum(FunctionCallInfo fcinfo, struct varlena *a, const uint8_t *bytes,
		   size_t n_bytes)
{
	if (AggCheckCallContext(fcinfo, NULL) && VARATT_IS_4B_U(a) &&
		(Pointer) a == PG_GETARG_POINTER(0) && VARSIZE(a) == VARHDRSZ + n_bytes)
	{
		memcpy(VARDATA(a), bytes, n_bytes);
		return PointerGetDatum(a);
	}
	PG_FREE_IF_COPY(a, 0);
	return ga_exact_value(bytes, n_bytes);
}

/* Return the moments of the inputs of both.  Errors: 22003 for too many. */
Datum
exactmoments_add(PG_FUNCTION_ARGS)
{
	struct varlena *a = PG_GETARG_VARLENA_PP(0);
	GaFullSumPair left, right;
	GaMoments *sum = read_bytes(a, &left);
	const GaMoments *other = ga_exactmoments_read(PG_GETARG_DATUM(1), &right);
	uint8_t bytes[GA_MOMENTS_MAX_BYTES];

	if (ga_moments_n(other) > GA_EXACT_SUM_MAX_N - ga_moments_n(sum))
		ga_report_many_inputs(type.name);
	(void) ga_sum_pair_merge(sum, other);
	return return_sum(fcinfo, a, bytes, ga_moments_serialize(sum, bytes));
}

/*
 * Return the moments of the left one's inputs without those of the right one.
 * Errors: 22003 if there can be no such inputs.
 */
Datum
exactmoments_subtract(PG_FUNCTION_ARGS)
{
	struct varlena *a = PG_GETARG_VARLENA_PP(0);
	GaFullSumPair left, right;
	GaMoments *rest = read_bytes(a, &left);
	uint8_t bytes[GA_MOMENTS_MAX_BYTES];
	size_t n_bytes;

	(void) ga_sum_pair_unmerge(
		rest, ga_exactmoments_read(PG_GETARG_DATUM(1), &right));
	n_bytes = ga_moments_serialize(rest, bytes);
	if (check(bytes, n_bytes) != GA_OK)
		ga_report_not_contained(type.name, NULL);
	return return_sum(fcinfo, a, bytes, n_bytes);
}
