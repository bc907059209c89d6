/*
 * options.c
 *		The command line of gpuaggd.
 *
 * Owns ga_options, which main.c has filled before anything else.  All options
 * have long names, those of the settings that the supervisor passes on.  An
 * error in them ends the program with the usage, and GA_EXIT_USAGE.
 */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exit.h"
#include "options.h"
#include "wire/faults.h"
#include "wire/protocol.h"

/* More than any machine has, and far from overflowing as bytes. */
#define MAX_MB (INT64_C(1) << 40)

GaOptions ga_options = {
	.cache_size_mb = -1,
	.packing = GA_PACKS_SOME,
	.staging_size_mb = 256,
	.request_timeout_ms = 30000,
};

static const char usage[] =
	"usage: gpuaggd --socket=PATH --boot-token=NUMBER [OPTION]...\n"
	"  --socket=PATH          where to listen\n"
	"  --boot-token=NUMBER    what clients have to know\n"
	"  --device=auto|emulated|emulated:N|N[,N...]\n"
	"  --cache-size=MB        of each device; -1 is half of its memory\n"
	"  --cache-packing=on|off|always\n"
	"                         keeps arrays packed where that saves memory;\n"
	"                         or all, for tests\n"
	"  --staging-size=MB      of the host, for data on its way\n"
	"  --request-timeout=MS   how long a device may take\n"
	"  --idle-timeout=S       ends if no session used it for so long; 0 never\n"
	"  --samples              of the OID counter come by standard input\n"
	"  --emulated-faults=NAME=N[,NAME=N...]; these are:\n"
#define X(name) "                         " #name "\n"
	GA_FAULTS(X)
#undef X
		"  --version\n"
		"  --help\n";

static void __attribute__((noreturn))
refuse(const char *option, const char *value)
{
	if (option != NULL)
		fprintf(stderr, "gpuaggd: bad value for --%s: \"%s\"\n", option, value);
	fputs(usage, stderr);
	exit(GA_EXIT_USAGE);
}

/* Return an option's number, if it is in a range. */
static int64_t
parse_number(const char *option, const char *value, int64_t low, int64_t high)
{
	char *end;
	long long n;

	errno = 0;
	n = strtoll(value, &end, 10);
	if (errno != 0 || end == value || *end != '\0' || n < low || n > high)
		refuse(option, value);
	return n;
}

static GaPackingMode
parse_packing(const char *option, const char *value)
{
	static const char *const names[] = {"off", "on", "always"};
	int mode = GA_PACKS_NONE;

	while (strcmp(value, names[mode]) != 0)
	{
		if (++mode > GA_PACKS_ALL)
			refuse(option, value);
	}
	return (GaPackingMode) mode;
}

static uint64_t
parse_unsigned(const char *option, const char *value)
{
	char *end;
	unsigned long long n;

	errno = 0;
	n = strtoull(value, &end, 10);
	if (errno != 0 || !isdigit((unsigned char) *value) || *end != '\0')
		refuse(option, value);
	return n;
}

/* Set the devices: auto, emulated, emulated:N, or ordinals. */
static void
set_devices(const char *option, char *value)
{
	char *rest;
	char *item;

	ga_options.n_ordinals = 0;
	ga_options.n_emulated = strcmp(value, "emulated") == 0;
	if (ga_options.n_emulated > 0 || strcmp(value, "auto") == 0)
		return;
	if (strncmp(value, "emulated:", 9) == 0)
	{
		ga_options.n_emulated =
			(int) parse_number(option, value + 9, 1, GA_MAX_DEVICES);
		return;
	}
	if (*value == '\0')
		refuse(option, value);
	for (item = strtok_r(value, ",", &rest); item != NULL;
		 item = strtok_r(NULL, ",", &rest))
	{
		if (ga_options.n_ordinals == GA_MAX_DEVICES)
			refuse(option, item);
		ga_options.ordinals[ga_options.n_ordinals++] =
			(int) parse_number(option, item, 0, 9999);
	}
}

static void
set_faults(const char *option, const char *value)
{
	uint32_t *const to[] = {
		[GA_FAULT_fail_allocation] =
			&ga_options.emulated_faults.fail_allocation,
		[GA_FAULT_lose_allocation] =
			&ga_options.emulated_faults.lose_allocation,
		[GA_FAULT_no_memory_after] =
			&ga_options.emulated_faults.no_memory_after,
		[GA_FAULT_other_memory] = &ga_options.emulated_faults.other_memory_mb,
		[GA_FAULT_lose_describe] = &ga_options.emulated_faults.lose_describe,
		[GA_FAULT_refuse_zero] = &ga_options.emulated_faults.refuse_zero,
		[GA_FAULT_fail_launch] = &ga_options.emulated_faults.fail_launch,
		[GA_FAULT_refuse_launch] = &ga_options.emulated_faults.refuse_launch,
		[GA_FAULT_hang_launch] = &ga_options.emulated_faults.hang_launch,
		[GA_FAULT_block_launch] = &ga_options.emulated_faults.block_launch,
		[GA_FAULT_crash_launch] = &ga_options.emulated_faults.crash_launch,
		[GA_FAULT_wrong_bits] = &ga_options.emulated_faults.wrong_bits,
		[GA_FAULT_wrong_pack] = &ga_options.emulated_faults.wrong_pack,
		[GA_FAULT_refuse_surveys] = &ga_options.emulated_faults.refuse_surveys,
		[GA_FAULT_pause_launch] = &ga_options.emulated_faults.pause_launch_ms,
		[GA_FAULT_slow_launch] = &ga_options.slow_launch_ms,
		[GA_FAULT_wrong_version] = &ga_options.wrong_version,
		[GA_FAULT_ladder_hang] = &ga_options.ladder_faults.hang,
		[GA_FAULT_ladder_crash] = &ga_options.ladder_faults.crash,
		[GA_FAULT_ladder_fail] = &ga_options.ladder_faults.fail,
		[GA_FAULT_ladder_refuse] = &ga_options.ladder_faults.refuse,
	};
	const char *text = value;

	_Static_assert(sizeof(to) / sizeof(to[0]) == GA_N_FAULTS,
				   "each fault has its number");
	for (;;)
	{
		GaFault fault;
		uint32_t n;
		const char *end = ga_fault_parse(text, &fault, &n);

		if (end == NULL)
			refuse(option, text);
		*to[fault] = n;
		if (*end == '\0')
			return;
		text = end + 1;
	}
}

static void
set_option(int which, const char *name, char *value)
{
	switch (which)
	{
		case 's':
			ga_options.socket_path = value;
			break;
		case 'd':
			set_devices(name, value);
			break;
		case 'm':
			ga_options.cache_size_mb = parse_number(name, value, -1, MAX_MB);
			break;
		case 'p':
			ga_options.packing = parse_packing(name, value);
			break;
		case 'g':
			ga_options.staging_size_mb = parse_number(name, value, 0, MAX_MB);
			break;
		case 'b':
			ga_options.boot_token = parse_unsigned(name, value);
			break;
		case 't':
			ga_options.request_timeout_ms =
				parse_number(name, value, 1, INT32_MAX);
			break;
		case 'i':
			ga_options.idle_timeout_s = parse_number(name, value, 0, INT32_MAX);
			break;
		case 'o':
			ga_options.has_samples = true;
			break;
		case 'f':
			set_faults(name, value);
			break;
		case 'v':
			printf("gpuaggd %s (protocol %d)\n", GA_VERSION,
				   GA_PROTOCOL_VERSION);
			exit(0);
		case 'h':
			fputs(usage, stdout);
			exit(0);
		default:
			refuse(NULL, NULL);
	}
}

/*
 * Fill ga_options.  Ends the program if they are wrong, or only ask for its
 * version.
 */
void
ga_options_parse(int argc, char **argv)
{
	static const struct option options[] = {
		{"socket", required_argument, NULL, 's'},
		{"device", required_argument, NULL, 'd'},
		{"cache-size", required_argument, NULL, 'm'},
		{"cache-packing", required_argument, NULL, 'p'},
		{"staging-size", required_argument, NULL, 'g'},
		{"boot-token", required_argument, NULL, 'b'},
		{"request-timeout", required_argument, NULL, 't'},
		{"idle-timeout", required_argument, NULL, 'i'},
		{"samples", no_argument, NULL, 'o'},
		{"emulated-faults", required_argument, NULL, 'f'},
		{"version", no_argument, NULL, 'v'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0}};
	bool has_token = false;
	int i;
	int which;

	while ((which = getopt_long(argc, argv, "", options, &i)) != -1)
	{
		set_option(which, which == '?' ? NULL : options[i].name, optarg);
		has_token |= which == 'b';
	}
	if (optind < argc || ga_options.socket_path == NULL || !has_token)
		refuse(NULL, NULL);
}
