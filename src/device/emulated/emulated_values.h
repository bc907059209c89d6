/*
 * emulated_values.h
 *		Results by position and of windows, by the CPU engine.
 */
#ifndef GA_EMULATED_VALUES_H
#define GA_EMULATED_VALUES_H

#include "device/device.h"

/* What one result is made of; at least one element. */
typedef struct GaEmulatedInputs
{
	uint32_t n;

	/* Copy n inputs, from one on. */
	void (*copy)(const struct GaEmulatedInputs *inputs, uint32_t first,
				 uint32_t n, char *to);
	const void *request;
	const GaDeviceAddress *arrays; /* of a piece, of sums by position */
	uint64_t at; /* by position: bytes from there; else the first element */
} GaEmulatedInputs;

/* Where the next result is written: a record, or a value. */
typedef struct GaEmulatedResults
{
	GaPartialSum *record;
	uint64_t *value;
	uint64_t n_refused;
} GaEmulatedResults;

extern void ga_emulated_put(GaElementType type, GaElemForm form,
							const GaEmulatedInputs *inputs,
							GaEmulatedResults *to);
extern uint64_t ga_emulated_extreme(GaElementType type, GaElemForm form,
									uint64_t a, uint64_t b);
extern bool ga_emulated_delta(GaElementType type, const char *elements,
							  uint64_t *value);

#endif /* GA_EMULATED_VALUES_H */
