/*
 * settings.c
 *		The settings gpuagg.*: their definitions, checks and variables.
 *
 * Owns every setting of the extension, and the list of those that gpuaggd is
 * started with.  _PG_init() calls ga_settings_init() once in each process;
 * all files read the variables of settings.h, and PostgreSQL sets them: some in
 * a session, by any user or by superusers, and those of gpuaggd only by the
 * server's configuration.  The checks run in the postmaster, too: they look
 * at text alone, at no device.
 */
#include "postgres.h"

#include <limits.h>

#include "access/parallel.h"
#include "access/xact.h"
#include "lib/stringinfo.h"
#include "utils/guc.h"
#include "utils/guc_tables.h"

#include "wire/faults.h"
#include "wire/slot.h"
#include "pg_compat.h"
#include "settings.h"

/* No machine has more devices (GA_MAX_DEVICES of gpuaggd). */
#define MAX_ORDINAL 63

const GaCpuEngine *ga_cpu = NULL;
bool ga_allow_device = true;
int ga_engine = GA_ENGINE_AUTO;
int ga_min_gpu_size = 0;
int ga_request_timeout = 30000;
char *ga_device = NULL;
double ga_execution = 0;

/* Without readers here: gpuaggd gets them, and ga_cpu is made of the first. */
static char *cpu_engine = NULL;
static int cache_size = -1; /* MB; -1 is half of the device's memory */
static int cache_packing = 1;
static int staging_size = 256;	 /* MB */
static int idle_timeout = 86400; /* s; 0 is for ever */
static char *emulated_faults = NULL;

/*
 * The settings that gpuaggd is started with: "gpuagg.cache_size" is its option
 * --cache-size, in the unit that the setting is defined with.
 */
const char *const ga_daemon_settings[] = {
	"gpuagg.device",		  "gpuagg.cache_size",
	"gpuagg.cache_packing",	  "gpuagg.staging_size",
	"gpuagg.request_timeout", "gpuagg.idle_timeout",
	"gpuagg.emulated_faults", NULL};

static const struct config_enum_entry engines[] = {
	{"auto", GA_ENGINE_AUTO, false},
	{"cpu", GA_ENGINE_CPU, false},
	{"gpu", GA_ENGINE_GPU, false},
	{NULL, 0, false}};

/* As a switch; "always" is for tests. */
static const struct config_enum_entry packing_modes[] = {
	{"off", 0, false},	{"on", 1, false},  {"always", 2, false},
	{"false", 0, true}, {"true", 1, true}, {"no", 0, true},
	{"yes", 1, true},	{"0", 0, true},	   {"1", 1, true},
	{NULL, 0, false}};

/* Return the CPU engine that a value of gpuagg.cpu_engine names, or NULL. */
static const GaCpuEngine *
find_cpu_engine(const char *name)
{
	return strcmp(name, "auto") == 0 ? ga_cpu_best() : ga_cpu_find(name);
}

/* Check that this processor has the instructions. */
static bool
check_cpu_engine(char **value, void **extra, GucSource source)
{
	StringInfoData names;
	int i;

	if (find_cpu_engine(*value) != NULL)
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
	ga_cpu = find_cpu_engine(value);
}

/* Are these numbers of devices, with commas between, and none of them twice? */
static bool
are_ordinals(const char *text)
{
	bool is_named[MAX_ORDINAL + 1] = {false};
	const char *p = text;

	for (;;)
	{
		size_t n = strspn(p, "0123456789");
		int ordinal = n == 0 || n > 3 ? -1 : atoi(p);

		if (ordinal < 0 || ordinal > MAX_ORDINAL || is_named[ordinal])
			return false;
		is_named[ordinal] = true;
		p += n;
		if (*p == '\0')
			return true;
		if (*p++ != ',')
			return false;
	}
}

/* Is it "emulated", or "emulated:" and a number of devices? */
static bool
is_emulated(const char *text)
{
	const size_t n = strlen("emulated");
	const char *digits = text + n + 1;

	if (strncmp(text, "emulated", n) != 0 || text[n] == '\0')
		return strcmp(text, "emulated") == 0;
	return text[n] == ':' && *digits >= '1' && *digits <= '9' &&
		   digits[strspn(digits, "0123456789")] == '\0' &&
		   strlen(digits) <= 2 && atoi(digits) <= MAX_ORDINAL + 1;
}

/* Check for auto, none, emulated, or numbers of devices. */
static bool
check_device(char **value, void **extra, GucSource source)
{
	if (strcmp(*value, "auto") == 0 || strcmp(*value, "none") == 0 ||
		is_emulated(*value) || are_ordinals(*value))
		return true;
	GUC_check_errdetail("It is \"auto\", \"none\", \"emulated\", or numbers of "
						"devices from 0 to %d such as \"0\" or \"0,1\".",
						MAX_ORDINAL);
	GUC_check_errhint("\"nvidia-smi -L\" shows the numbers; \"auto\" takes all "
					  "devices that can be used, \"none\" uses the CPU.");
	return false;
}

/* Say which faults there are. */
static void
report_faults(const char *wrong)
{
	GUC_check_errdetail("\"%s\" is not the name of a fault and a number, such "
						"as \"fail_launch=2\".",
						wrong);
	GUC_check_errhint("The names are "
#define X(name) #name ", "
					  GA_FAULTS(X)
#undef X
						  "with commas between several faults.");
}

/* Check that gpuaggd will know the faults. */
static bool
check_faults(char **value, void **extra, GucSource source)
{
	const char *text = *value;

	while (**value != '\0')
	{
		GaFault fault;
		uint32 n;
		const char *end = ga_fault_parse(text, &fault, &n);

		if (end == NULL)
		{
			report_faults(text);
			return false;
		}
		if (*end == '\0')
			break;
		text = end + 1;
	}
	return true;
}

/* Let no user set it: it comes from a worker's leader. */
static bool
check_execution(double *value, void **extra, GucSource source)
{
	if (source == PGC_S_DEFAULT || source == PGC_S_OVERRIDE)
		return true;
	GUC_check_errdetail("gpuagg sets it for parallel workers.");
	return false;
}

/*
 * Have the parallel workers that are started from now on get an execution's
 * number.  The server passes on settings that were set, and the first call sets
 * this one, in a way that no RESET undoes.  Workers of workers there are none,
 * and none of a session that loaded the module in parallel mode.
 */
void
ga_settings_share_execution(uint64 id)
{
	static bool is_set = false;

	if (!is_set && !IsInParallelMode())
	{
		SetConfigOption("gpuagg.execution", "0", PGC_SUSET, PGC_S_OVERRIDE);
		is_set = true;
	}
	ga_execution = (double) id;
}

/* Define what a session may choose. */
static void
define_session_settings(void)
{
	DefineCustomEnumVariable(
		"gpuagg.engine", "Chooses what computes.",
		"All engines give the same bits. \"gpu\" is for tests and benchmarks: "
		"an error where there is no device.",
		&ga_engine, GA_ENGINE_AUTO, engines, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"gpuagg.min_gpu_size",
		"The smallest stored array that \"auto\" sends to the device.",
		"0 sends all, -1 none.", &ga_min_gpu_size, 0, -1, INT_MAX, PGC_USERSET,
		GUC_UNIT_KB, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"gpuagg.request_timeout",
		"How long a request may take before the CPU computes instead.",
		"A device that takes longer is closed, and opened again.",
		&ga_request_timeout, 30000, 100, INT_MAX, PGC_USERSET, GUC_UNIT_MS,
		NULL, NULL, NULL);
	DefineCustomStringVariable(
		"gpuagg.cpu_engine",
		"Chooses the vector instructions of the CPU engine.",
		"They differ in speed only. For tests and benchmarks.", &cpu_engine,
		"auto", PGC_USERSET, GUC_NOT_IN_SAMPLE, check_cpu_engine,
		assign_cpu_engine, NULL);
}

/* Define what is passed to parallel workers. */
static void
define_worker_settings(void)
{
	DefineCustomRealVariable(
		"gpuagg.execution", "The execution that a parallel worker belongs to.",
		NULL, &ga_execution, 0, 0,
		(double) (UINT64CONST(1) << (GA_EXECUTION_COUNT_BITS + 22)), PGC_SUSET,
		GUC_NO_SHOW_ALL | GUC_NO_RESET_ALL | GUC_NOT_IN_SAMPLE |
			GUC_DISALLOW_IN_FILE,
		check_execution, NULL, NULL);
}

/* Return a setting, or what has its name before it is defined; or NULL. */
static const struct config_generic *
find_setting(const char *name)
{
#if GA_HAS_FIND_OPTION
	return find_option(name, false, true, 0);
#else
	struct config_generic **settings = get_guc_variables();
	int i;

	for (i = 0; i < GetNumConfigOptions(); i++)
	{
		if (pg_strcasecmp(settings[i]->name, name) == 0)
			return settings[i];
	}
	return NULL;
#endif
}

/* Return where the value of a setting is from, but for what SET made of it. */
static GucSource
source_of(const char *name)
{
	const struct config_generic *setting = find_setting(name);

	return setting != NULL ? setting->reset_source : PGC_S_DEFAULT;
}

/*
 * Define gpuagg.allow_device.  When a session loads the module later than it
 * begins, PostgreSQL has let its client send any value at the start, in the
 * place of that of the role, the database or the configuration.  A value that
 * the user may not choose is refused here, but the other one is lost.  It may
 * have been off, so the setting is off then.  The same holds for an invalid
 * value, whoever set it.  Off has the source of the refused value: whatever
 * overrides that value overrides off, and a corrected and reloaded one counts.
 * During a parallel operation, as when a worker is the first to load the
 * module, PostgreSQL sets no value at all; if there was one, off is the
 * default.
 */
static void
define_allow_device(void)
{
	static const char *const name = "gpuagg.allow_device";
	const GucSource source = source_of(name);
	const bool takes_none = find_setting(name) != NULL && IsInParallelMode();

	DefineCustomBoolVariable(
		name, "Lets sessions use the devices.",
		"Superusers may turn it off for a role or a database.",
		&ga_allow_device, !takes_none, PGC_SUSET, 0, NULL, NULL, NULL);
	if (!takes_none && source_of(name) != source)
		SetConfigOption(name, "off", PGC_SUSET, source);
}

/* Define what only the server's configuration may choose, and superusers. */
static void
define_server_settings(void)
{
	define_allow_device();
	DefineCustomStringVariable("gpuagg.device", "The devices that are used.",
							   "\"auto\" is all that can be used, \"none\" is "
							   "none, \"emulated\" is the CPU in gpuaggd; or "
							   "numbers, as nvidia-smi has them.",
							   &ga_device, "auto", PGC_SIGHUP, 0, check_device,
							   NULL, NULL);
	DefineCustomIntVariable(
		"gpuagg.cache_size", "Memory of each device that gpuagg uses.",
		"-1 is half of the device's memory.", &cache_size, -1, -1, INT_MAX,
		PGC_SIGHUP, GUC_UNIT_MB, NULL, NULL, NULL);
	DefineCustomEnumVariable(
		"gpuagg.cache_packing", "Keeps resident arrays packed.",
		"\"on\": where that saves memory of the device. \"always\" is for "
		"tests. It changes no result.",
		&cache_packing, 1, packing_modes, PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"gpuagg.staging_size",
		"Host memory through which data is sent to the devices.",
		"Sessions that move data lease slots of 2 MB.", &staging_size, 256,
		GA_LEASE_BYTES >> 20, 65536, PGC_SIGHUP, GUC_UNIT_MB, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"gpuagg.idle_timeout",
		"How long gpuaggd stays without a session that uses it.",
		"The next session that wants a device starts it again. 0 is for ever.",
		&idle_timeout, 86400, 0, INT_MAX, PGC_SIGHUP, GUC_UNIT_S, NULL, NULL,
		NULL);
	DefineCustomStringVariable(
		"gpuagg.emulated_faults", "Faults of the emulated device.",
		"For tests of gpuagg.", &emulated_faults, "", PGC_SIGHUP,
		GUC_NOT_IN_SAMPLE, check_faults, NULL, NULL);
}

/* Define all settings, when the module is loaded. */
void
ga_settings_init(void)
{
	define_session_settings();
	define_server_settings();
	define_worker_settings();
	MarkGUCPrefixReserved("gpuagg");
}
