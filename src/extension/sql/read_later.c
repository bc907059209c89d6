/*
 * read_later.c
 *		Stored arrays that can be read as long as a query runs.
 *
 * Arrays of one query are read together, some time after their rows, and totals
 * as rows while the query uses those before.  Meanwhile a function in the query
 * might truncate, rewrite or drop a table, but for the tables that the query
 * itself has open: PostgreSQL refuses that.  So an array of any other table,
 * which such a function returned, is read at once.
 *
 * Called by the SQL functions.
 */
#include "postgres.h"
#include "utils/rel.h"

#include "extension/input/toast.h"
#include "read_later.h"

/* Does a query have the table of a TOAST table open? */
static bool
has_open(const EState *estate, Oid toast_relation)
{
	static Index last = 0; /* most often it is the one of the array before */
	Index i;

	for (i = 0; i < estate->es_range_table_size; i++)
	{
		const Index at = (last + i) % estate->es_range_table_size;
		const Relation relation = estate->es_relations[at];

		if (relation != NULL &&
			relation->rd_rel->reltoastrelid == toast_relation)
		{
			last = at;
			return true;
		}
	}
	return false;
}

/*
 * Can an array be read as long as a query runs?  The query may be NULL, if it
 * is not known.
 */
bool
ga_may_read_later(const EState *estate, Datum array)
{
	struct varatt_external pointer;

	return !ga_toast_pointer(array, &pointer) ||
		   (estate != NULL && has_open(estate, pointer.va_toastrelid));
}
