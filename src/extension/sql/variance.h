/*
 * variance.h
 *		The states of variances and deviations, and their results.
 */
#ifndef GA_VARIANCE_H
#define GA_VARIANCE_H

#include "fmgr.h"

#include "exact/element.h"
#include "exact/int_moments.h"
#include "exact/moments.h"

/* What is made of moments; users call some by two names. */
typedef enum GaDispersion
{
	GA_var_samp,
	GA_var_pop,
	GA_stddev_samp,
	GA_stddev_pop
} GaDispersion;

/* Does it need two inputs? */
static inline bool
ga_dispersion_is_of_sample(GaDispersion dispersion)
{
	return dispersion == GA_var_samp || dispersion == GA_stddev_samp;
}

/* Is it the square root of a variance? */
static inline bool
ga_dispersion_is_root(GaDispersion dispersion)
{
	return dispersion == GA_stddev_samp || dispersion == GA_stddev_pop;
}

extern GaIntMoments *ga_int_moments_create(FunctionCallInfo fcinfo);
extern Datum ga_int_moments_result(FunctionCallInfo fcinfo,
								   const GaIntMoments *moments,
								   GaDispersion dispersion);
extern Datum ga_float_moments_result(FunctionCallInfo fcinfo,
									 const GaMoments *moments,
									 GaDispersion dispersion);

/* Return the state in argument 0, or a new one in the aggregate's context. */
static inline GaIntMoments *
ga_int_moments_arg(FunctionCallInfo fcinfo)
{
	if (likely(!PG_ARGISNULL(0)))
		return (GaIntMoments *) PG_GETARG_POINTER(0);
	return ga_int_moments_create(fcinfo);
}

#endif /* GA_VARIANCE_H */
