/*
 * session_case.c
 *		A test of a session's side, with a gpuaggd that answers as it is told.
 */
#include "postgres.h"

#include "extension/offload/stored.h"
#include "session_case.h"

void
session_begin(const char *name, HostileAnswer answer)
{
	tap_begin("%s", name);
	hostile_answer_by(answer);
	ga_slots_init(ga_stored_connection_lost);
	tap_check(ga_client_open(true) == GA_NO_REASON, "no connection");
}

void
session_want_lease(void)
{
	((GaLookupHead *) ga_client_memory.lookups)->lease_is_wanted = 1;
}

void
session_end(void)
{
	stubs_fail_at = 0;
	stubs_cancel_at = 0;
	stubs_level = 1;
	(void) ga_stored_reset();
	ga_slots_reset();
	hostile_end();
	stubs_reset();
	tap_end();
}
