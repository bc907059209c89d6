/*
 * ladder_fixture.c
 *		The ladder under test.
 */
#include <stdio.h>
#include <stdlib.h>

#include "ladder_fixture.h"
#include "fixture.h"

/* Bytes of the device that are free while it has a context of this process. */
static uint64_t
free_bytes(Fixture *fixture)
{
	GaDeviceFailure failure = {.call = ""};
	GaDeviceInfo info;

	fixture_must(fixture, "describe",
				 fixture->kind->describe(fixture->device, &info, &failure),
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
	Fixture fixture;

	/* skips the tests if there is no device */
	fixture_open(&fixture);
	free = free_bytes(&fixture);
	fixture_must(
		&fixture, "open",
		runner->open(0, limit_bytes > 0 ? free - limit_bytes : 0, &failure),
		&failure);
	fixture_close(&fixture);
	return runner;
}
