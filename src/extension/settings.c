/*
 * settings.c
 *		The settings gpuagg.*, all in one room.
 */
#include "postgres.h"
#include "lib/stringinfo.h"
#include "utils/guc.h"

#include "settings.h"

const GaCpuEngine *ga_cpu = NULL;

static char *cpu_engine = NULL;

/* The implementation a value of gpuagg.cpu_engine names; NULL if none. */
static const GaCpuEngine *
engine_named(const char *name)
{
	return strcmp(name, "auto") == 0 ? ga_cpu_best() : ga_cpu_find(name);
}

static bool
check_cpu_engine(char **value, void **extra, GucSource source)
{
	StringInfoData names;
	int			i;

	if (engine_named(*value) != NULL)
		return true;

	initStringInfo(&names);
	for (i = 0; i < ga_cpu_n_engines; i++)
	{
		if (ga_cpu_engines[i]->is_supported())
			appendStringInfo(&names, ", \"%s\"", ga_cpu_engines[i]->name);
	}
	GUC_check_errdetail("This processor can run: \"auto\"%s.", names.data);
	return false;
}

static void
assign_cpu_engine(const char *value, void *extra)
{
	ga_cpu = engine_named(value);
}

/* Called once when the module is loaded. */
void
ga_settings_init(void)
{
	DefineCustomStringVariable("gpuagg.cpu_engine",
							   "Chooses the vector instructions of the CPU engine.",
							   "They differ in speed only. For tests and benchmarks.",
							   &cpu_engine,
							   "auto",
							   PGC_USERSET,
							   GUC_NOT_IN_SAMPLE,
							   check_cpu_engine,
							   assign_cpu_engine,
							   NULL);
	MarkGUCPrefixReserved("gpuagg");
}
