/*
 * ladder.c
 *		One rung of the ladder of teaching kernels, for a profiler to look at.
 *
 *	ladder list			says what there is, a rung a line: ladder, place, name,
 *						types, title; needs no device
 *	ladder LADDER RUNG TYPE N [REPEATS]
 *						runs one on the first device and prints its name, the
 *						median ms, GB/s, the largest error, whether all runs had
 *						the same bits, and the device's name
 *
 * LADDER is reduce, scan or exclusive-scan; RUNG its place in the list or its
 * name; TYPE int4, int8, float4 or float8; N elements.  Each rung runs once
 * more than REPEATS, 1 if nothing is said.  So `ncu ladder reduce strided int4
 * 4194304` profiles the second kernel; ladder-profile goes through all of them.
 *
 * Exit codes: 1 if a call failed, 2 if the arguments were not understood.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"

static const char *const ladder_names[GA_N_LADDERS] = {
	[GA_LADDER_REDUCE] = "reduce",
	[GA_LADDER_SCAN] = "scan",
	[GA_LADDER_EXCLUSIVE_SCAN] = "exclusive-scan",
};

static const GaDeviceKind *const kind = &ga_device_cuda;
static GaDeviceFailure failure;

/* End the program if a call failed. */
static void
check(GaStatus status, const char *call)
{
	if (status == GA_OK)
		return;
	fprintf(stderr, "ladder: %s: status %d: %s: %s\n", call, (int) status,
			failure.call, failure.message);
	exit(1);
}

static void
print_rung(GaLadder ladder, uint32_t place, const GaRung *rung)
{
	const char *between = "";
	int type;

	printf("%s\t%" PRIu32 "\t%s\t", ladder_names[ladder], place, rung->name);
	for (type = 0; type < GA_N_ELEMENT_TYPES; type++)
	{
		if ((rung->types >> type & 1) == 0)
			continue;
		printf("%s%s", between, ga_element_name((GaElementType) type));
		between = ",";
	}
	printf("\t%s\n", rung->title);
}

static void
list(void)
{
	int ladder;

	for (ladder = 0; ladder < GA_N_LADDERS; ladder++)
	{
		const GaRung *rungs;
		uint32_t n = kind->rungs((GaLadder) ladder, &rungs);
		uint32_t i;

		for (i = 0; i < n; i++)
			print_rung((GaLadder) ladder, i, &rungs[i]);
	}
}

/* A number from 1 to most, or 0. */
static uint64_t
read_number(const char *word, uint64_t most)
{
	char *end;
	uint64_t n = strtoull(word, &end, 10);

	return *word >= '0' && *word <= '9' && *end == '\0' && n <= most ? n : 0;
}

static bool
read_ladder(const char *word, GaLadder *ladder)
{
	int i;

	for (i = 0; i < GA_N_LADDERS; i++)
	{
		*ladder = (GaLadder) i;
		if (strcmp(word, ladder_names[i]) == 0)
			return true;
	}
	return false;
}

/* By its place or by its name. */
static bool
read_rung(const char *word, GaLadder ladder, uint32_t *place)
{
	const GaRung *rungs;
	uint32_t n = kind->rungs(ladder, &rungs);

	for (*place = 0; *place < n; (*place)++)
	{
		char number[16];

		snprintf(number, sizeof(number), "%" PRIu32, *place);
		if (strcmp(word, number) == 0 || strcmp(word, rungs[*place].name) == 0)
			return true;
	}
	return false;
}

static bool
read_type(const char *word, GaElementType *type)
{
	int i;

	for (i = 0; i < GA_N_ELEMENT_TYPES; i++)
	{
		*type = (GaElementType) i;
		if (strcmp(word, ga_element_name(*type)) == 0)
			return true;
	}
	return false;
}

static bool
read_request(int argc, char **argv, GaRungRequest *request)
{
	if ((argc != 5 && argc != 6) || !read_ladder(argv[1], &request->ladder) ||
		!read_rung(argv[2], request->ladder, &request->rung) ||
		!read_type(argv[3], &request->type))
		return false;
	request->n = read_number(argv[4], GA_LADDER_ELEMENTS);
	request->repeats =
		argc == 5 ? 1 : (uint32_t) read_number(argv[5], GA_LADDER_REPEATS);
	return request->n > 0 && request->repeats > 0;
}

static void
run(GaRungRequest *request, GaDeviceInfo *info)
{
	const GaDeviceOptions options = {.ordinal = 0};
	GaDevice *device;
	GaDeviceQueue *queue;

	check(kind->open(&options, &device, &failure), "open");
	check(kind->describe(device, info, &failure), "describe");
	check(kind->queue_open(device, -1, &queue, &failure), "queue_open");
	check(kind->rung(queue, request, &failure), "rung");
	check(kind->wait(queue, &failure), "wait");
	kind->queue_close(queue);
	kind->close(device);
}

int
main(int argc, char **argv)
{
	GaRungRequest request = {0};
	GaDeviceInfo info;
	const GaRung *rungs;
	double bytes;

	if (argc == 2 && strcmp(argv[1], "list") == 0)
	{
		list();
		return 0;
	}
	if (!read_request(argc, argv, &request))
	{
		fprintf(stderr, "usage: ladder list | ladder LADDER RUNG TYPE N "
						"[REPEATS]\n");
		return 2;
	}
	run(&request, &info);
	kind->rungs(request.ladder, &rungs);
	bytes = (double) rungs[request.rung].passes * (double) request.n *
			(double) ga_element_size(request.type);
	printf("%s\t%.6f ms\t%.1f GB/s\terror %g\t%s\t%s\n",
		   rungs[request.rung].name, request.ms, bytes / request.ms * 1e-6,
		   request.max_error, request.same_bits ? "same bits" : "other bits",
		   info.name);
	return 0;
}
