/*
 * emulated_ladder.h
 *		The rungs of the emulated device.
 */
#ifndef GA_EMULATED_LADDER_H
#define GA_EMULATED_LADDER_H

#include "device/device.h"

/* A rung at work. */
typedef struct GaEmulatedRung GaEmulatedRung;

/* What comes after a piece of it. */
typedef enum GaEmulatedNext
{
	GA_EMULATED_GOES_ON,  /* the next piece */
	GA_EMULATED_NEXT_RUN, /* the same, of another run: a launch */
	GA_EMULATED_DONE
} GaEmulatedNext;

extern uint32_t ga_emulated_rungs(GaLadder ladder, const GaRung **rungs);
extern GaStatus ga_emulated_rung_begin(GaDevice *device, GaRungRequest *request,
									   GaEmulatedRung **rung,
									   GaDeviceFailure *failure);
extern GaEmulatedNext ga_emulated_rung_advance(GaEmulatedRung *rung);
extern void ga_emulated_rung_end(GaEmulatedRung *rung);

#endif /* GA_EMULATED_LADDER_H */
