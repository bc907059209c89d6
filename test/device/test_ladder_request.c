/*
 * test_ladder_request.c
 *		The list of teaching kernels, the rules for requests, and that their
 *		memory is freed however they end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ladder_fixture.h"
#include "tap.h"

/* Bytes of device memory for the ladder. */
#define LIMIT (UINT64_C(256) << 20)

static const GaLadderRunner *runner;
static uint32_t n_progress; /* calls of fail_later() until it fails */

/* What the list says of its rungs. */
static void
test_list(GaLadder ladder)
{
	const GaRung *rungs;
	uint32_t n_rungs = runner->rungs(ladder, &rungs);
	uint32_t i, j;

	tap_begin("the list of rungs, ladder %d", (int) ladder);
	for (i = 0; i < n_rungs; i++)
	{
		tap_check(rungs[i].name[0] != 0 && rungs[i].title[0] != 0,
				  "rung %u has no name", (unsigned) i);
		tap_check(rungs[i].types != 0 && rungs[i].passes >= 1 &&
					  rungs[i].passes <= 2,
				  "%s: types %x, %u passes", rungs[i].name,
				  (unsigned) rungs[i].types, (unsigned) rungs[i].passes);
		for (j = 0; j < i; j++)
			tap_check(strcmp(rungs[i].name, rungs[j].name) != 0,
					  "%s is there twice", rungs[i].name);
	}
	/* the CPU's list begins with the serial loop */
	i = runner == &ga_ladder_cpu ? 1 : 0;
	tap_check(n_rungs > i && strcmp(rungs[i].name, "copy") == 0 &&
				  rungs[i].passes == 2 && !rungs[i].is_step,
			  "there is no copy");
	tap_end();
}

/* Each is refused with a reason, known or not. */
static void
refuse(GaRungRequest request, const char *what)
{
	GaDeviceFailure failure = {.call = ""};

	tap_check(runner->run(&request, &failure) == GA_BAD_REQUEST, "%s", what);
	tap_check(failure.call[0] != 0 && failure.message[0] != 0, "%s: no reason",
			  what);
	tap_check(runner->run(&request, NULL) == GA_BAD_REQUEST,
			  "%s, no failure wanted", what);
}

static void
test_bad_requests(void)
{
	const GaRungRequest good = {.ladder = GA_LADDER_SCAN,
								.rung = 0,
								.type = GA_int4,
								.n = 10,
								.repeats = 1};
	const GaRung *rungs;
	GaRungRequest bad = good;

	tap_begin("bad requests");
	bad.n = 0;
	refuse(bad, "no elements");
	bad.n = GA_LADDER_ELEMENTS + 1;
	refuse(bad, "too many elements");
	bad = good;
	bad.repeats = 0;
	refuse(bad, "no repeats");
	bad.repeats = GA_LADDER_REPEATS + 1;
	refuse(bad, "too many repeats");
	bad = good;
	bad.type = GA_N_ELEMENT_TYPES;
	refuse(bad, "no type");
	bad.type = GA_int2;
	refuse(bad, "a type that the rung does not take");
	bad = good;
	bad.ladder = GA_N_LADDERS;
	refuse(bad, "no ladder");
	bad = good;
	bad.rung = runner->rungs(bad.ladder, &rungs);
	refuse(bad, "no rung");
	tap_end();
}

/* A progress function that ends the request after some calls. */
static GaStatus
fail_later(bool starts_run, GaDeviceFailure *failure)
{
	if (!starts_run || n_progress-- > 0)
		return GA_OK;
	snprintf(failure->message, sizeof(failure->message), "it fails now");
	return GA_NO_CAPACITY;
}

/* Each run may be the last, and memory is freed then. */
static void
test_progress(GaLadder ladder)
{
	const GaRung *rungs;
	uint32_t n_rungs = runner->rungs(ladder, &rungs);
	uint32_t i;
	uint32_t n;

	tap_begin("requests that are ended, ladder %d", (int) ladder);
	for (i = 0; i < n_rungs; i++)
	{
		GaRungRequest request = {.ladder = ladder,
								 .rung = i,
								 .type = GA_float8,
								 .n = 100000,
								 .repeats = 3,
								 .progress = fail_later};

		if (rungs[i].is_managed && getenv("GA_NO_MANAGED") != NULL)
			continue;
		for (n = 0; n < 3; n++)
		{
			GaDeviceFailure failure = {.message = ""};

			n_progress = n;
			tap_check(runner->run(&request, &failure) == GA_NO_CAPACITY &&
						  strcmp(failure.message, "it fails now") == 0,
					  "%s goes on: %s", rungs[i].name, failure.message);
			tap_check(runner->used_bytes() == 0, "%s: kept memory",
					  rungs[i].name);
		}
		n_progress = 100;
		tap_check(runner->run(&request, NULL) == GA_OK, "%s", rungs[i].name);
		tap_check(runner->used_bytes() == 0, "%s: kept memory after all",
				  rungs[i].name);
	}
	tap_end();
}

/* More memory than is left to the ladder. */
static void
test_memory(GaLadder ladder)
{
	const GaRung *rungs;
	uint32_t n_rungs = runner->rungs(ladder, &rungs);
	uint32_t i;

	tap_begin("memory, ladder %d", (int) ladder);
	for (i = 0; i < n_rungs; i++)
	{
		GaDeviceFailure failure = {.call = ""};
		GaRungRequest request = {.ladder = ladder,
								 .rung = i,
								 .type = GA_float8,
								 .n = LIMIT / 4,
								 .repeats = 3};

		if (rungs[i].is_managed && getenv("GA_NO_MANAGED") != NULL)
			continue;
		tap_check(runner->run(&request, &failure) == GA_NO_MEMORY,
				  "%s: more than the limit", rungs[i].name);
		tap_check(failure.call[0] != 0 && failure.message[0] != 0,
				  "%s: no reason", rungs[i].name);
		tap_check(runner->used_bytes() == 0, "%s: kept memory", rungs[i].name);
		request.n = 100000;
		tap_check(runner->run(&request, &failure) == GA_OK, "%s: %s",
				  rungs[i].name, failure.message);
	}
	tap_end();
}

int
main(void)
{
	int ladder;

	runner = ladder_open(LIMIT);
	test_bad_requests();
	for (ladder = 0; ladder < GA_N_LADDERS; ladder++)
	{
		test_list((GaLadder) ladder);
		test_progress((GaLadder) ladder);
		/* the CPU has what the process has */
		if (runner != &ga_ladder_cpu)
			test_memory((GaLadder) ladder);
	}
	runner->close();
	return tap_done();
}
