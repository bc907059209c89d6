/*
 * ladder_table.h
 *		A gpuaggd with two clients that ask for ladders, and their rows.
 */
#ifndef LADDER_TABLE_H
#define LADDER_TABLE_H

#include "client.h"
#include "ladder/ladder.h"

#define MAX_ROWS 16

/* The rows of a table, and how it ended. */
typedef struct LadderTable
{
	GaLadderRow rows[MAX_ROWS];
	uint32_t n_rows;
	char started[32]; /* the rung that was started last */
	GaReply end;
} LadderTable;

extern Daemon ladder_gpuaggd;
extern Client ladder_client;
extern Client ladder_other; /* has a lease */

extern void ladder_start(const char *option, const char *faults);
extern void ladder_stop(void);
extern GaRequest ladder_request(GaLadder ladder, GaElementType type, uint64_t n,
								uint32_t repeats);
/* One that takes seconds, if it is not ended; each run takes some ms. */
extern GaRequest ladder_long_request(void);
/* The number of gpuaggd's children. */
extern int ladder_n_programs(void);
/* Are there so many children, before so many ms are over? */
extern bool ladder_has_programs(int n, int ms);
/* Take the replies of a ladder that was asked for, in order. */
extern LadderTable ladder_receive(Client *of);
extern LadderTable ladder_call(GaRequest request);
/* A ladder that is short. */
extern LadderTable ladder_call_short(void);
extern void ladder_check(const LadderTable *table, GaLadder ladder,
						 GaElementType type, uint64_t n);

#endif /* LADDER_TABLE_H */
