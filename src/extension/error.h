/*
 * error.h
 *		Errors, from a status or for a reason.
 */
#ifndef GA_ERROR_H
#define GA_ERROR_H

#include "exact/element.h"
#include "pg_compat.h"
#include "exact/status.h"

/* Report a status that is not GA_OK, met with a result of this type. */
GA_NORETURN extern void ga_report(GaStatus status, GaElementType result);

/* Return if the status is GA_OK, otherwise report it. */
static inline void
ga_check(GaStatus status, GaElementType result)
{
	if (unlikely(status != GA_OK))
		ga_report(status, result);
}

GA_NORETURN extern void ga_report_value(GaStatus status, const char *type);
GA_NORETURN extern void ga_report_damaged_value(const char *type);
GA_NORETURN extern void ga_report_many_inputs(const char *type);
GA_NORETURN extern void ga_report_not_contained(const char *type,
												const char *hint);
GA_NORETURN extern void ga_report_variance_overflow(void);
GA_NORETURN extern void ga_report_bad_array(const char *detail);
GA_NORETURN extern void ga_report_shapes(const char *one, const char *other);
GA_NORETURN extern void ga_report_unlike_arrays(int n_one, int n_dims_one,
												int n_other, int n_dims_other);
GA_NORETURN extern void ga_report_element_type(Oid found, Oid expected);
GA_NORETURN extern void ga_report_not_aggregate(void);
GA_NORETURN extern void ga_report_other_version(const char *version);
GA_NORETURN extern void
ga_report_no_device(const char *reason, const char *detail, bool is_upgraded);
GA_NORETURN extern void ga_report_no_ladder(const char *reason,
											const char *detail, bool is_set);
GA_NORETURN extern void ga_report_not_cleared(const char *reason,
											  const char *detail);
GA_NORETURN extern void ga_report_rung(const char *name, const char *reason,
									   bool is_memory, const char *detail);

#endif /* GA_ERROR_H */
