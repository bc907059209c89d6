/*
 * options.h
 *		The command line of gpuaggd.
 */
#ifndef GA_OPTIONS_H
#define GA_OPTIONS_H

#include "device/device.h"
#include "ladder/ladder_packet.h"
#include "wire/protocol.h"

/* Which resident arrays are packed: where that saves memory, or all. */
typedef enum GaPackingMode
{
	GA_PACKS_NONE = 0,
	GA_PACKS_SOME,
	GA_PACKS_ALL
} GaPackingMode;

typedef struct GaOptions
{
	const char *socket_path;
	int n_emulated; /* emulated devices; 0: real ones */
	int n_ordinals; /* 0: all that can be opened */
	int ordinals[GA_MAX_DEVICES];
	int64_t cache_size_mb; /* of each device; -1 is half of what it has */
	GaPackingMode packing;
	int64_t staging_size_mb;
	uint64_t boot_token;
	int64_t request_timeout_ms;
	int64_t idle_timeout_s; /* 0 is for ever */
	bool has_samples;		/* standard input is the input of oid_clock.c */

	/* What to do wrong. */
	GaDeviceFaults emulated_faults; /* of the emulated device */
	GaLadderFaults ladder_faults;	/* of gpuagg-ladder */
	uint32_t wrong_version;			/* turn everybody away */
	uint32_t slow_launch_ms;		/* each request takes at least that long */
} GaOptions;

/* Set by ga_options_parse(), and not changed later. */
extern GaOptions ga_options;

extern void ga_options_parse(int argc, char **argv);

#endif /* GA_OPTIONS_H */
