/*
 * toast_read.h
 *		A value's chunks, page by page.
 */
#ifndef GA_TOAST_READ_H
#define GA_TOAST_READ_H

#include "toast_chunk.h"

extern bool ga_toast_read_pages(GaChunkReader *reader);

#endif /* GA_TOAST_READ_H */
