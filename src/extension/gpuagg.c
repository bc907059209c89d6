/*
 * gpuagg.c
 *		The module: what happens when PostgreSQL loads it.
 *
 * Nothing but settings: no device, no process, no memory.  It works the same
 * preloaded or loaded by the first call; preloaded, the supervisor of gpuaggd
 * comes with the server, and not with the first session that wants a device.
 */
#include "postgres.h"
#include "fmgr.h"

#include "pg_compat.h"
#include "settings.h"
#include "extension/supervisor/supervisor.h"

GA_MODULE_MAGIC;

PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	ga_settings_init();
	ga_supervisor_preload();
}
