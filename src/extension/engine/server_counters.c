/*
 * server_counters.c
 *		The counters of all sessions, and those of a session's workers.
 *
 * Owns a file that all processes of the server map: the counters of the server,
 * and a slot for each process that can have parallel workers, to which these
 * add theirs.  It is not shared memory of PostgreSQL's, because the module need
 * not be preloaded; it lies beside the status file, where base backups leave it
 * out.  Its name has the boot token and the number of counters, so processes of
 * another start, or of another version of the module, have another file.
 *
 * A file of zeros is a valid one, so there is nothing to initialize and no
 * lock: everybody extends it, and changes words by atomic operations.  A slot
 * belongs to the process whose id is in it; whoever finds another id there sets
 * the slot to zero first.
 *
 * Without the file, counting goes on in each process, and is published when
 * there is a file again.  Only the view's functions throw.
 */
#include "postgres.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "access/parallel.h"
#include "storage/fd.h"
#include "storage/ipc.h"
#include "storage/proc.h"

#include "extension/boot_token.h"
#include "extension/clock.h"
#include "server_counters.h"

#define DIRECTORY "pg_stat_tmp"
#define PREFIX	  "gpuagg.counters."

/* How long a process goes without the file before it tries again. */
#define RETRY_MS 60000

/* The id of a process, while another one sets its slot to zero. */
#define CLAIMING UINT32_MAX

/* The slot of a process that may have parallel workers. */
typedef struct Slot
{
	uint32 pid;			/* whose it is; 0: nobody's */
	uint32 number;		/* for its workers, or 0 */
	GaCounters workers; /* of all its workers so far */
} Slot;

typedef struct Shared
{
	int64 since; /* a TimestampTz; 0 in a new file */
	GaCounters server;
	Slot slots[FLEXIBLE_ARRAY_MEMBER]; /* by the number of the PGPROC */
} Shared;

static Shared *shared = NULL;
static int64 retry_at_ms = 0;

/* The counters of this process that are in the file. */
static GaCounters published;

/* Whose slot is used, from the first use on: the own one, or the leader's. */
static int slot_index;
static uint32 slot_pid;

/* Remove the files of earlier starts of the server. */
static void
remove_others(const char *name)
{
	const size_t n_same = strlen(PREFIX) + 16;
	DIR *directory = opendir(DIRECTORY);
	struct dirent *entry;

	while (directory != NULL && (entry = readdir(directory)) != NULL)
	{
		char path[MAXPGPATH];

		if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) != 0 ||
			strncmp(entry->d_name, name, n_same) == 0)
			continue;
		snprintf(path, sizeof(path), DIRECTORY "/%s", entry->d_name);
		(void) unlink(path);
	}
	if (directory != NULL)
		(void) closedir(directory);
}

/* Map a file that is at least so long; NULL with errno set. */
static void *
map_file(const char *path, size_t n_bytes)
{
	const int fd = BasicOpenFilePerm(path, O_RDWR | O_CREAT | PG_BINARY, 0600);
	void *start = MAP_FAILED;
	struct stat found;
	int error;

	if (fd < 0)
		return NULL;
	error = fstat(fd, &found) == 0 ? 0 : errno;
	/* so that no access finds the disk full */
	if (error == 0 && found.st_size < n_bytes)
	{
		do
			error = posix_fallocate(fd, 0, (off_t) n_bytes);
		while (error == EINTR);
	}
	if (error == 0)
	{
		start = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
					 (off_t) 0);
		error = start == MAP_FAILED ? errno : 0;
	}
	close(fd);
	errno = error;
	return error == 0 ? start : NULL;
}

/* Set a slot to zero and make it a process's, unless it is that already. */
static void
claim(Slot *slot, uint32 pid)
{
	uint32 found = __atomic_load_n(&slot->pid, __ATOMIC_ACQUIRE);

	while (found != pid)
	{
		if (found != CLAIMING &&
			__atomic_compare_exchange_n(&slot->pid, &found, CLAIMING, false,
										__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		{
			ga_counters_reset(&slot->workers);
			slot->number = 0;
			__atomic_store_n(&slot->pid, pid, __ATOMIC_RELEASE);
			return;
		}
		pg_spin_delay();
		found = __atomic_load_n(&slot->pid, __ATOMIC_ACQUIRE);
	}
}

static Slot *
own_slot(void)
{
	return &shared->slots[slot_index];
}

/* At the end of the process its slot is nobody's. */
static void
release_slot(int code, Datum argument)
{
	if (own_slot()->pid == slot_pid)
		claim(own_slot(), 0);
}

/* Find out whose slot to use: a worker's leader has one for it. */
static void
choose_slot(void)
{
	const PGPROC *proc = IsParallelWorker() ? MyProc->lockGroupLeader : MyProc;

	slot_index = (int) (proc - ProcGlobal->allProcs);
	slot_pid = (uint32) proc->pid;
	claim(own_slot(), slot_pid);
	if (!IsParallelWorker())
		on_proc_exit(release_slot, (Datum) 0);
}

/* Has the file, or maps it.  False if there is none; raises if `throws`. */
static bool
open_shared(bool throws)
{
	const size_t n_bytes =
		offsetof(Shared, slots) + ProcGlobal->allProcCount * sizeof(Slot);
	char name[64];
	char path[MAXPGPATH];
	int64 nobody = 0;

	if (likely(shared != NULL))
		return true;
	if (MyProc == NULL || (!throws && ga_clock_ms() < retry_at_ms))
		return false;
	snprintf(name, sizeof(name), PREFIX "%016llx.%d",
			 (unsigned long long) ga_boot_token(), (int) GA_COUNTER_WORDS);
	snprintf(path, sizeof(path), DIRECTORY "/%s", name);
	shared = map_file(path, n_bytes);
	if (shared == NULL)
	{
		retry_at_ms = ga_clock_ms() + RETRY_MS;
		ereport(throws ? ERROR : LOG,
				(errcode_for_file_access(),
				 errmsg("could not map file \"%s\": %m", path),
				 errhint("gpuagg counts there for gpuagg_server_stat. Results "
						 "do not depend on it.")));
		return false;
	}
	choose_slot();
	if (__atomic_compare_exchange_n(&shared->since, &nobody,
									GetCurrentTimestamp(), false,
									__ATOMIC_RELAXED, __ATOMIC_RELAXED))
		remove_others(name);
	return true;
}

/*
 * Add what a process has counted since the last call to the counters of the
 * server and, in a parallel worker, to those of its leader's workers.
 */
void
ga_server_publish(const GaCounters *process)
{
	GaCounters more;
	size_t i;

	if (!open_shared(false))
		return;
	for (i = 0; i < GA_COUNTER_WORDS; i++)
	{
		const int64 counted = ((const int64 *) process)[i];

		*ga_counters_word(&more, i) =
			counted - *ga_counters_word(&published, i);
		*ga_counters_word(&published, i) = counted;
	}
	ga_counters_add(&shared->server, &more);
	if (IsParallelWorker())
		ga_counters_add(&own_slot()->workers, &more);
}

/* Add what the workers of this session have published, in the session. */
void
ga_server_add_workers(GaCounters *to)
{
	if (open_shared(false))
		ga_counters_add(to, &own_slot()->workers);
}

/*
 * Add the counters of the server, and return since when they count.  Errors:
 * those of the file.
 */
TimestampTz
ga_server_read(GaCounters *to)
{
	(void) open_shared(true);
	ga_counters_add(to, &shared->server);
	return __atomic_load_n(&shared->since, __ATOMIC_RELAXED);
}

/* Set the counters of the server to zero.  Errors: those of the file. */
void
ga_server_reset(void)
{
	(void) open_shared(true);
	ga_counters_reset(&shared->server);
	__atomic_store_n(&shared->since, GetCurrentTimestamp(), __ATOMIC_RELAXED);
}

/*
 * Leave a number for the parallel workers of this session, or 0 for none.
 * False if there is no file.
 */
bool
ga_server_leave(uint32 number)
{
	if (!open_shared(false))
		return false;
	__atomic_store_n(&own_slot()->number, number, __ATOMIC_RELEASE);
	return true;
}

/* Return the number that the leader of this worker left, or 0. */
uint32
ga_server_left(void)
{
	if (!open_shared(false))
		return 0;
	return __atomic_load_n(&own_slot()->number, __ATOMIC_ACQUIRE);
}
