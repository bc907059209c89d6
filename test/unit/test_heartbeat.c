/*
 * test_heartbeat.c
 *		The judgement whether gpuaggd answers (supervisor/heartbeat.h).
 */
#include "extension/supervisor/heartbeat.h"
#include "tap.h"

/* How gpuaggd looks, from one look to the next. */
typedef struct World
{
	GaHeartbeat heartbeat;
	GaHeartbeatLook look;
} World;

/* Begin with a gpuaggd that has read everything. */
static World
begin(void)
{
	World world = {.look = {.now_ms = 1000000}};

	(void) ga_heartbeat_judge(&world.heartbeat, &world.look);
	return world;
}

/* Look again, so much later; gpuaggd has used the processor for cpu_ms. */
static GaHeartbeatState
look_after(World *world, int ms, int cpu_ms)
{
	world->look.now_ms += ms;
	world->look.cpu_ms += cpu_ms;
	return ga_heartbeat_judge(&world->heartbeat, &world->look);
}

/* Return after how long it comes to a state, with looks every 200 ms. */
static int
time_to(World *world, GaHeartbeatState state, int cpu_ms)
{
	int ms = 0;

	while (ms < 100000)
	{
		ms += 200;
		if (look_after(world, 200, cpu_ms) == state)
			return ms;
	}
	return -1;
}

static void
test_silence(void)
{
	World world = begin();
	int i;

	tap_begin("silence");
	for (i = 0; i < 100; i++)
		tap_check(look_after(&world, 200, 0) == GA_HEARTBEAT_ALIVE,
				  "it reads, look %d", i);
	world.look.n_unread = 16;
	tap_check(time_to(&world, GA_HEARTBEAT_SILENT, 0) == GA_SILENT_MS,
			  "silent");
	tap_check(time_to(&world, GA_HEARTBEAT_HUNG, 0) ==
				  GA_HUNG_MS - GA_SILENT_MS,
			  "hung");
	world.look.n_unread = 0;
	tap_check(look_after(&world, 1, 0) == GA_HEARTBEAT_ALIVE, "it has read");
	world.look.n_unread = 16;
	tap_check(look_after(&world, 200, 0) == GA_HEARTBEAT_ALIVE,
			  "the silence begins anew");
	tap_end();
}

/* Many looks at once are one, and what was just written may be unread. */
static void
test_bursts(void)
{
	World world = begin();
	int i;

	tap_begin("bursts of looks");
	for (i = 0; i < 1000; i++)
	{
		world.look.n_unread = i % 10 == 9 ? 0 : 16;
		tap_check(look_after(&world, 3, 0) == GA_HEARTBEAT_ALIVE, "look %d", i);
	}
	world = begin();
	world.look.n_unread = 16;
	for (i = 0; i < 399; i++)
		tap_check(look_after(&world, 1, 0) == GA_HEARTBEAT_ALIVE, "at %d", i);
	for (; i < 460; i++)
		(void) look_after(&world, 1, 0);
	tap_check(look_after(&world, 1, 0) == GA_HEARTBEAT_SILENT, "not silent");
	tap_end();
}

/* The machine stood still: gpuaggd had no time to read either. */
static void
test_pause(void)
{
	World world = begin();

	tap_begin("a pause of the machine");
	world.look.n_unread = 16;
	tap_check(look_after(&world, 3600 * 1000, 0) == GA_HEARTBEAT_ALIVE,
			  "an hour counts");
	tap_check(look_after(&world, 3600 * 1000, 0) == GA_HEARTBEAT_SILENT,
			  "two pauses do not count");
	tap_end();
}

/* Without a processor it cannot answer; with one it can. */
static void
test_starvation(void)
{
	World world = begin();

	tap_begin("an overloaded machine");
	world.look.n_unread = 16;
	world.look.is_runnable = true;
	tap_check(time_to(&world, GA_HEARTBEAT_SILENT, 20) == -1,
			  "a process that waits for a processor is silent");
	tap_check(time_to(&world, GA_HEARTBEAT_HUNG, 190) == GA_HUNG_MS,
			  "a loop without end is not hung");
	world = begin();
	world.look.n_unread = 16;
	tap_check(time_to(&world, GA_HEARTBEAT_HUNG, 0) == GA_HUNG_MS,
			  "a process that sleeps is not hung");
	tap_end();
}

static void
test_debugger(void)
{
	World world = begin();

	tap_begin("a debugger");
	world.look.n_unread = 16;
	world.look.is_traced = true;
	tap_check(time_to(&world, GA_HEARTBEAT_SILENT, 0) == GA_SILENT_MS,
			  "sessions wait for it");
	tap_check(time_to(&world, GA_HEARTBEAT_HUNG, 0) == -1, "it would be ended");
	world.look.is_traced = false;
	tap_check(time_to(&world, GA_HEARTBEAT_HUNG, 0) == 200,
			  "it stays after the debugger has gone");
	tap_end();
}

int
main(void)
{
	test_silence();
	test_bursts();
	test_pause();
	test_starvation();
	test_debugger();
	return tap_done();
}
