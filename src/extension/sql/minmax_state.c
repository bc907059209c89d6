/*
 * minmax_state.c
 *		The state of gpu_min and gpu_max over arrays: an element, or none yet.
 *
 * It is in the aggregate's memory context and does not move, since the device
 * may add to it later; it has no pointers, and the final functions leave it
 * unchanged.
 *
 * Serialized form: version, type, whether it is the largest, whether there is
 * an element, a byte each; then, if there is, 8 bytes in network byte order: an
 * integer, or the bits of a double.
 */
#include "postgres.h"

#include "aggregate.h"
#include "exact/bytes.h"
#include "extension/element_datum.h"
#include "minmax.h"

#define STATE_VERSION	 1
#define STATE_HEAD_BYTES 4
#define STATE_MAX_BYTES	 (STATE_HEAD_BYTES + 8)

PG_FUNCTION_INFO_V1(gpu_extremum_combine);
PG_FUNCTION_INFO_V1(gpu_extremum_serialize);
PG_FUNCTION_INFO_V1(gpu_extremum_deserialize);

/* Create a state of no elements. */
GaExtremum *
ga_extremum_create(MemoryContext context, GaElementType type, bool is_max)
{
	GaExtremum *extremum = MemoryContextAlloc(context, sizeof(GaExtremum));

	ga_extremum_init(extremum, type, is_max);
	return extremum;
}

/*
 * Take the second state into the first; the second stays as it is.  Errors:
 * 22P03 if they are of different types, or ends.
 */
Datum
gpu_extremum_combine(PG_FUNCTION_ARGS)
{
	GaExtremum *extremum =
		PG_ARGISNULL(0) ? NULL : (GaExtremum *) PG_GETARG_POINTER(0);
	const GaExtremum *other;

	ga_aggregate_finish(fcinfo);
	if (PG_ARGISNULL(1))
	{
		if (extremum == NULL)
			PG_RETURN_NULL();
		PG_RETURN_POINTER(extremum);
	}
	other = (const GaExtremum *) PG_GETARG_POINTER(1);
	if (extremum == NULL)
		extremum = ga_extremum_create(ga_aggregate_context(fcinfo), other->type,
									  other->is_max);
	if (extremum->type != other->type || extremum->is_max != other->is_max)
		ga_report(GA_BAD_STATE, other->type);
	ga_extremum_merge(extremum, other);
	PG_RETURN_POINTER(extremum);
}

/* Return the state in its serialized form. */
Datum
gpu_extremum_serialize(PG_FUNCTION_ARGS)
{
	const GaExtremum *extremum = (const GaExtremum *) PG_GETARG_POINTER(0);
	bytea *result = palloc(VARHDRSZ + STATE_MAX_BYTES);
	uint8 *to = (uint8 *) VARDATA(result);

	ga_aggregate_finish(fcinfo);
	*to++ = STATE_VERSION;
	*to++ = extremum->type;
	*to++ = extremum->is_max;
	*to++ = extremum->is_set;
	if (extremum->is_set)
		to = ga_put_int64(to, extremum->value.as_int);
	SET_VARSIZE(result, (char *) to - (char *) result);
	PG_RETURN_BYTEA_P(result);
}

/*
 * Create a state from its serialized form, in the current context.  Errors:
 * 22P03 for bytes that are none.
 */
Datum
gpu_extremum_deserialize(PG_FUNCTION_ARGS)
{
	bytea *bytes = PG_GETARG_BYTEA_PP(0);
	const uint8 *from = (const uint8 *) VARDATA_ANY(bytes);
	const Size n = VARSIZE_ANY_EXHDR(bytes);
	GaExtremum *extremum;

	if (n > 0 && from[0] != STATE_VERSION)
		ga_report(GA_BAD_VERSION, GA_int8);
	if (n < STATE_HEAD_BYTES || from[1] >= GA_N_ELEMENT_TYPES || from[2] > 1 ||
		from[3] > 1 || n != (from[3] ? STATE_MAX_BYTES : STATE_HEAD_BYTES))
		ga_report(GA_BAD_STATE, GA_int8);
	extremum = ga_extremum_create(CurrentMemoryContext, (GaElementType) from[1],
								  from[2] != 0);
	extremum->is_set = from[3] != 0;
	from += STATE_HEAD_BYTES;
	if (extremum->is_set)
		extremum->value.as_int = ga_get_int64(&from);
	if (!ga_extremum_is_valid(extremum))
		ga_report(GA_BAD_STATE, extremum->type);
	PG_RETURN_POINTER(extremum);
}

/* element_int2(extremum): the element in a state, which has one. */
#define X(name, family, ctype)                              \
	static inline ctype element_##name(const GaExtremum *e) \
	{                                                       \
		return (ctype) e->value.as_##family;                \
	}
GA_ELEMENT_TYPES(X)
#undef X

/* Return the element of a state, which has one. */
Datum
ga_extremum_datum(const GaExtremum *extremum)
{
	switch (extremum->type)
	{
#define X(name, ctype, macro, oid, total_oid) \
	case GA_##name:                           \
		return macro##GetDatum(element_##name(extremum));
		GA_ELEMENT_DATUMS(X)
#undef X
		default:
			Assert(false);
			return (Datum) 0;
	}
}

/* Return the element of a state as a result; NULL without one. */
Datum
ga_extremum_result(FunctionCallInfo fcinfo, const GaExtremum *extremum)
{
	if (extremum == NULL || !extremum->is_set)
		PG_RETURN_NULL();
	return ga_extremum_datum(extremum);
}

#define X(name, family, ctype)               \
	GA_FUNCTION(gpu_extremum_##name##_final, \
				ga_extremum_result(fcinfo, ga_aggregate_final_arg(fcinfo)))
GA_ELEMENT_TYPES(X)
#undef X
