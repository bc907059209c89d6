/*
 * array_compressed.h
 *		Compressed arrays, decompressed as far as they are needed.
 */
#ifndef GA_ARRAY_COMPRESSED_H
#define GA_ARRAY_COMPRESSED_H

#include "array_format.h"

extern void ga_array_compressed_open(GaArray *array);
extern void ga_array_decompress_part(GaArray *array);

#endif /* GA_ARRAY_COMPRESSED_H */
