/*
 * product_state.h
 *		The aggregate states of sums of products.
 *
 * The state of integers is a GaIntProducts, that of floats a GaSumPair: the sum
 * of the second factors, and of the products.
 */
#ifndef GA_PRODUCT_STATE_H
#define GA_PRODUCT_STATE_H

#include "fmgr.h"

#include "exact/element.h"
#include "exact/int_products.h"
#include "exact/weighted_sum.h"

/* What is made of a state. */
typedef enum GaProductResult
{
	GA_PRODUCT_SUM, /* the sum of products */
	GA_PRODUCT_MEAN /* divided by the sum of the second factors */
} GaProductResult;

extern GaIntProducts *ga_int_products_arg(FunctionCallInfo fcinfo);
extern Datum ga_int_products_result(FunctionCallInfo fcinfo,
									const GaIntProducts *sum,
									GaElementType type, GaProductResult result);
extern Datum ga_float_products_result(FunctionCallInfo fcinfo,
									  const GaSumPair *pair, GaElementType type,
									  GaProductResult result);

#endif /* GA_PRODUCT_STATE_H */
