/*
 * gpuagg.c
 *		The module: what happens when PostgreSQL loads it.
 *
 * Nothing but settings: no device, no process, no memory.  It works the same
 * preloaded or loaded by the first call.
 */
#include "postgres.h"
#include "fmgr.h"

#include "pg_compat.h"
#include "settings.h"

GA_MODULE_MAGIC;

PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	ga_settings_init();
}
