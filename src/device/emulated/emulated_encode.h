/*
 * emulated_encode.h
 *		The form of a packed vector, and its payload.
 */
#ifndef GA_EMULATED_ENCODE_H
#define GA_EMULATED_ENCODE_H

#include "device/device.h"

/*
 * The elements of a vector.  Missing ones of an array's last vector are copies
 * of its first element.
 */
typedef struct GaEmulatedVector
{
	GaElementType type;
	int64_t bits[GA_PACKED_VECTOR]; /* as signed integers of their size */
	double value[GA_PACKED_VECTOR]; /* if they are floats */
} GaEmulatedVector;

extern void ga_emulated_load_vector(GaEmulatedVector *vector,
									GaElementType type, const void *elements,
									uint32_t n);
extern GaPackedCoding ga_emulated_choose_form(const GaEmulatedVector *vector);
extern void ga_emulated_write_payload(const GaEmulatedVector *vector,
									  const GaPackedCoding *coding);

#endif /* GA_EMULATED_ENCODE_H */
