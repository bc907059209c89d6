/*
 * float_pair_state.h
 *		The aggregate states of two exact sums of floats: moments, products.
 *
 * They differ in their serialized forms, by which these functions are told what
 * they are of.
 */
#ifndef GA_FLOAT_PAIR_STATE_H
#define GA_FLOAT_PAIR_STATE_H

#include "aggregate.h"
#include "extension/engine/float_pair.h"

/* A state's canonical form: writing it, and reading it. */
typedef struct GaFloatPairForm
{
	size_t (*serialize)(const GaSumPair *pair, uint8_t *bytes);
	GaStatus (*deserialize)(GaFullSumPair *full, const uint8_t *bytes,
							size_t n_bytes);
	Size max_bytes;
} GaFloatPairForm;

extern Datum ga_float_pair_combine(FunctionCallInfo fcinfo);
extern Datum ga_float_pair_serialize(FunctionCallInfo fcinfo,
									 const GaFloatPairForm *form);
extern Datum ga_float_pair_deserialize(FunctionCallInfo fcinfo,
									   const GaFloatPairForm *form);

/* Return the state in argument 0, or a new one in the aggregate's context. */
static inline GaSumPair *
ga_float_pair_arg(FunctionCallInfo fcinfo)
{
	if (likely(!PG_ARGISNULL(0)))
		return (GaSumPair *) PG_GETARG_POINTER(0);
	return ga_float_pair_create(ga_aggregate_context(fcinfo), 0);
}

#endif /* GA_FLOAT_PAIR_STATE_H */
