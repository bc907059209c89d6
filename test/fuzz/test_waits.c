/*
 * test_waits.c
 *		How a session waits for a reply: it polls, or it naps.
 */
#include "postgres.h"

#include "extension/offload/elements.h"
#include "session_case.h"

static GaOwner owner;
static GaIntSum ints;
static const int64 one = 1;

static uint32 n_active; /* sessions with requests, as replies say */

static void
answer_with_crowd(const GaRequest *request, GaReply *reply)
{
	(void) request;
	reply->n_active = n_active;
}

/* Begin with a gpuaggd that answers when the session sleeps. */
static void
begin(const char *name)
{
	session_begin(name, answer_with_crowd);
	hostile_late = GA_SLOTS;
}

static void
end(void)
{
	stubs_yield_us = 0;
	n_active = 0;
	session_end();
}

/* Wait for a sum.  Return how often the session napped. */
static int
wait_for_sum(void)
{
	stubs_n_naps = 0;
	tap_check(ga_elements_add(&owner, &ints, GA_int8, &one, 1, true) == 1,
			  "slot");
	ga_elements_send();
	ga_slots_drain();
	return stubs_n_naps;
}

static void
test_yields(void)
{
	int n;

	begin("a session that gets the processor back polls");
	stubs_yield_us = 100;
	n = wait_for_sum() + wait_for_sum();
	tap_check(n == 0, "%d naps", n);
	end();

	begin("one that waited long for the processor naps for a while");
	stubs_yield_us = 600;
	n = wait_for_sum();
	tap_check(n == 0, "%d naps before it knew", n);
	stubs_yield_us = 0;
	n = wait_for_sum();
	tap_check(n > 1, "%d naps", n);
	stubs_pass_ms(250);
	n = wait_for_sum();
	tap_check(n == 0, "%d naps later", n);
	end();
}

static void
answer_now(void)
{
	hostile_is_awaited(ga_client_fd);
}

/* Hear, with a reply that is there soon, how many sessions wait. */
static void
hear_of(uint32 n)
{
	n_active = n;
	stubs_at_pause = answer_now;
	(void) wait_for_sum();
	stubs_at_pause = NULL;
}

static void
test_crowd(void)
{
	int n;

	begin("sessions nap where many wait");
	hear_of(1000000);
	n = wait_for_sum();
	tap_check(n > 1, "%d naps in a crowd", n);
	hear_of(1);
	n = wait_for_sum();
	tap_check(n == 0, "%d naps alone", n);
	end();
}

int
main(void)
{
	test_yields();
	test_crowd();
	return tap_done();
}
