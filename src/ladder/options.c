/*
 * options.c
 *		The command line of gpuagg-ladder.
 *
 * Wrong options end the program with its usage and exit code 2.
 */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ladder_runner.h"
#include "options.h"

GaLadderOptions ga_ladder_options = {
	.call = {.type = GA_int4, .repeats = 20, .n = 1 << 22},
	.ordinal = GA_LADDER_ON_CPU,
	.socket = -1,
};

static const char *const ladder_names[GA_N_LADDERS] = {
	[GA_LADDER_REDUCE] = "reduce",
	[GA_LADDER_SCAN] = "scan",
	[GA_LADDER_EXCLUSIVE_SCAN] = "exclusive-scan",
};

static const char usage[] =
	"usage: gpuagg-ladder [OPTION]...\n"
	"Times the kernels of a ladder, and prints a line for each: its name, the\n"
	"median time, GB/s, the largest error, whether all runs had the same "
	"bits,\n"
	"and the device.\n"
	"  --list             print the rungs, a line each: ladder, name, types, "
	"title\n"
	"  --ladder=reduce|scan|exclusive-scan\n"
	"  --type=int4|int8|float4|float8\n"
	"  --elements=N       4194304 by default\n"
	"  --repeats=N        timed runs of each, 20 by default\n"
	"  --managed          with rungs on managed memory\n"
	"  --rung=NAME        this rung only\n"
	"  --device=cpu|N     the CPU, or a CUDA device (0 by default, if the\n"
	"                     program was built with CUDA)\n"
	"  --reserve=BYTES    of the device's free memory, to leave to others\n"
	"  --socket=FD        send packets to gpuaggd instead of printing lines\n"
	"  --hang=N, --crash=N, --fail=N, --refuse=N\n"
	"                     for tests: what run number N does wrong\n"
	"  --help\n";

const char *
ga_ladder_name(GaLadder ladder)
{
	return ladder_names[ladder];
}

static void __attribute__((noreturn))
refuse(const char *option, const char *value)
{
	if (option != NULL)
		fprintf(stderr, "gpuagg-ladder: bad value for --%s: \"%s\"\n", option,
				value);
	fputs(usage, stderr);
	exit(2);
}

/* Return the number that all of a text is, if it is at most `most`. */
static uint64_t
number(const char *option, const char *value, uint64_t most)
{
	char *end;
	unsigned long long n;

	errno = 0;
	n = strtoull(value, &end, 10);
	if (errno != 0 || !isdigit((unsigned char) *value) || *end != '\0' ||
		n > most)
		refuse(option, value);
	return n;
}

static uint32_t
ladder_of(const char *option, const char *value)
{
	uint32_t i;

	for (i = 0; i < GA_N_LADDERS; i++)
	{
		if (strcmp(value, ladder_names[i]) == 0)
			return i;
	}
	refuse(option, value);
}

static uint32_t
type_of(const char *option, const char *value)
{
	uint32_t i;

	for (i = 0; i < GA_N_ELEMENT_TYPES; i++)
	{
		if (strcmp(value, ga_element_name((GaElementType) i)) == 0)
			return i;
	}
	refuse(option, value);
}

/* The faults for tests; false if the option is none of them. */
static bool
take_fault(int which, const char *name, const char *value)
{
	GaLadderFaults *faults = &ga_ladder_options.faults;
	uint32_t *to = which == 'H' ? &faults->hang :
				   which == 'C' ? &faults->crash :
				   which == 'F' ? &faults->fail :
				   which == 'R' ? &faults->refuse :
								  NULL;

	if (to != NULL)
		*to = (uint32_t) number(name, value, UINT32_MAX);
	return to != NULL;
}

static void
take_option(int which, const char *name, const char *value)
{
	GaLadderOptions *options = &ga_ladder_options;

	switch (which)
	{
		case 'l':
			options->lists = true;
			break;
		case 'a':
			options->call.ladder = ladder_of(name, value);
			break;
		case 't':
			options->call.type = type_of(name, value);
			break;
		case 'n':
			options->call.n = number(name, value, GA_LADDER_ELEMENTS);
			break;
		case 'r':
			options->call.repeats =
				(uint32_t) number(name, value, GA_LADDER_REPEATS);
			break;
		case 'm':
			options->call.managed = 1;
			break;
		case 'u':
			options->rung = value;
			break;
		case 'd':
			options->ordinal = strcmp(value, "cpu") == 0 ?
								   GA_LADDER_ON_CPU :
								   (int) number(name, value, INT_MAX);
			break;
		case 'e':
			options->reserve_bytes = number(name, value, UINT64_MAX);
			break;
		case 's':
			options->socket = (int) number(name, value, INT_MAX);
			break;
		case 'h':
			fputs(usage, stdout);
			exit(0);
		default:
			if (!take_fault(which, name, value))
				refuse(NULL, NULL);
	}
}

/* Fill in ga_ladder_options.  Ends the program if they are wrong. */
void
ga_ladder_options_parse(int argc, char **argv)
{
	static const struct option options[] = {
		{"list", no_argument, NULL, 'l'},
		{"ladder", required_argument, NULL, 'a'},
		{"type", required_argument, NULL, 't'},
		{"elements", required_argument, NULL, 'n'},
		{"repeats", required_argument, NULL, 'r'},
		{"managed", no_argument, NULL, 'm'},
		{"rung", required_argument, NULL, 'u'},
		{"device", required_argument, NULL, 'd'},
		{"reserve", required_argument, NULL, 'e'},
		{"socket", required_argument, NULL, 's'},
		{"hang", required_argument, NULL, 'H'},
		{"crash", required_argument, NULL, 'C'},
		{"fail", required_argument, NULL, 'F'},
		{"refuse", required_argument, NULL, 'R'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0}};
	const char *fault;
	int i = 0;
	int which;

	if (&ga_ladder_cuda != NULL)
		ga_ladder_options.ordinal = 0;
	while ((which = getopt_long(argc, argv, "", options, &i)) != -1)
		take_option(which, which == '?' ? NULL : options[i].name, optarg);
	fault = ga_ladder_call_fault(&ga_ladder_options.call);
	if (fault != NULL)
		fprintf(stderr, "gpuagg-ladder: %s\n", fault);
	if (optind < argc || fault != NULL)
		refuse(NULL, NULL);
}
