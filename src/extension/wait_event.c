/*
 * wait_event.c
 *		Names of what gpuagg waits for, as pg_stat_activity shows them.
 *
 * Before 17 all are "Extension".  A process registers a name when it waits for
 * the first time; the server keeps one number for each name.
 */
#include "postgres.h"
#include "utils/wait_event.h"

#include "pg_compat.h"
#include "wait_event.h"

/* Return the number of a wait event. */
uint32
ga_wait_event(GaWaitEvent event)
{
	static const char *const names[GA_N_WAIT_EVENTS] = {
		[GA_WAIT_START] = "GpuaggStart",   [GA_WAIT_ANSWER] = "GpuaggAnswer",
		[GA_WAIT_DEVICE] = "GpuaggDevice", [GA_WAIT_CLEAR] = "GpuaggCacheClear",
		[GA_WAIT_LOCK] = "GpuaggLock",	   [GA_WAIT_MAIN] = "GpuaggMain",
	};
	static uint32 numbers[GA_N_WAIT_EVENTS];

	if (numbers[event] == 0)
		numbers[event] = ga_wait_event_new(names[event]);
	return numbers[event];
}
