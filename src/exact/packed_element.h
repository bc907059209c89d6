/*
 * packed_element.h
 *		Decoding elements of packed arrays on the host.
 *
 * For packed arrays whose headers and payloads are in the memory of this
 * process: addresses are pointers.  packed.h has the format.
 */
#ifndef GA_PACKED_ELEMENT_H
#define GA_PACKED_ELEMENT_H

#include "element.h"
#include "packed_decimal.h"

extern const GaPackedScale ga_packed_scales[GA_PACKED_MAX_PLACES + 1];

extern void ga_packed_element(uint64_t address, GaElementType type, void *to);
extern void ga_packed_elements(uint64_t address, uint64_t n, GaElementType type,
							   void *to);

#endif /* GA_PACKED_ELEMENT_H */
