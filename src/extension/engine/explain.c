/*
 * explain.c
 *		EXPLAIN (ANALYZE, GPUAGG), where servers let modules add options.
 *
 * Owns the option, which the session knows when it has loaded the module, and
 * prints below each aggregate node what node_counters.c counted: for the
 * device, and for the CPU by the reason.  The server calls it by hooks; those
 * that were there before are called first.
 */
#include "postgres.h"

#include "extension/pg_compat.h"
#include "explain.h"

#if GA_HAS_EXPLAIN_OPTIONS

#include "commands/defrem.h"
#include "commands/explain.h"
#include "commands/explain_format.h"
#include "commands/explain_state.h"

#include "node_counters.h"

static int module_id;
static explain_validate_options_hook_type next_validate;
static explain_per_node_hook_type next_per_node;

/* Is the option on? */
static bool
is_on(ExplainState *es)
{
	return GetExplainExtensionState(es, module_id) != NULL;
}

static void
set_option(ExplainState *es, DefElem *option, ParseState *pstate)
{
	static bool on = true;

	SetExplainExtensionState(es, module_id, defGetBoolean(option) ? &on : NULL);
}

/* Check the option when all options are known.  Errors: 22023. */
static void
validate(ExplainState *es, List *options, ParseState *pstate)
{
	if (next_validate != NULL)
		next_validate(es, options, pstate);
	if (!is_on(es))
		return;
	if (!es->analyze)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("EXPLAIN option GPUAGG requires ANALYZE"),
						errhint("Use EXPLAIN (ANALYZE, GPUAGG).")));
	ga_nodes_want();
}

/* Print what an engine did, as a line of text without its end. */
static void
put_engine_text(const char *name, const GaEngineCounters *engine,
				ExplainState *es)
{
	ExplainIndentText(es);
	appendStringInfo(es->str,
					 "%s: arrays=" INT64_FORMAT " elements=" INT64_FORMAT
					 " bytes=" INT64_FORMAT,
					 name, engine->arrays, engine->elements, engine->bytes);
}

/* Was there anything to count with an engine? */
static bool
has_counts(const GaEngineCounters *engine)
{
	return engine->arrays != 0 || engine->elements != 0;
}

/* Print a node's counters as text: the engines that were used. */
static void
put_text(const GaCounters *counters, ExplainState *es)
{
	const GaEngineCounters *device = &counters->engines[GA_NO_REASON];
	GaReason reason;

	if (has_counts(device) || counters->waiting_us > 0)
	{
		put_engine_text("GPU", device, es);
		appendStringInfo(es->str, " hits=" INT64_FORMAT " misses=" INT64_FORMAT,
						 counters->hits, counters->misses);
		if (es->timing)
			appendStringInfo(es->str, " device time=%.3f waiting time=%.3f",
							 counters->device_us / 1000.0,
							 counters->waiting_us / 1000.0);
		appendStringInfoChar(es->str, '\n');
	}
	for (reason = GA_NO_REASON + 1; reason < GA_N_REASONS; reason++)
	{
		if (!has_counts(&counters->engines[reason]))
			continue;
		put_engine_text("CPU", &counters->engines[reason], es);
		appendStringInfo(es->str, " reason=%s\n", ga_reason_text(reason));
	}
	if (counters->helpers > 0)
		ExplainPropertyInteger("Helpers", NULL, counters->helpers, es);
}

/* Print what an engine did, as properties. */
static void
put_engine(const GaEngineCounters *engine, ExplainState *es)
{
	ExplainPropertyInteger("Arrays", NULL, engine->arrays, es);
	ExplainPropertyInteger("Elements", NULL, engine->elements, es);
	ExplainPropertyInteger("Bytes", NULL, engine->bytes, es);
}

/* Print a node's counters as properties: "GPU", and "CPU" by the reason. */
static void
put_properties(const GaCounters *counters, ExplainState *es)
{
	GaReason reason;

	ExplainOpenGroup("GPU", "GPU", true, es);
	put_engine(&counters->engines[GA_NO_REASON], es);
	ExplainPropertyInteger("Hits", NULL, counters->hits, es);
	ExplainPropertyInteger("Misses", NULL, counters->misses, es);
	if (es->timing)
	{
		ExplainPropertyFloat("Device Time", "ms", counters->device_us / 1000.0,
							 3, es);
		ExplainPropertyFloat("Waiting Time", "ms",
							 counters->waiting_us / 1000.0, 3, es);
	}
	ExplainCloseGroup("GPU", "GPU", true, es);
	ExplainOpenGroup("CPU", "CPU", false, es);
	for (reason = GA_NO_REASON + 1; reason < GA_N_REASONS; reason++)
	{
		if (!has_counts(&counters->engines[reason]))
			continue;
		ExplainOpenGroup("Reason", NULL, true, es);
		ExplainPropertyText("Reason", ga_reason_text(reason), es);
		put_engine(&counters->engines[reason], es);
		ExplainCloseGroup("Reason", NULL, true, es);
	}
	ExplainCloseGroup("CPU", "CPU", false, es);
	ExplainPropertyInteger("Helpers", NULL, counters->helpers, es);
}

/* Does a node have anything to print? */
static bool
has_any(const GaCounters *counters)
{
	bool any = counters->waiting_us > 0;
	GaReason reason;

	for (reason = GA_NO_REASON; reason < GA_N_REASONS; reason++)
		any = any || has_counts(&counters->engines[reason]);
	return any;
}

static void
per_node(PlanState *plan, List *ancestors, const char *relationship,
		 const char *name, ExplainState *es)
{
	GaCounters counters;

	if (next_per_node != NULL)
		next_per_node(plan, ancestors, relationship, name, es);
	if (!is_on(es) || !(IsA(plan, AggState) || IsA(plan, WindowAggState)) ||
		!ga_nodes_read(plan, &counters) || !has_any(&counters))
		return;
	if (es->format == EXPLAIN_FORMAT_TEXT)
		put_text(&counters, es);
	else
		put_properties(&counters, es);
}

/* Add the option. */
void
ga_explain_init(void)
{
	ga_nodes_init();
	module_id = GetExplainExtensionId("gpuagg");
	ga_add_explain_option("gpuagg", set_option);
	next_validate = explain_validate_options_hook;
	explain_validate_options_hook = validate;
	next_per_node = explain_per_node_hook;
	explain_per_node_hook = per_node;
}

#else

/* There are no options of modules. */
void
ga_explain_init(void)
{
}

#endif /* GA_HAS_EXPLAIN_OPTIONS */
