/*
 * exact_value.h
 *		What the types of exact values share: input, output, bytes, addition.
 *
 * Such a type is plain bytes, which are canonical and checked whenever they are
 * read.  Its text is those bytes in hexadecimal digits, or a number.
 */
#ifndef GA_EXACT_VALUE_H
#define GA_EXACT_VALUE_H

#include "fmgr.h"

#include "exact/status.h"

/* No value of a type has more bytes. */
#define GA_EXACT_VALUE_MAX_BYTES 2048

typedef struct GaExactType
{
	const char *name;
	GaStatus (*check)(const uint8_t *bytes, size_t n_bytes);
	Datum (*of_number)(double x);

	/*
	 * Write the value of the inputs of both, or of a's without b's (by =
	 * -1).  GA_OVERFLOW if there can be no such inputs.
	 */
	GaStatus (*add)(const uint8_t *a, size_t n_a, const uint8_t *b, size_t n_b,
					int by, uint8_t *bytes, size_t *n_bytes);
} GaExactType;

extern Datum ga_exact_value(const uint8_t *bytes, size_t n_bytes);
extern Datum ga_exact_value_in(FunctionCallInfo fcinfo,
							   const GaExactType *type);
extern Datum ga_exact_value_recv(FunctionCallInfo fcinfo,
								 const GaExactType *type);
extern Datum ga_exact_value_out(FunctionCallInfo fcinfo);
extern Datum ga_exact_value_send(FunctionCallInfo fcinfo);
extern Datum ga_exact_value_add(FunctionCallInfo fcinfo,
								const GaExactType *type);
extern Datum ga_exact_value_subtract(FunctionCallInfo fcinfo,
									 const GaExactType *type, const char *hint);

#endif /* GA_EXACT_VALUE_H */
