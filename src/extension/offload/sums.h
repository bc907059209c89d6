/*
 * sums.h
 *		Arrays whose elements are sent to the device, to be summed.
 */
#ifndef GA_SUMS_H
#define GA_SUMS_H

#include "slots.h"

extern void ga_sums_add_array(GaOwner *owner, void *sum, GaElementType type,
							  Datum array, GaPart part);
extern void ga_sums_add_element(GaOwner *owner, void *sum, GaElementType type,
								const void *element);

#endif /* GA_SUMS_H */
