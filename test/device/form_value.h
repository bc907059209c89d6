/*
 * form_value.h
 *		The value that a device makes of elements, by the CPU.
 */
#ifndef FORM_VALUE_H
#define FORM_VALUE_H

#include "exact/elem_form.h"

/*
 * Return the bits of the value of n elements, of a form that is no record;
 * false if it is out of range, or not finite where it has to be.
 */
extern bool form_value(GaElementType type, GaElemForm form, const void *data,
					   size_t n, uint64_t *bits);

#endif /* FORM_VALUE_H */
