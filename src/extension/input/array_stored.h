/*
 * array_stored.h
 *		Arrays that are stored out of line, read through a buffer.
 */
#ifndef GA_ARRAY_STORED_H
#define GA_ARRAY_STORED_H

#include "array_compressed.h"

/* Bytes of a stored array that are read at a time. */
#define GA_READ_BYTES (256 * 1024)

/* For everybody. */
extern void ga_array_open_stored(GaArray *array,
								 const struct varatt_external *pointer,
								 GaElementType type, GaToastRelation *relation);
extern void ga_array_open_shape(GaArray *array,
								const struct varatt_external *pointer,
								GaElementType type);

/* For array.c and numeric_array.c, which call them for a stored array. */
extern void ga_array_stored_open(GaArray *array,
								 const struct varatt_external *pointer,
								 GaToastRelation *relation, int32 n_first);
extern void ga_array_stored_open_items(GaArray *array,
									   const struct varatt_external *pointer,
									   GaToastRelation *relation);
extern void ga_array_stored_open_part(GaArray *array,
									  const struct varatt_external *pointer,
									  GaPart part, GaToastRelation *relation);
extern void ga_array_stored_decompress(GaArray *array);
extern int ga_array_stored_next_run(GaArray *array, const void **run);
extern void ga_array_stored_read(GaArray *array, int32 at, int32 n, char *to);

#endif /* GA_ARRAY_STORED_H */
