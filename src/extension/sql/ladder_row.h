/*
 * ladder_row.h
 *		Rungs of the ladder that were measured, for the rows of ladder.c.
 */
#ifndef GA_LADDER_ROW_H
#define GA_LADDER_ROW_H

#include "ladder/ladder.h"

/* What is asked for. */
typedef struct GaLadderCall
{
	GaLadder ladder;
	GaElementType type;
	uint64 n;
	uint32 repeats;
	bool managed; /* those on managed memory, too */
} GaLadderCall;

typedef struct GaLadderRow
{
	GaRung rung;
	double ms; /* the median run */
	double max_error;
	bool same_bits;
} GaLadderRow;

extern void ga_ladder_cpu_row(const GaLadderCall *call, GaLadderRow *row);
extern void ga_ladder_open_device(void);
extern bool ga_ladder_device_row(const GaLadderCall *call, uint32 *next,
								 GaLadderRow *row);

#endif /* GA_LADDER_ROW_H */
