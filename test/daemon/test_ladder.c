/*
 * test_ladder.c
 *		Ladders through gpuaggd: their rows, what is refused, and that nothing
 *		of gpuagg-ladder outlives its session, or disturbs another.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client.h"
#include "ladder/ladder.h"
#include "tap.h"

#define MAX_ROWS 16

/* The rows of a table, and how it ended. */
typedef struct Table
{
	GaLadderRow rows[MAX_ROWS];
	uint32_t n_rows;
	char started[32]; /* the rung that was started last */
	GaReply end;
} Table;

static Daemon gpuaggd;
static Client client;
static Client other;

static void
start(const char *option, const char *faults)
{
	daemon_start(&gpuaggd, "--staging-size=16", option ? option : faults,
				 option ? faults : NULL, NULL);
	client_open(&client, &gpuaggd);
	client_open(&other, &gpuaggd);
	client_lease(&other, false);
	tap_check(client_sum_one(&other, 0, 2) == GA_OK, "no sum");
}

static void
stop(void)
{
	client_close(&client);
	client_close(&other);
	daemon_stop(&gpuaggd);
}

static GaRequest
ladder_request(GaLadder ladder, GaElementType type, uint64_t n,
			   uint32_t repeats)
{
	return (GaRequest){
		.opcode = GA_LADDER,
		.u.ladder = {
			.ladder = ladder, .type = type, .repeats = repeats, .n = n}};
}

/* One that takes seconds, if it is not ended; each run takes some ms. */
static GaRequest
long_request(void)
{
	return ladder_request(GA_LADDER_SCAN, GA_float8,
						  UINT64_C(1) << (daemon_is_emulated() ? 24 : 26),
						  GA_LADDER_REPEATS);
}

/* The number of gpuaggd's children. */
static int
n_programs(void)
{
	char path[64];
	int pid;
	int n = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", gpuaggd.pid,
			 gpuaggd.pid);
	file = fopen(path, "r");
	while (file != NULL && fscanf(file, "%d", &pid) == 1)
		n++;
	if (file != NULL)
		fclose(file);
	return n;
}

/* Are there so many children, before so many ms are over? */
static bool
has_programs(int n, int ms)
{
	const double start_ms = now_ms();

	while (n_programs() != n && now_ms() - start_ms < ms)
		sleep_ms(1);
	return n_programs() == n;
}

/* Take the replies of a ladder that was asked for, in order. */
static Table
take_table(Client *of)
{
	Table table = {.n_rows = 0};
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

static Table
call(GaRequest request)
{
	client_send(&client, &request);
	return take_table(&client);
}

/* A ladder that is short. */
static Table
call_short(void)
{
	return call(ladder_request(GA_LADDER_SCAN, GA_int4, 1000, 2));
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

static void
check_table(const Table *table, GaLadder ladder, GaElementType type, uint64_t n)
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

/* All types and some lengths; only one where each starts a CUDA context. */
static void
test_rows(void)
{
	static const uint64_t lengths[] = {300000, 1, 1000, (1 << 20) - 1,
									   (1 << 20) + 1};
	GaLadder ladder;

	tap_begin("ladders of all types");
	start(NULL, NULL);
	for (ladder = 0; ladder < GA_N_LADDERS; ladder++)
	{
		unsigned type;
		int i;

		for (type = 0; type < GA_N_ELEMENT_TYPES; type++)
		{
			if ((GA_LADDER_ALL_TYPES >> type & 1) == 0)
				continue;
			for (i = 0; i < (daemon_is_emulated() ? 5 : 1); i++)
			{
				Table table =
					call(ladder_request(ladder, type, lengths[i], 1 + i % 3));

				check_table(&table, ladder, type, lengths[i]);
			}
		}
	}
	tap_check(has_programs(0, 2000), "a program is left");
	stop();
	tap_end();
}

/* The serial loop rounds, and that is seen. */
static void
test_rounds(void)
{
	Table table;

	tap_begin("an error is an error");
	start(NULL, NULL);
	table = call(ladder_request(GA_LADDER_SCAN, GA_float4, 1 << 20, 3));
	tap_check(table.rows[0].max_error > 0, "none");
	stop();
	tap_end();
}

/* A client that breaks a rule loses the connection, and no other one does. */
static void
test_rules(void)
{
	const uint64_t too_many = GA_LADDER_ELEMENTS + 1;
	const GaRequest wrong[] = {
		ladder_request(GA_N_LADDERS, GA_int4, 1, 1),
		ladder_request(UINT32_MAX, GA_int4, 1, 1),
		ladder_request(GA_LADDER_REDUCE, GA_int2, 1, 1),
		ladder_request(GA_LADDER_REDUCE, GA_N_ELEMENT_TYPES, 1, 1),
		ladder_request(GA_LADDER_REDUCE, UINT32_MAX, 1, 1),
		ladder_request(GA_LADDER_REDUCE, GA_int4, 0, 1),
		ladder_request(GA_LADDER_REDUCE, GA_int4, too_many, 1),
		ladder_request(GA_LADDER_SCAN, GA_int4, UINT64_MAX, 1),
		ladder_request(GA_LADDER_SCAN, GA_int4, 1, 0),
		ladder_request(GA_LADDER_SCAN, GA_int4, 1, GA_LADDER_REPEATS + 1),
	};
	size_t i;

	tap_begin("requests that break a rule");
	start(NULL, NULL);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
	{
		GaReply reply = client_call(&client, &wrong[i]);

		tap_check(reply.status == GA_BAD_REQUEST && client_is_closed(&client),
				  "request %zu: %d", i, reply.status);
		tap_check(client_sum_one(&other, 0, (int64_t) i) == GA_OK, "others");
		client_close(&client);
		client_open(&client, &gpuaggd);
	}
	tap_check(n_programs() == 0, "one was started");
	stop();
	tap_end();
}

/*
 * Other sessions are served while it runs, and a request behind it is answered
 * in its turn.
 */
static void
test_others(void)
{
	GaRequest request = long_request();
	Table table;
	GaReply reply;
	double worst = 0;
	int i;

	tap_begin("other sessions' requests meanwhile");
	start(NULL, NULL);
	request.u.ladder.repeats = 5;
	client_lease(&client, false);
	client_send(&client, &request);
	request = client_fill_one(&client, 2, 7);
	client_send(&client, &request);
	tap_check(has_programs(1, 2000), "no program");
	for (i = 0; i < 20; i++)
	{
		double start_ms = now_ms();

		tap_check(client_sum_one(&other, i % 4, i) == GA_OK, "a sum");
		worst = now_ms() - start_ms > worst ? now_ms() - start_ms : worst;
	}
	tap_check(n_programs() == 1, "it was over before");
	tap_check(worst < 100, "one took %g ms", worst);
	table = take_table(&client);
	tap_check(table.end.status == GA_OK, "the ladder: %s", table.end.reason);
	tap_check(client_receive(&client, &reply) &&
				  client_is_one(&client, &reply, 7),
			  "the request behind it");
	stop();
	tap_end();
}

/* There is one program at a time, and each session gets its own rows. */
static void
test_two(void)
{
	GaRequest request = long_request();
	Client third;
	Table table;

	tap_begin("ladders of several sessions");
	start(NULL, NULL);
	request.u.ladder.repeats = 1;
	client_send(&client, &request);
	request = ladder_request(GA_LADDER_REDUCE, GA_int4, 1000, 1);
	client_send(&other, &request);
	client_open(&third, &gpuaggd);
	client_send(&third, &request);
	sleep_ms(20);
	tap_check(n_programs() == 1, "%d programs", n_programs());
	client_check_waits(&third);
	client_close(&third); /* while it waits */
	table = take_table(&client);
	tap_check(table.end.status == GA_OK && table.rows[0].rung.passes == 2,
			  "the first one's");
	table = take_table(&other);
	check_table(&table, GA_LADDER_REDUCE, GA_int4, 1000);
	tap_check(has_programs(0, 2000), "a program is left");
	stop();
	tap_end();
}

/* The program ends with its session, whatever it is at. */
static void
test_gone(void)
{
	const GaRequest request = long_request();
	int i;

	tap_begin("a client that goes away in the middle");
	start(NULL, NULL);
	for (i = 0; i < 5; i++)
	{
		client_send(&client, &request);
		sleep_ms(i * i * 20);
		client_close(&client);
		tap_check(has_programs(0, 2000), "its program is left");
		client_open(&client, &gpuaggd);
	}
	tap_check(call_short().end.status == GA_OK, "the next one");
	stop();
	tap_end();
}

/* The program ends with gpuaggd, even if that has no time to end it. */
static void
test_killed(void)
{
	const GaRequest request = long_request();
	char path[64];
	FILE *file;
	int pid = 0;
	double start_ms;

	tap_begin("gpuaggd is killed");
	start(NULL, NULL);
	client_send(&client, &request);
	tap_check(has_programs(1, 2000), "no program");
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", gpuaggd.pid,
			 gpuaggd.pid);
	file = fopen(path, "r");
	tap_check(file != NULL && fscanf(file, "%d", &pid) == 1, "no child");
	if (file != NULL)
		fclose(file);
	sleep_ms(50);
	kill(gpuaggd.pid, SIGKILL);
	(void) daemon_wait(&gpuaggd, 2000);
	for (start_ms = now_ms();
		 pid > 0 && kill(pid, 0) == 0 && now_ms() - start_ms < 2000;)
	{
		char state = ' ';

		/* a child that nobody reaps yet has ended, too */
		snprintf(path, sizeof(path), "/proc/%d/stat", pid);
		file = fopen(path, "r");
		if (file != NULL && fscanf(file, "%*d %*s %c", &state) != 1)
			state = ' ';
		if (file != NULL)
			fclose(file);
		if (state == 'Z')
			break;
		sleep_ms(1);
	}
	tap_check(now_ms() - start_ms < 2000, "the program goes on");
	client_close(&client);
	client_close(&other);
	daemon_remove(&gpuaggd);
	tap_end();
}

/* Each run may take as long as a request, but not longer. */
static void
test_long(void)
{
	GaRequest request = long_request();
	double start_ms;

	tap_begin("many runs, together longer than a request may take");
	start("--request-timeout=1000", NULL);
	request.u.ladder.repeats = 2;
	start_ms = now_ms();
	tap_check(call(request).end.status == GA_OK, "the ladder");
	tap_check(now_ms() - start_ms > 1100, "only %g ms", now_ms() - start_ms);
	stop();
	tap_end();
}

/* Runs that fail end the ladder only: gpuaggd goes on, and so do others. */
static void
test_faults(void)
{
	static const struct
	{
		const char *fault;
		int32_t status; /* a GaStatus */
		const char *reason;
		const char *rung;
		uint32_t n_rows;
	} faults[] = {
		{"--emulated-faults=ladder_refuse=1", GA_NO_MEMORY,
		 "run 1: injected lack of memory", "cpu", 0},
		{"--emulated-faults=ladder_fail=3", GA_DEVICE_FAILED,
		 "run 3: injected failure", "copy", 1},
		{"--emulated-faults=ladder_crash=3", GA_DEVICE_FAILED,
		 "ended by signal 6", "copy", 1},
		{"--emulated-faults=ladder_hang=5", GA_DEVICE_FAILED,
		 "no answer from the device for 1000 ms", "exact-baseline", 2},
	};
	size_t i;

	tap_begin("runs that fail");
	for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
	{
		pid_t pid;
		double start_ms;
		Table table;

		start("--request-timeout=1000", faults[i].fault);
		pid = gpuaggd.pid;
		start_ms = now_ms();
		table = call_short();
		tap_check(table.end.status == faults[i].status &&
					  strstr(table.end.reason, faults[i].reason) != NULL,
				  "%s: %d, %s", faults[i].fault, table.end.status,
				  table.end.reason);
		tap_check(strcmp(table.started, faults[i].rung) == 0 &&
					  table.n_rows == faults[i].n_rows,
				  "%s: at %s, %u rows", faults[i].fault, table.started,
				  table.n_rows);
		tap_check(now_ms() - start_ms < 3000, "%s: after %g ms",
				  faults[i].fault, now_ms() - start_ms);
		tap_check(client_sum_one(&other, 0, 3) == GA_OK, "others");
		tap_check(has_programs(0, 2000), "the program is left");
		tap_check(kill(pid, 0) == 0, "gpuaggd ended");
		table = call_short();
		tap_check(table.end.status == faults[i].status, "again: %d",
				  table.end.status);
		stop();
	}
	tap_end();
}

/* A client that goes away while its ladder hangs. */
static void
test_hang(void)
{
	GaRequest request = ladder_request(GA_LADDER_SCAN, GA_int4, 1000, 2);

	tap_begin("a run that never ends, without its session");
	start(NULL, "--emulated-faults=ladder_hang=2");
	client_send(&client, &request);
	sleep_ms(50);
	tap_check(n_programs() == 1, "it does not hang");
	client_close(&client);
	tap_check(has_programs(0, 500), "the program is left");
	client_open(&client, &gpuaggd);
	tap_check(client_sum_one(&other, 0, 1) == GA_OK, "others");
	stop();
	tap_end();
}

static void
check_missing(const Table *table)
{
	tap_check(table->end.status == GA_NO_DEVICE &&
				  strstr(table->end.reason, "gpuagg-ladder\": No such file") !=
					  NULL,
			  "%d, %s", table->end.status, table->end.reason);
}

/*
 * gpuaggd without the program beside it says so, and goes on; also to all
 * sessions that waited until the program of another one had ended.
 */
static void
test_missing(void)
{
	const GaRequest request = long_request();
	const GaRequest next = ladder_request(GA_LADDER_REDUCE, GA_int4, 1000, 1);
	const char *name = getenv("GA_GPUAGGD");
	char *before = name ? strdup(name) : NULL;
	char directory[] = "/tmp/gpuaggd-alone-XXXXXX";
	char command[8800];
	char path[64];
	char ladder[64];
	GaReply reply;
	Client third;
	Table table;

	tap_begin("no gpuagg-ladder beside gpuaggd");
	tap_check(mkdtemp(directory) != NULL, "no directory");
	snprintf(path, sizeof(path), "%s/gpuaggd", directory);
	snprintf(ladder, sizeof(ladder), "%s/gpuagg-ladder", directory);
	name = name != NULL ? name : "build/plain/gpuaggd";
	snprintf(command, sizeof(command),
			 "cp '%s' '%s' && cp \"$(dirname '%s')/gpuagg-ladder\" '%s'", name,
			 path, name, ladder);
	tap_check(system(command) == 0, "%s", command);
	setenv("GA_GPUAGGD", path, 1);
	start(NULL, NULL);
	client_send(&client, &request);
	tap_check(client_receive(&client, &reply), "no program");
	unlink(ladder);
	client_open(&third, &gpuaggd);
	client_send(&other, &next);
	client_send(&third, &next);
	client_check_waits(&third);
	client_close(&client);
	table = take_table(&other);
	check_missing(&table);
	table = take_table(&third);
	check_missing(&table);
	client_close(&third);
	client_open(&client, &gpuaggd);
	table = call_short();
	check_missing(&table);
	tap_check(client_sum_one(&other, 0, 1) == GA_OK, "others");
	stop();
	if (before != NULL)
		setenv("GA_GPUAGGD", before, 1);
	else
		unsetenv("GA_GPUAGGD");
	free(before);
	unlink(path);
	rmdir(directory);
	tap_end();
}

int
main(void)
{
	test_rows();
	test_rounds();
	test_rules();
	test_others();
	test_two();
	test_gone();
	test_killed();
	test_missing();
	if (daemon_is_emulated())
	{
		test_long();
		test_faults();
		test_hang();
	}
	return tap_done();
}
