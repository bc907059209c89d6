/*
 * stored_finish.c
 *		The end of a query's stored arrays: all are added to their states.
 *
 * This process and its helpers take the steps with them (stored_load.c), before
 * it waits for what other sessions load.
 */
#include "postgres.h"

#include "helpers.h"
#include "stored_list.h"

/*
 * Have all stored arrays summed, or their elements sent, but those of outer
 * transactions.  May throw.
 */
void
ga_stored_finish(void)
{
	do
	{
		ga_stored_finish_own(ga_helpers_read);
		if (!ga_stored_has_readable(false))
			break;
		ga_stored_wait_for_others();
	} while (ga_stored_has_readable(false));
}
