/*
 * test_ladder_request.c
 *		The list of a device's teaching kernels, what a request for one has to
 *		keep to, and its memory.
 */
#include <stdlib.h>
#include <string.h>

#include "rig.h"
#include "tap.h"

#define BUDGET (UINT64_C(64) << 20)

static Rig rig;
static const GaDeviceKind *kind;

/* What the list says of its rungs. */
static void
test_list(GaLadder ladder)
{
	const GaRung *rungs;
	uint32_t n_rungs = kind->rungs(ladder, &rungs);
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
	tap_check(n_rungs == 0 || (strcmp(rungs[0].name, "copy") == 0 &&
							   rungs[0].passes == 2 && !rungs[0].is_step),
			  "the first one is %s", n_rungs > 0 ? rungs[0].name : "none");
	tap_end();
}

/* Each is refused with a reason, known or not. */
static void
refuse(GaRungRequest request, const char *what)
{
	GaDeviceFailure failure = {.call = ""};

	tap_check(kind->rung(rig.queue, &request, &failure) == GA_BAD_REQUEST, "%s",
			  what);
	tap_check(failure.call[0] != 0 && failure.message[0] != 0, "%s: no reason",
			  what);
	tap_check(kind->rung(rig.queue, &request, NULL) == GA_BAD_REQUEST,
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
	bad.rung = kind->rungs(bad.ladder, &rungs);
	refuse(bad, "no rung");
	tap_end();
}

static uint64_t
used_bytes(GaDevice *device)
{
	GaDeviceInfo info;
	GaDeviceFailure failure = {.call = ""};

	rig_must(&rig, "describe", kind->describe(device, &info, &failure),
			 &failure);
	return info.used_bytes;
}

/* Memory that is not there, and memory that was taken. */
static void
test_memory(GaLadder ladder)
{
	GaDeviceOptions options = {.budget_bytes = BUDGET};
	const GaRung *rungs;
	uint32_t n_rungs = kind->rungs(ladder, &rungs);
	GaDeviceFailure failure = {.call = ""};
	GaDeviceQueue *queue;
	uint64_t before;
	uint32_t i;
	Rig small;

	tap_begin("memory, ladder %d", (int) ladder);
	rig_open_with(&small, &options);
	before = used_bytes(small.device);
	for (i = 0; i < n_rungs; i++)
	{
		GaRungRequest request = {.ladder = ladder,
								 .rung = i,
								 .type = GA_float8,
								 .n = BUDGET / 8 + 1,
								 .repeats = 3};
		GaRungRequest second;

		if (rungs[i].is_managed && getenv("GA_NO_MANAGED") != NULL)
			continue;
		failure.message[0] = 0;
		tap_check(kind->rung(small.queue, &request, &failure) == GA_NO_MEMORY,
				  "%s: more than the budget", rungs[i].name);
		tap_check(failure.call[0] != 0 && failure.message[0] != 0,
				  "%s: no reason", rungs[i].name);
		tap_check(used_bytes(small.device) == before, "%s: kept memory",
				  rungs[i].name);

		/* one that is given up, and others that are not */
		request.n = 100000;
		second = request;
		rig_must(&small, "queue_open",
				 kind->queue_open(small.device, -1, &queue, &failure),
				 &failure);
		rig_must(&small, rungs[i].name, kind->rung(queue, &request, &failure),
				 &failure);
		request.ms = -1;
		tap_check(kind->rung(queue, &second, NULL) == GA_BAD_REQUEST,
				  "%s: a second request", rungs[i].name);
		rig_must(&small, rungs[i].name, kind->wait(queue, &failure), &failure);
		tap_check(request.ms >= 0, "%s: the second ended the first",
				  rungs[i].name);
		rig_must(&small, rungs[i].name, kind->rung(queue, &request, &failure),
				 &failure);
		kind->queue_close(queue);
		tap_check(used_bytes(small.device) == before,
				  "%s: kept memory when "
				  "it was given up",
				  rungs[i].name);
		rig_must(&small, "queue_open",
				 kind->queue_open(small.device, -1, &queue, &failure),
				 &failure);
		rig_must(&small, rungs[i].name, kind->rung(queue, &request, &failure),
				 &failure);
		rig_must(&small, rungs[i].name, kind->wait(queue, &failure), &failure);
		kind->queue_close(queue);
		tap_check(used_bytes(small.device) == before,
				  "%s: kept memory after "
				  "all",
				  rungs[i].name);
	}
	rig_close(&small);
	tap_end();
}

int
main(void)
{
	int ladder;

	rig_open(&rig);
	kind = rig.kind;
	test_bad_requests();
	for (ladder = 0; ladder < GA_N_LADDERS; ladder++)
	{
		test_list((GaLadder) ladder);
		test_memory((GaLadder) ladder);
	}
	rig_close(&rig);
	return tap_done();
}
