/*
 * ladder_rig.c
 *		The ladder under test.
 */
#include <stdio.h>
#include <stdlib.h>

#include "ladder_rig.h"
#include "rig.h"

/* Bytes of the device that are free while it has a context of this process. */
static uint64_t
free_bytes(Rig *rig)
{
	GaDeviceFailure failure = {.call = ""};
	GaDeviceInfo info;

	rig_must(rig, "describe", rig->kind->describe(rig->device, &info, &failure),
			 &failure);
	return info.free_bytes;
}

const GaLadderRunner *
ladder_open(uint64_t limit_bytes)
{
	const GaLadderRunner *runner =
		&ga_ladder_cuda != NULL ? &ga_ladder_cuda : &ga_ladder_cpu;
	GaDeviceFailure failure = {.call = ""};
	uint64_t free;
	Rig rig;

	/* skips the tests if there is no device */
	rig_open(&rig);
	free = free_bytes(&rig);
	rig_must(
		&rig, "open",
		runner->open(0, limit_bytes > 0 ? free - limit_bytes : 0, &failure),
		&failure);
	rig_close(&rig);
	return runner;
}
