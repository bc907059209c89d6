/*
 * ladder_fixture.h
 *		The ladder under test: the GPU's in programs that are linked with it,
 *		the CPU's in others.
 */
#ifndef LADDER_FIXTURE_H
#define LADDER_FIXTURE_H

#include "ladder/ladder_runner.h"

/*
 * Open it, or print that all tests are skipped, and exit.  A limit of so many
 * bytes of device memory; 0 is none.
 */
extern const GaLadderRunner *ladder_open(uint64_t limit_bytes);

#endif /* LADDER_FIXTURE_H */
