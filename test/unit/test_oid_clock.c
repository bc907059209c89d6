/*
 * test_oid_clock.c
 *		The clock and the comparison of oid_guard.h at their edges, with the
 *		numbers of PostgreSQL.
 */
#include <stddef.h>

#include "wire/oid_guard.h"
#include "tap.h"

static GaOidClock oid_clock;

/* A new clock with one sample; returns its mark. */
static uint64_t
begin(uint32_t next_oid, bool is_standby)
{
	const GaOidSample sample = {0, next_oid, is_standby};

	oid_clock = (GaOidClock){0};
	return ga_oid_sample(&ga_oid_space, &oid_clock, &sample);
}

static uint64_t
take_in(int64_t taken_ms, uint32_t next_oid, bool is_standby)
{
	const GaOidSample sample = {taken_ms, next_oid, is_standby};

	return ga_oid_sample(&ga_oid_space, &oid_clock, &sample);
}

static bool
serves(uint64_t mark, uint32_t value_id)
{
	return ga_oid_guard(&ga_oid_space, oid_clock.now, oid_clock.now, mark,
						value_id);
}

/* From different places of the counter, also where it goes round. */
static const uint32_t places[] = {
	16384,	  0, 1, 8191, UINT32_MAX, UINT32_MAX - 1, UINT32_C(0x80000000),
	123456789};

#define N_PLACES (sizeof(places) / sizeof(places[0]))

static void
test_primary(void)
{
	size_t i;

	tap_begin("a primary: until the counter has passed the id");
	for (i = 0; i < N_PLACES; i++)
	{
		uint32_t c = places[i];
		uint64_t mark = begin(c, false);

		tap_check(serves(mark, c) && serves(mark, c + 1) && serves(mark, c - 1),
				  "%u: nothing has moved", c);
		(void) take_in(1, c + 1, false);
		tap_check(!serves(mark, c), "%u: it was handed out", c);
		tap_check(serves(mark, c + 1) && serves(mark, c - 1),
				  "%u: its neighbours were not", c);
		(void) take_in(2, c + 1000, false);
		tap_check(!serves(mark, c + 999) && serves(mark, c + 1000),
				  "%u: up to the counter", c);

		/* all the way round, in steps that samples can tell */
		(void) take_in(3, c + 0x70000000, false);
		(void) take_in(4, c + 0xe0000000, false);
		tap_check(serves(mark, c - 1) && !serves(mark, c + 0xdfffffff),
				  "%u: nearly round", c);
		(void) take_in(5, c - 1, false);
		tap_check(serves(mark, c - 1), "%u: it is the next one", c);
		(void) take_in(6, c, false);
		tap_check(!serves(mark, c - 1), "%u: it was the last one", c);
	}
	tap_end();
}

static void
test_standby(void)
{
	size_t i;

	tap_begin("a standby: 8192 ids behind the bound are in doubt");
	for (i = 0; i < N_PLACES; i++)
	{
		uint32_t c = places[i];
		uint64_t mark = begin(c, true);

		tap_check(!serves(mark, c - 1) && !serves(mark, c - 8192),
				  "%u: the counter may pass them", c);
		tap_check(serves(mark, c) && serves(mark, c - 8193),
				  "%u: it cannot pass others", c);

		/* it goes back, and on */
		tap_check(take_in(0, c - 5000, true) == mark - 5000,
				  "%u: the mark of a lower bound", c);
		tap_check(serves(mark, c), "%u: the bound went back", c);
		(void) take_in(0, c + 3192, true);
		tap_check(!serves(mark, c) && serves(mark, c + 3192),
				  "%u: the bound went on", c);
		mark = take_in(0, c + 8192, true);
		tap_check(serves(mark, c - 1) && !serves(mark, c), "%u: another 8192",
				  c);

		/* promoted */
		mark = take_in(7, c + 8192, false);
		tap_check(serves(mark, c + 8191) && serves(mark, c + 8192),
				  "%u: a primary's mark", c);
		tap_check(take_in(0, c + 8192, true) == GA_OID_NO_MARK,
				  "%u: a standby's sample that comes late", c);
	}
	tap_end();
}

/* What was read before is in doubt, whatever the counter is by now. */
static void
test_gap(void)
{
	size_t i;
	size_t j;

	tap_begin("a gap");
	for (i = 0; i < N_PLACES; i++)
	{
		for (j = 0; j < N_PLACES; j++)
		{
			uint64_t mark = begin(places[i], i % 2);

			(void) take_in(GA_OID_GAP_MS, places[i], i % 2);
			tap_check(serves(mark, places[i]), "60 s are no gap");
			(void) take_in(2 * GA_OID_GAP_MS + 1, places[j], i % 2);
			tap_check(!serves(mark, places[i]) && !serves(mark, places[j]) &&
						  !serves(mark, (uint32_t) mark) &&
						  !serves(mark, (uint32_t) mark - 1),
					  "from %u to %u", places[i], places[j]);
			mark = take_in(2 * GA_OID_GAP_MS + 2, places[j], i % 2);
			tap_check(serves(mark, places[j]), "it goes on behind it");

			/* as much before a promotion */
			mark = begin(places[i], true);
			(void) take_in(0, places[j], false);
			tap_check(!serves(mark, places[i]) && !serves(mark, places[j]),
					  "from %u to %u, promoted", places[i], places[j]);
		}
	}
	tap_end();
}

/* Samples of slow sessions. */
static void
test_order(void)
{
	uint64_t first = begin(1000, false);
	uint64_t mark;

	tap_begin("samples in any order");
	(void) take_in(50000, 9000, false);
	mark = take_in(40000, 8000, false);
	tap_check(mark == first + 7000, "the mark of an older sample");
	tap_check(oid_clock.now == first + 8000, "now went back");
	tap_check(!serves(mark, 8000) && !serves(mark, 8999) && serves(mark, 9000),
			  "what was handed out since");

	/*
	 * A session that stopped for so long that the counter went on by more than
	 * half of the ids: taken for a new sample, it would be ahead of the
	 * counter, and what lies between them would be served.
	 */
	(void) take_in(100000, 9000 + 0x60000000, false);
	(void) take_in(150000, 9000 + 0xc0000000, false);
	mark = take_in(60000, 9100, false);
	tap_check(mark == GA_OID_NO_MARK, "it is too old to be placed");
	tap_check(!ga_oid_guard(&ga_oid_space, oid_clock.now, mark, oid_clock.now,
							(uint32_t) oid_clock.now),
			  "its sender is served");
	tap_check(!serves(mark, 9100) && !serves(mark, 0) &&
				  !serves(mark, UINT32_MAX),
			  "without a mark, all is in doubt");
	tap_check(take_in(151000, 9001 + 0xc0000000, false) ==
				  first + 8001 + 0xc0000000,
			  "the clock was moved by it");

	/* nonsense does no harm to arithmetic */
	(void) take_in(INT64_MAX, 5, false);
	(void) take_in(INT64_MIN, 5, false);
	(void) take_in(INT64_MIN, 5, true);
	tap_end();
}

/*
 * A primary whose clock is set back, as its standby sees it.  The counter goes
 * on, and nothing may be served by a sample from before; what is loaded then
 * is served, while the clock has not caught up.
 */
static void
test_set_back(void)
{
	size_t i;

	tap_begin("a standby, and a clock that is set back");
	for (i = 0; i < N_PLACES; i++)
	{
		uint32_t c = places[i];
		uint64_t before = begin(c, true);
		uint64_t mark;

		(void) take_in(3600000, c, true);
		before = take_in(3600000, c, true);
		tap_check(take_in(3600000 - GA_OID_GAP_MS, c, true) == before &&
					  serves(before, c + 1),
				  "%u: 60 s do not matter", c);
		mark = take_in(10000, c + 27000, true);
		tap_check(!serves(before, c + 10000) && !serves(before, c + 40000) &&
					  !serves(before, (uint32_t) before - 1),
				  "%u: what was read before is served", c);
		tap_check(mark != GA_OID_NO_MARK && serves(mark, c + 27000),
				  "%u: what is read then is not", c);
		(void) take_in(20000, c + 30000, true);
		tap_check(!serves(mark, c + 27000) && serves(mark, c + 30000),
				  "%u: time does not go on", c);
	}
	tap_end();
}

/* How far a sample is ahead or behind, up to half of the ids. */
static void
test_half(void)
{
	size_t i;

	tap_begin("half of the ids");
	for (i = 0; i < N_PLACES; i++)
	{
		uint32_t c = places[i];
		uint64_t mark = begin(c, false);

		tap_check(take_in(1, c + 0x7fffffff, false) == mark + 0x7fffffff &&
					  oid_clock.now == mark + 0x7fffffff,
				  "%u: one less is ahead", c);
		mark = begin(c, false);
		tap_check(take_in(1, c + 0x80000000, false) == mark - 0x80000000 &&
					  oid_clock.now == mark,
				  "%u: half is behind", c);
	}

	/* a time is too late by the same measure as it is too far ahead */
	(void) begin(1000, false);
	(void) take_in(GA_OID_GAP_MS, 1000, false);
	tap_check(take_in(0, 999, false) == oid_clock.now - 1, "60 s late");
	tap_check(take_in(-1, 999, false) == GA_OID_NO_MARK, "more than 60 s late");
	tap_end();
}

int
main(void)
{
	test_primary();
	test_standby();
	test_gap();
	test_set_back();
	test_half();
	test_order();
	return tap_done();
}
