/*
 * gpuagg.c
 *		The module: its magic block, and _PG_init().
 *
 * Loading defines the settings, and touches no device, process or memory.  The
 * module works the same preloaded or loaded by the first call; preloaded, the
 * supervisor is started with the server, and not by the first session that
 * wants a device.
 */
#include "postgres.h"
#include "fmgr.h"

#include "extension/engine/execution.h"
#include "extension/engine/explain.h"
#include "pg_compat.h"
#include "settings.h"
#include "extension/supervisor/supervisor.h"

GA_MODULE_MAGIC;

PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	ga_settings_init();
	ga_execution_init();
	ga_explain_init();
	ga_supervisor_preload();
}
