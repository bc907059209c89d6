/*
 * ladder_command.h
 *		The command line of gpuagg-ladder.
 */
#ifndef GA_LADDER_COMMAND_H
#define GA_LADDER_COMMAND_H

#include "ladder/ladder.h"

#define GA_LADDER_PROGRAM "gpuagg-ladder"

/* The descriptor by which the program sends packets. */
#define GA_LADDER_SOCKET 3

/* The arguments of the program: at most so many, of so many bytes. */
#define GA_LADDER_MAX_WORDS	 12
#define GA_LADDER_WORD_BYTES 40

typedef struct GaLadderCommand
{
	char path[4096];
	char words[GA_LADDER_MAX_WORDS][GA_LADDER_WORD_BYTES];
	char *argv[GA_LADDER_MAX_WORDS + 2];
	int n;
} GaLadderCommand;

extern void ga_ladder_command(GaLadderCommand *command,
							  const GaLadderCall *call);

#endif /* GA_LADDER_COMMAND_H */
