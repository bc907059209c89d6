/*
 * elements.h
 *		Elements in slots, to be summed by the device.
 */
#ifndef GA_ELEMENTS_H
#define GA_ELEMENTS_H

#include "slots.h"

extern size_t ga_elements_add(GaOwner *owner, void *sum, GaElementType type,
							  const void *data, size_t n, bool is_first);
extern void ga_elements_send(void);

#endif /* GA_ELEMENTS_H */
