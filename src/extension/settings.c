/*
 * settings.c
 *		The settings gpuagg.*, all in one room.
 */
#include "postgres.h"

#include <limits.h>

#include "lib/stringinfo.h"
#include "utils/guc.h"

#include "wire/slot.h"
#include "settings.h"

const GaCpuEngine *ga_cpu = NULL;
int ga_engine = GA_ENGINE_AUTO;
int ga_min_gpu_size = 0;
int ga_request_timeout = 30000;
char *ga_device = NULL;
int ga_cache_size = -1;
int ga_staging_size = 256;
char *ga_emulated_faults = NULL;

static char *cpu_engine = NULL;

static const struct config_enum_entry engines[] = {
	{"auto", GA_ENGINE_AUTO, false},
	{"cpu", GA_ENGINE_CPU, false},
	{"gpu", GA_ENGINE_GPU, false},
	{NULL, 0, false}};

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
	int i;

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

/* auto, none, emulated, or numbers with commas between them. */
static bool
check_device(char **value, void **extra, GucSource source)
{
	const char *p = *value;

	if (strcmp(p, "auto") == 0 || strcmp(p, "none") == 0 ||
		strcmp(p, "emulated") == 0)
		return true;
	do
	{
		size_t n = strspn(p, "0123456789");

		if (n == 0 || n > 3)
			break;
		p += n;
	} while (*p++ == ',');
	if (p[-1] == '\0')
		return true;
	GUC_check_errdetail("It is \"auto\", \"none\", \"emulated\", or numbers of "
						"devices such as \"0\" or \"0,1\".");
	return false;
}

/* name=n, with commas between them; gpuaggd has the names. */
static bool
check_faults(char **value, void **extra, GucSource source)
{
	if (strspn(*value, "abcdefghijklmnopqrstuvwxyz_=,0123456789") ==
		strlen(*value))
		return true;
	GUC_check_errdetail(
		"It is a list such as \"fail_launch=2,hang_launch=5\".");
	return false;
}

/* What a session may choose. */
static void
define_session_settings(void)
{
	DefineCustomEnumVariable(
		"gpuagg.engine", "Chooses what computes sums and running totals.",
		"All engines give the same bits. \"gpu\" is for tests and benchmarks: "
		"an error where there is no device.",
		&ga_engine, GA_ENGINE_AUTO, engines, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"gpuagg.min_gpu_size",
		"The smallest stored value that \"auto\" sends to the device.",
		"0 sends all, -1 none.", &ga_min_gpu_size, 0, -1, INT_MAX, PGC_USERSET,
		GUC_UNIT_KB, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"gpuagg.request_timeout",
		"How long a request may take until the CPU does its work.",
		"A device that takes longer is given up and opened anew.",
		&ga_request_timeout, 30000, 100, INT_MAX, PGC_USERSET, GUC_UNIT_MS,
		NULL, NULL, NULL);
	DefineCustomStringVariable(
		"gpuagg.cpu_engine",
		"Chooses the vector instructions of the CPU engine.",
		"They differ in speed only. For tests and benchmarks.", &cpu_engine,
		"auto", PGC_USERSET, GUC_NOT_IN_SAMPLE, check_cpu_engine,
		assign_cpu_engine, NULL);
}

/* What gpuaggd is started with. */
static void
define_daemon_settings(void)
{
	DefineCustomStringVariable("gpuagg.device", "The devices that are used.",
							   "\"auto\" is the first that can be used, "
							   "\"none\" is none, \"emulated\" is the CPU in "
							   "gpuaggd; or numbers, as nvidia-smi has them.",
							   &ga_device, "auto", PGC_SIGHUP, 0, check_device,
							   NULL, NULL);
	DefineCustomIntVariable(
		"gpuagg.cache_size", "Memory that is taken of each device.",
		"-1 is half of what it has.", &ga_cache_size, -1, -1, INT_MAX,
		PGC_SIGHUP, GUC_UNIT_MB, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"gpuagg.staging_size",
		"Memory of the host through which data goes to the devices.",
		"A session at work has 8 MB of it.", &ga_staging_size, 256,
		GA_LEASE_BYTES >> 20, 65536, PGC_SIGHUP, GUC_UNIT_MB, NULL, NULL, NULL);
	DefineCustomStringVariable(
		"gpuagg.emulated_faults", "What the emulated device does wrong.",
		"For tests of gpuagg.", &ga_emulated_faults, "", PGC_SIGHUP,
		GUC_NOT_IN_SAMPLE, check_faults, NULL, NULL);
}

/* Called once when the module is loaded. */
void
ga_settings_init(void)
{
	define_session_settings();
	define_daemon_settings();
	MarkGUCPrefixReserved("gpuagg");
}
