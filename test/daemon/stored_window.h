/*
 * stored_window.h
 *		Values of windows over stored arrays, as a backend asks for them.
 */
#ifndef STORED_WINDOW_H
#define STORED_WINDOW_H

#include "stored.h"

/* What no value has in each of its bytes. */
#define STORED_UNTOUCHED 0xa5

/* A request for all windows over a part of an array. */
extern GaRequest stored_windows(const StoredArray *array, uint32_t slot,
								GaElemForm form, GaWindows windows,
								uint32_t from);
/* Send it; its slot is untouched. */
extern void stored_send_windows(Client *client, const GaRequest *request);

/* Compare the values of a request about an array, one in some of them. */
extern void stored_check_array_values(const GaRequest *request,
									  const StoredArray *array,
									  const uint64_t *values);
/* Likewise, of a slot with n values in all; all windows have one. */
extern void stored_check_values(Client *client, const GaRequest *request,
								const StoredArray *array, uint32_t n);

#endif /* STORED_WINDOW_H */
