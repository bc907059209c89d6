/*
 * ladder_table.c
 *		A gpuaggd with two clients that ask for ladders, and their rows.
 */
#include <stdio.h>
#include <string.h>

#include "ladder_table.h"
#include "tap.h"

Daemon ladder_gpuaggd;
Client ladder_client;
Client ladder_other;

void
ladder_start(const char *option, const char *faults)
{
	daemon_start(&ladder_gpuaggd, "--staging-size=16", option ? option : faults,
				 option ? faults : NULL, NULL);
	client_open(&ladder_client, &ladder_gpuaggd);
	client_open(&ladder_other, &ladder_gpuaggd);
	client_lease(&ladder_other, false);
	tap_check(client_sum_one(&ladder_other, 0, 2) == GA_OK, "no sum");
}

void
ladder_stop(void)
{
	client_close(&ladder_client);
	client_close(&ladder_other);
	daemon_stop(&ladder_gpuaggd);
}

GaRequest
ladder_request(GaLadder ladder, GaElementType type, uint64_t n,
			   uint32_t repeats)
{
	return (GaRequest){
		.opcode = GA_LADDER,
		.u.ladder = {
			.ladder = ladder, .type = type, .repeats = repeats, .n = n}};
}

/* One that takes seconds, if it is not ended; each run takes some ms. */
GaRequest
ladder_long_request(void)
{
	return ladder_request(GA_LADDER_SCAN, GA_float8,
						  UINT64_C(1) << (daemon_is_emulated() ? 24 : 26),
						  GA_LADDER_REPEATS);
}

/* The number of gpuaggd's children. */
int
ladder_n_programs(void)
{
	char path[64];
	int pid;
	int n = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children",
			 ladder_gpuaggd.pid, ladder_gpuaggd.pid);
	file = fopen(path, "r");
	while (file != NULL && fscanf(file, "%d", &pid) == 1)
		n++;
	if (file != NULL)
		fclose(file);
	return n;
}

/* Are there so many children, before so many ms are over? */
bool
ladder_has_programs(int n, int ms)
{
	const double start_ms = now_ms();
	bool has;

	/* one look decides: the next may find that another was started */
	while (!(has = ladder_n_programs() == n) && now_ms() - start_ms < ms)
		sleep_ms(1);
	return has;
}

/* Take the replies of a ladder that was asked for, in order. */
LadderTable
ladder_receive(Client *of)
{
	LadderTable table = {.n_rows = 0};
	bool is_started = false;

	do
	{
		const GaLadderRow *row = &table.end.u.ladder.row;

		memset(&table.end, 0, sizeof(table.end));
		if (!client_receive(of, &table.end))
		{
			tap_check(false, "no reply");
			break;
		}
		tap_check(table.end.opcode == GA_LADDER, "operation %u",
				  table.end.opcode);
		switch (table.end.u.ladder.event)
		{
			case GA_LADDER_STARTS:
				tap_check(!is_started, "%s and %s at once", table.started,
						  row->rung.name);
				snprintf(table.started, sizeof(table.started), "%.31s",
						 row->rung.name);
				is_started = true;
				break;
			case GA_LADDER_ROW:
				tap_check(is_started && table.n_rows < MAX_ROWS &&
							  strcmp(table.started, row->rung.name) == 0,
						  "a row of %s", row->rung.name);
				table.rows[table.n_rows++ % MAX_ROWS] = *row;
				is_started = false;
				break;
			default:
				tap_check(table.end.u.ladder.event == GA_LADDER_END, "event %u",
						  table.end.u.ladder.event);
		}
	} while (table.end.u.ladder.event != GA_LADDER_END);
	tap_check((table.end.status == GA_OK) == (table.end.reason[0] == '\0'),
			  "status %d, reason %s", table.end.status, table.end.reason);
	return table;
}

LadderTable
ladder_call(GaRequest request)
{
	client_send(&ladder_client, &request);
	return ladder_receive(&ladder_client);
}

/* A ladder that is short. */
LadderTable
ladder_call_short(void)
{
	return ladder_call(ladder_request(GA_LADDER_SCAN, GA_int4, 1000, 2));
}

/* A row says of itself what is consistent, and its result is right. */
static void
check_row(const GaLadderRow *row, GaElementType type, uint64_t n)
{
	const GaRung *rung = &row->rung;
	/* of n rounded additions, each of a sum that is at most n */
	const double most = type == GA_float4 ? (double) n * n * 0x1p-24 :
						type == GA_float8 ? (double) n * n * 0x1p-53 :
											0;

	tap_check(rung->name[0] != '\0' && rung->title[0] != '\0' &&
				  (rung->types >> type & 1) != 0 && rung->passes >= 1 &&
				  rung->passes <= 2,
			  "%s: types %x", rung->name, (unsigned) rung->types);
	tap_check(row->ms > 0, "%s of %s: %g ms", rung->name, ga_element_name(type),
			  row->ms);
	tap_check(rung->is_exact ? row->max_error == 0 :
							   row->max_error >= 0 && row->max_error <= most,
			  "%s of %s: error %g", rung->name, ga_element_name(type),
			  row->max_error);
	tap_check(row->same_bits || !(rung->is_exact || most == 0),
			  "%s of %s: other bits", rung->name, ga_element_name(type));
}

void
ladder_check(const LadderTable *table, GaLadder ladder, GaElementType type,
			 uint64_t n)
{
	uint32_t n_steps = 0;
	uint32_t i;

	tap_check(table->end.status == GA_OK, "status %d: %s", table->end.status,
			  table->end.reason);
	for (i = 0; i < table->n_rows; i++)
	{
		const GaRung *rung = &table->rows[i].rung;

		check_row(&table->rows[i], type, n);
		tap_check((i == 0) == (strcmp(rung->name, "cpu") == 0) &&
					  (i == 1) == (strcmp(rung->name, "copy") == 0),
				  "row %u is %s", i, rung->name);
		tap_check(i > 1 || !rung->is_step, "%s is a step", rung->name);
		tap_check(rung->passes == 2 || ladder == GA_LADDER_REDUCE, "%u passes",
				  rung->passes);
		n_steps += rung->is_step;
	}
	tap_check(table->n_rows >= 4 && n_steps >= 1, "%u rows, %u steps",
			  table->n_rows, n_steps);
}
