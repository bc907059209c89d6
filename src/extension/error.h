/*
 * error.h
 *		From a status to an error, all in one room.
 */
#ifndef GA_ERROR_H
#define GA_ERROR_H

#include "element.h"
#include "status.h"

/* Report a status that is not GA_OK, met with a result of this type. */
extern void ga_report(GaStatus status, GaElementType result)
			pg_attribute_noreturn();

/* Go on if a result is there, otherwise report why not. */
static inline void
ga_check(GaStatus status, GaElementType result)
{
	if (unlikely(status != GA_OK))
		ga_report(status, result);
}

extern void ga_report_bad_array(const char *detail) pg_attribute_noreturn();
extern void ga_report_element_type(Oid found, Oid expected)
			pg_attribute_noreturn();
extern void ga_report_not_aggregate(void) pg_attribute_noreturn();

#endif							/* GA_ERROR_H */
