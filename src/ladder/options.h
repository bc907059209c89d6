/*
 * options.h
 *		The command line of gpuagg-ladder.
 */
#ifndef GA_LADDER_OPTIONS_H
#define GA_LADDER_OPTIONS_H

#include "ladder_packet.h"

/* No CUDA device: the rungs are the CPU's. */
#define GA_LADDER_ON_CPU (-1)

typedef struct GaLadderOptions
{
	GaLadderCall call;
	bool lists;		  /* only say which rungs there are */
	const char *rung; /* the name of the only one to run, or NULL */
	int ordinal;	  /* of a CUDA device, or GA_LADDER_ON_CPU */
	int socket;		  /* where packets go; -1: lines go to stdout */
	uint64_t reserve_bytes;
	GaLadderFaults faults;
} GaLadderOptions;

/* Set by ga_ladder_options_parse(), and constant afterwards. */
extern GaLadderOptions ga_ladder_options;

extern const char *ga_ladder_name(GaLadder ladder);
extern void ga_ladder_options_parse(int argc, char **argv);

#endif /* GA_LADDER_OPTIONS_H */
