/*
 * test_oid_guard.c
 *		No array is served for another one that has its id; and each rule of
 *		oid_guard.h is needed for that.
 *
 * A model: a server with few ids (oid_world.h), gpuaggd and its clients
 * (oid_model.h).
 */
#include <string.h>

#include "oid_model.h"
#include "tap.h"

#define LIFE_STEPS 100000 /* of one server */
#define N_LIVES	   60

static Model model;

/* Does this client wait?  Some do, in the state in which this life has it. */
static bool
waits(Model *m, const Client *client)
{
	return client->is_slow && client->state == m->slow_state &&
		   !rng_chance(&m->world.rng, m->slow_turns);
}

/* Something happens. */
static void
model_step(Model *m)
{
	int i = (int) rng_below(&m->world.rng, N_CLIENTS);

	if (rng_chance(&m->world.rng, 2))
		world_step(&m->world);
	if (!waits(m, &m->clients[i]))
		model_step_client(m, &m->clients[i]);
	if (rng_chance(&m->world.rng, 20))
		(void) model_take_in(m, model_sample(m));
	if (rng_chance(&m->world.rng, 100))
		m->entries[rng_below(&m->world.rng, N_IDS)].serial = 0;
	if (rng_chance(&m->world.rng, 50000))
		world_idle(&m->world);
}

/* In which state are clients slow in this life?  As the missing rule has it. */
static ClientState
slow_state(Without without, uint64_t seed)
{
	static const ClientState states[5] = {CLIENT_HAS_POINTER, CLIENT_HAS_SAMPLE,
										  CLIENT_SENDS, CLIENT_CHECKS,
										  CLIENT_ASKS};

	switch (without)
	{
		case WITHOUT_OWN_MARK:
		case WITHOUT_STEP:
			return CLIENT_SENDS;
		default:
			return states[seed % 5];
	}
}

/* The life of a server, and of its gpuaggd; a standby's with a promotion. */
static void
live(Model *m, uint64_t seed, bool is_standby)
{
	int i;

	world_begin(&m->world, seed, is_standby);
	memset(&m->clock, 0, sizeof(m->clock));
	memset(m->entries, 0, sizeof(m->entries));
	memset(m->clients, 0, sizeof(m->clients));
	m->slow_state = slow_state(m->without, seed);
	m->slow_turns = (int) (seed / 5 % 5) * 150 + 10;
	for (i = 0; i < LIFE_STEPS; i++)
	{
		if (is_standby && i == LIFE_STEPS / 4 * 3)
			world_promote(&m->world);
		model_step(m);
	}
	m->n_reused += m->world.n_reused;
}

static void
run(Without without, bool is_standby, long n_lives)
{
	long i;

	memset(&model, 0, sizeof(model));
	model.without = without;
	model.space.mask = N_IDS - 1;
	model.space.step = STEP;
	model.space.gap_ms = without == WITHOUT_GAP ? INT64_MAX : GAP_MS;
	for (i = 0; i < n_lives; i++)
		live(&model, (uint64_t) i, is_standby);
	tap_note("%ld served, %ld in needless doubt, %ld ids given again, "
			 "%ld stale",
			 model.n_served, model.n_doubts, model.n_reused, model.n_stale);
}

/* With all rules: nothing is stale, and the guard is of use. */
static void
test_rules(bool is_standby, int percent)
{
	tap_begin("%s: nothing is stale",
			  is_standby ? "a standby, and its promotion" : "a primary");
	run(WITHOUT_NOTHING, is_standby, tap_cases(N_LIVES));
	tap_check(model.n_stale == 0, "%ld stale arrays", model.n_stale);
	tap_check(model.n_reused > 0, "no id was given again");
	tap_check(is_standby || model.n_kept > 0, "nothing that was kept is used");
	tap_check(model.n_served * 100 >
				  (model.n_served + model.n_doubts) * percent,
			  "only %ld of %ld were served without need to look",
			  model.n_served, model.n_served + model.n_doubts);
	tap_end();
}

/* The model finds out if a rule is not kept. */
static void
test_without(Without without, bool is_standby, long n_lives, const char *name)
{
	tap_begin("%s: stale arrays without %s",
			  is_standby ? "a standby" : "a primary", name);
	run(without, is_standby, n_lives);
	tap_check(model.n_stale > 0, "the model did not find out");
	tap_end();
}

/* Begin a short story: the first array there is, by its id. */
static uint32_t
begin_story(Without without)
{
	Model *m = &model;
	uint32_t id = FIRST_ID;

	memset(m, 0, sizeof(*m));
	m->without = without;
	m->space = (GaOidSpace){N_IDS - 1, STEP, GAP_MS};
	world_begin(&m->world, 1, false);
	while (m->world.here->chunks[id].serial == 0)
		id++;
	return id;
}

/* The array is deleted; then a writer draws its id, and does not look yet. */
static void
delete_and_draw(Model *m, uint32_t id)
{
	Node *node = m->world.here;

	node->chunks[id].deleted = ++node->change;
	node->next_oid = id + 1;
}

/* After a vacuum the writer goes on; another client wants the new array. */
static void
end_story(Model *m, uint32_t id)
{
	Node *node = m->world.here;

	node->chunks[id].serial = ++m->world.n_serials;
	node->chunks[id].deleted = 0;
	node->change++;
	model_give_pointer(m, &m->clients[1], id);
	model_look_up(m, &m->clients[1]);
}

/*
 * Those that chance does not find often enough.  A session takes an id, and
 * before it looks whether it is in use, the array is read by a client that
 * still sees it, and removed.
 */
static void
check_slow_writer(Without without)
{
	Model *m = &model;
	const uint32_t id = begin_story(without);

	model_give_pointer(m, &m->clients[0], id);
	delete_and_draw(m, id);
	model_look_up(m, &m->clients[0]);
	end_story(m, id);
}

static void
test_slow_writer(void)
{
	tap_begin("a reader of an array whose id is given again");
	check_slow_writer(WITHOUT_NOTHING);
	tap_check(model.n_stale == 0, "stale, with all rules");
	check_slow_writer(WITHOUT_XMAX);
	tap_check(model.n_stale == 1, "not stale without a look at xmax");
	tap_end();
}

/*
 * An array is resident, and in doubt since there were no samples for a while.
 * A client settles the doubt; the id is drawn before the client's n-th step.
 * Return how many steps it took.
 */
static int
check_slow_reader(Without without, int n)
{
	Model *m = &model;
	const uint32_t id = begin_story(without);
	int n_steps = 0;

	m->world.here->next_oid = id;
	model_give_pointer(m, &m->clients[0], id);
	model_look_up(m, &m->clients[0]);
	m->world.ms += GAP_MS + 1;

	model_give_pointer(m, &m->clients[0], id);
	for (; m->clients[0].state != CLIENT_IDLE; n_steps++)
	{
		if (n_steps == n)
			delete_and_draw(m, id);
		model_step_client(m, &m->clients[0]);
	}
	if (n >= n_steps)
		delete_and_draw(m, id);
	end_story(m, id);
	return n_steps;
}

static void
test_slow_reader(void)
{
	long n_stale = 0;
	int n_steps = 1;
	int n;

	tap_begin("a doubt that is settled while the id is given again");
	for (n = 0; n <= n_steps; n++)
	{
		n_steps = check_slow_reader(WITHOUT_NOTHING, n);
		tap_check(model.n_stale == 0, "stale, before step %d", n);
		tap_check(n_steps == 5, "%d steps", n_steps);
		check_slow_reader(WITHOUT_ORDER, n);
		n_stale += model.n_stale;
	}
	tap_check(n_stale == 1,
			  "%ld stale arrays without the sample before the look", n_stale);
	tap_end();
}

int
main(void)
{
	test_rules(false, 60);
	test_rules(true, 60);
	test_without(WITHOUT_GUARD, false, 2, "a guard");
	test_without(WITHOUT_GUARD, true, 2, "a guard");
	test_without(WITHOUT_STEP, true, 30, "the step");
	test_without(WITHOUT_GAP, false, 10, "the gap");
	test_without(WITHOUT_GAP, true, 10, "the gap");
	test_without(WITHOUT_REPLAYED_TIME, true, 10, "the replayed time");
	test_without(WITHOUT_OWN_MARK, false, 30, "the reader's own mark");
	test_without(WITHOUT_OWN_MARK, true, 30, "the reader's own mark");
	test_without(WITHOUT_SECOND_SAMPLE, false, 2, "the second sample");
	test_without(WITHOUT_SECOND_SAMPLE, true, 2, "the second sample");
	test_slow_writer();
	test_slow_reader();
	return tap_done();
}
