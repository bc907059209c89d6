/*
 * stored_key.c
 *		Stored arrays as requests name them.
 *
 * A stored array is named by its TOAST pointer, which is enough to find it on
 * the device: the chunks that a TOAST pointer of a heap table means never
 * change.
 */
#include "postgres.h"

#include <sys/stat.h>

#include "access/htup_details.h"
#include "catalog/pg_am_d.h"
#include "catalog/pg_class.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "extension/engine/execution.h"
#include "extension/supervisor/oid_sample.h"
#include "stored_key.h"

/* Does a TOAST relation belong to the heap access method? */
static bool
is_heap(Oid relid)
{
	static Oid last = InvalidOid;
	static bool last_is_heap;
	HeapTuple tuple;

	if (relid == last)
		return last_is_heap;
	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	if (!HeapTupleIsValid(tuple))
		return false;
	last = relid;
	last_is_heap =
		((Form_pg_class) GETSTRUCT(tuple))->relam == HEAP_TABLE_AM_OID;
	ReleaseSysCache(tuple);
	return last_is_heap;
}

/* Get the key of an array that can be resident; false if it cannot. */
bool
ga_stored_key(Datum array, GaStoredKey *key)
{
	struct varatt_external pointer;

	if (!ga_toast_pointer(array, &pointer) || !is_heap(pointer.va_toastrelid))
		return false;
	key->relation = pointer.va_toastrelid;
	key->value_id = pointer.va_valueid;
	key->raw_bytes = (uint32) pointer.va_rawsize;
	key->ext_info = pointer.va_extinfo;
	return true;
}

/* Return the TOAST pointer that a key was made of. */
struct varatt_external
ga_stored_pointer(const GaStoredKey *key)
{
	struct varatt_external pointer;

	pointer.va_rawsize = (int32) key->raw_bytes;
	pointer.va_extinfo = key->ext_info;
	pointer.va_valueid = key->value_id;
	pointer.va_toastrelid = key->relation;
	return pointer;
}

/*
 * Return a number that tells this database from others that had its OID
 * before.  It is made of a file that is written with the database and never
 * again, so no GRANT and no ALTER DATABASE changes it, but for one that copies
 * the files to another tablespace.  If there is no such file, no other session
 * has the number.
 */
uint64
ga_stored_database_hash(void)
{
	char path[MAXPGPATH];
	struct stat file;
	uint64 parts[4] = {0};

	snprintf(path, sizeof(path), "%s/PG_VERSION", DatabasePath);
	if (stat(path, &file) == 0)
	{
		parts[0] = file.st_dev;
		parts[1] = file.st_ino;
		parts[2] = file.st_mtim.tv_sec;
		parts[3] = file.st_mtim.tv_nsec;
	}
	else
	{
		parts[0] = MyProcPid;
		parts[1] = GetCurrentTimestamp();
	}
	return hash_bytes_extended((unsigned char *) parts, sizeof(parts), 0);
}

/*
 * Describe how stored arrays are asked for: by which execution, and with which
 * sample.  That is the one of ga_stored_check; without one it is taken now,
 * when all arrays of the request are known.
 */
void
ga_stored_how(GaStoredLookup *lookup, const GaOidSample *sample)
{
	lookup->statement_id = ga_execution_id();
	if (sample != NULL)
		lookup->sample = *sample;
	else
		ga_oid_sample_take(&lookup->sample);
}

/*
 * Read what settles a doubt about a stored array: the xmin of its first chunk,
 * which tells it from another one that had its TOAST pointer before, or 0 if
 * that is not known; and whether the chunk is settled.  The first array of a
 * request takes the request's sample, before anything is read: a sample that
 * is newer than the look at the chunk may be behind a deletion and the reuse
 * of the id (oid_guard.h).
 */
void
ga_stored_check(GaStoredRef *ref, GaToastRelation *relation,
				GaOidSample *sample, bool is_first)
{
	struct varatt_external pointer = ga_stored_pointer(&ref->key);

	if (is_first)
		ga_oid_sample_take(sample);
	ga_toast_open(relation, pointer.va_toastrelid);
	ref->xmin = ga_toast_xmin(relation, &pointer);
	ref->is_settled = relation->is_settled;
}

/*
 * Name an array in a request about it alone, and describe how it is asked for.
 * is_missed: it was counted.  With what settles a doubt if it `checks`: each
 * request looks at the chunk again, since the array may have been deleted after
 * the last one, hours ago.
 */
void
ga_stored_name(GaStoredRef *ref, GaStoredLookup *lookup, const GaStoredKey *key,
			   bool is_missed, bool checks)
{
	GaToastRelation relation = GA_TOAST_CLOSED;
	GaOidSample sample;

	ref->key = *key;
	ref->is_missed = is_missed;
	if (checks)
		ga_stored_check(ref, &relation, &sample, true);
	ga_toast_close(&relation);
	ga_stored_how(lookup, checks ? &sample : NULL);
}
