/*
 * boot_token.h
 *		The boot token: the same in all processes of a start of the server.
 *
 * Tells files that an earlier start left behind from those of this one.
 */
#ifndef GA_BOOT_TOKEN_H
#define GA_BOOT_TOKEN_H

#include "common/hashfn.h"
#include "miscadmin.h"
#include "storage/pg_shmem.h"
#include "utils/timestamp.h"

/*
 * Return the boot token, from a start of the server to the next one.  A restart
 * after a crash counts as a start: it has the same postmaster, but new shared
 * memory, with a random number in its header.
 */
static inline uint64
ga_boot_token(void)
{
	const PGShmemHeader *memory = (PGShmemHeader *) UsedShmemSegAddr;
	uint64 parts[3];

	parts[0] = (uint64) PgStartTime;
	parts[1] = (uint64) PostmasterPid;
	parts[2] = memory == NULL ? 0 : (uint64) memory->dsm_control;
	return hash_bytes_extended((unsigned char *) parts, sizeof(parts), 0);
}

#endif /* GA_BOOT_TOKEN_H */
