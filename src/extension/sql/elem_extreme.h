/*
 * elem_extreme.h
 *		The aggregate state of least or greatest elements by position.
 */
#ifndef GA_ELEM_EXTREME_H
#define GA_ELEM_EXTREME_H

#include "fmgr.h"

#include "cpu/cpu_elem.h"
#include "engine_elem.h"
#include "exact/extreme.h"

typedef struct GaExtremeState
{
	GaElementType type;
	bool is_max;
	bool has_shape; /* without an array it has none */
	GaArrayShape shape;
	MemoryContext context;
	char *keys;	  /* of the positions; integers of the elements' size; NULL
				   * before an array was taken */
	bool *unseen; /* positions with nothing but NULLs; NULL: there are none */
	GaElemNoted noted;
} GaExtremeState;

/* An element of any type. */
typedef union GaElement
{
	int16 int2;
	int32 int4;
	int64 int8;
	float4 float4;
	float8 float8;
} GaElement;

/* Return the element that NULLs are filled with: any other is taken before. */
static inline GaElement
ga_extreme_fill(GaElementType type, bool is_max)
{
	GaElement element = {.int8 = 0};

	ga_extreme_neutral(type, is_max, &element);
	return element;
}

/* Return an element's key. */
static inline GaElement
ga_extreme_key(GaElementType type, GaElement element)
{
	if (type == GA_float4)
		element.int4 = ga_float4_key(element.int4);
	else if (type == GA_float8)
		element.int8 = ga_float8_key(element.int8);
	return element;
}

/* Return the form of the device's results. */
static inline GaElemForm
ga_extreme_form(const GaExtremeState *state)
{
	return state->is_max ? GA_FORM_MAX : GA_FORM_MIN;
}

extern GaExtremeState *ga_extreme_create(MemoryContext context,
										 GaElementType type, bool is_max);
extern void ga_extreme_set_shape(GaExtremeState *state,
								 const GaArrayShape *shape, bool is_unseen);
extern void ga_extreme_need_keys(GaExtremeState *state);
extern GaExtremeState *ga_extreme_state_arg(FunctionCallInfo fcinfo, int i);

extern Datum ga_extreme_accum(FunctionCallInfo fcinfo, GaElementType type,
							  bool is_max);
extern int ga_extreme_n_unseen(const GaExtremeState *state);

#endif /* GA_ELEM_EXTREME_H */
