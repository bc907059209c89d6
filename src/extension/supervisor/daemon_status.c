/*
 * daemon_status.c
 *		The status file: written by the supervisor, read by every session.
 *
 * Owns the file.  It is not shared memory, because the module need not be
 * preloaded.  It has a few lines of text, each a name and a value, always in
 * the same order.  Only the supervisor that holds the lock writes it.  It is
 * replaced as a whole, by renaming, so readers need no lock: they see one state
 * or the next.
 *
 * It begins with the boot token: a file that a crash of the server left behind
 * is ignored.  No failure here raises an error.
 */
#include "postgres.h"

#include <limits.h>
#include <unistd.h>

#include "storage/fd.h"
#include "utils/guc.h"
#include "utils/timestamp.h"

#include "daemon_status.h"
#include "extension/boot_token.h"
#include "extension/settings.h"
#include "supervisor.h"

#define TEMPORARY_PATH GA_STATUS_PATH ".tmp"

static const char *const state_names[] = {
	[GA_DAEMON_NONE] = "none",		 [GA_DAEMON_STARTING] = "starting",
	[GA_DAEMON_UP] = "up",			 [GA_DAEMON_HUNG] = "hung",
	[GA_DAEMON_WAITING] = "waiting", [GA_DAEMON_ABSENT] = "absent",
	[GA_DAEMON_FAILED] = "failed",	 [GA_DAEMON_STOPPED] = "stopped",
	[GA_DAEMON_OFF] = "off",		 [GA_DAEMON_UNKNOWN] = "unknown"};

/*
 * What a DBA may do about a state; NULL is nothing.  Settings are unknown to a
 * session until it has loaded the library.
 */
static const char *const state_hints[] = {
	[GA_DAEMON_NONE] =
		"The first query that can use the device will start gpuaggd.",
	[GA_DAEMON_STARTING] = "Queries run on the CPU until it is up.",
	[GA_DAEMON_UP] = NULL,
	[GA_DAEMON_HUNG] =
		"Queries run on the CPU. It is ended, and started again, unless it "
		"answers.",
	[GA_DAEMON_WAITING] = "Queries run on the CPU until it is up again. The "
						  "server's log has the messages of gpuaggd.",
	[GA_DAEMON_ABSENT] =
		"Queries run on the CPU, with the same results. Once there is a GPU "
		"with its driver, and gpuagg is built with CUDA, run: SELECT "
		"pg_reload_conf(). If there will be none, run: LOAD 'gpuagg'; ALTER "
		"SYSTEM SET gpuagg.device = 'none'; SELECT pg_reload_conf().",
	[GA_DAEMON_FAILED] =
		"Queries run on the CPU, with the same results. Once the cause is "
		"removed, run: SELECT pg_reload_conf(). The next query that can use "
		"the device will try again.",
	[GA_DAEMON_STOPPED] =
		"The next query that can use the device will start gpuaggd again.",
	[GA_DAEMON_OFF] = "To use a GPU, run: LOAD 'gpuagg'; ALTER SYSTEM SET "
					  "gpuagg.device = 'auto'; SELECT pg_reload_conf().",
	[GA_DAEMON_UNKNOWN] =
		"gpuagg has its files in pg_stat_tmp of the data directory. Once they "
		"can be written it goes on by itself, or has another state. After an "
		"upgrade end the old gpuaggd: set gpuagg.device to none, reload, and "
		"set it back."};

/* Return the state as gpuagg_devices shows it. */
const char *
ga_daemon_state_name(GaDaemonState state)
{
	Assert((size_t) state < lengthof(state_names));
	return state_names[state];
}

/* Return what to do about a state; NULL is nothing. */
const char *
ga_daemon_state_hint(GaDaemonState state)
{
	StaticAssertStmt(lengthof(state_hints) == lengthof(state_names),
					 "each state has a name and a hint");
	return state_hints[state];
}

/* Read a line "name value"; returns false if the next line has another name. */
static bool
read_text(FILE *file, const char *name, char *value, size_t size)
{
	char line[512];
	size_t n = strlen(name);

	if (fgets(line, sizeof(line), file) == NULL ||
		strncmp(line, name, n) != 0 || line[n] != ' ')
		return false;
	line[strcspn(line, "\n")] = '\0';
	strlcpy(value, line + n + 1, size);
	return true;
}

/* Read a line "name value" with a number that is not negative. */
static bool
read_number(FILE *file, const char *name, uint64 *value)
{
	char word[32];
	char *end;

	if (!read_text(file, name, word, sizeof(word)))
		return false;
	errno = 0;
	*value = strtou64(word, &end, 10);
	return errno == 0 && end != word && *end == '\0';
}

/* Read the line with the state. */
static bool
read_state(FILE *file, GaDaemonState *state)
{
	char word[32];
	int i;

	if (!read_text(file, "state", word, sizeof(word)))
		return false;
	for (i = 0; i < (int) lengthof(state_names); i++)
	{
		if (strcmp(word, state_names[i]) == 0)
		{
			*state = (GaDaemonState) i;
			return true;
		}
	}
	return false;
}

/* Read the file; returns false if it is not as this version writes it. */
static bool
read_status(FILE *file, GaDaemonStatus *status)
{
	uint64 boot_token;
	uint64 supervisor_pid;
	uint64 daemon_pid;
	uint64 n_restarts;
	uint64 since;
	uint64 reload;
	uint64 checked;

	if (!read_number(file, "boot_token", &boot_token) ||
		boot_token != ga_boot_token() || !read_state(file, &status->state) ||
		!read_number(file, "supervisor_pid", &supervisor_pid) ||
		!read_number(file, "daemon_pid", &daemon_pid) ||
		!read_number(file, "n_restarts", &n_restarts) ||
		!read_number(file, "since", &since) ||
		!read_number(file, "reload", &reload) ||
		!read_number(file, "checked", &checked) ||
		!read_text(file, "reason", status->reason, sizeof(status->reason)) ||
		supervisor_pid > INT_MAX || daemon_pid > INT_MAX ||
		n_restarts > INT_MAX || since > PG_INT64_MAX || reload > PG_INT64_MAX ||
		checked > PG_INT64_MAX)
		return false;
	status->supervisor_pid = (int) supervisor_pid;
	status->daemon_pid = (int) daemon_pid;
	status->n_restarts = (int) n_restarts;
	status->since = (TimestampTz) since;
	status->reload = (TimestampTz) reload;
	status->checked = (TimestampTz) checked;
	return true;
}

/*
 * Read the status; the state is GA_DAEMON_NONE if there is no file since the
 * server's last start.
 */
void
ga_daemon_status_read(GaDaemonStatus *status)
{
	FILE *file = AllocateFile(GA_STATUS_PATH, PG_BINARY_R);
	bool ok = false;

	memset(status, 0, sizeof(*status));
	if (file != NULL)
	{
		ok = read_status(file, status);
		FreeFile(file);
	}
	if (!ok)
		memset(status, 0, sizeof(*status));
}

/*
 * Has the supervisor given up, and the configuration not been reloaded since?
 * A reload has the next query that wants a device try again.
 */
bool
ga_daemon_status_is_final(const GaDaemonStatus *status)
{
	return (status->state == GA_DAEMON_FAILED ||
			status->state == GA_DAEMON_ABSENT) &&
		   Max(status->since, status->checked) >= PgReloadTime;
}

/* Is there a file since the server's start, that another version wrote? */
static bool
is_of_another_version(void)
{
	FILE *file = AllocateFile(GA_STATUS_PATH, PG_BINARY_R);
	GaDaemonStatus status;
	uint64 boot_token;
	bool is_another = false;

	if (file == NULL)
		return false;
	if (read_number(file, "boot_token", &boot_token) &&
		boot_token == ga_boot_token())
	{
		rewind(file);
		is_another = !read_status(file, &status);
	}
	FreeFile(file);
	return is_another;
}

/* Say why a supervisor's status cannot be read. */
void
ga_daemon_status_describe_mute(int pid, char *text, size_t size)
{
	if (is_of_another_version())
		snprintf(text, size,
				 "the supervisor, process %d, is of another version", pid);
	else
		snprintf(text, size,
				 "the supervisor, process %d, could not write file \"%s\"", pid,
				 GA_STATUS_PATH);
}

/*
 * Write the status.  The caller holds the supervisor's lock.  A failure is
 * logged, and returned: sessions then see an older status, and gpuaggd works.
 */
bool
ga_daemon_status_write(const GaDaemonStatus *status)
{
	FILE *file = AllocateFile(TEMPORARY_PATH, PG_BINARY_W);
	bool ok;

	if (file == NULL)
	{
		ereport(LOG,
				(errcode_for_file_access(),
				 errmsg("could not create file \"%s\": %m", TEMPORARY_PATH),
				 errhint("gpuagg_devices shows an older state until it can be "
						 "written.")));
		return false;
	}
	fprintf(file, "boot_token " UINT64_FORMAT "\n", ga_boot_token());
	fprintf(file, "state %s\n", ga_daemon_state_name(status->state));
	fprintf(file, "supervisor_pid %d\n", status->supervisor_pid);
	fprintf(file, "daemon_pid %d\n", status->daemon_pid);
	fprintf(file, "n_restarts %d\n", status->n_restarts);
	fprintf(file, "since " INT64_FORMAT "\n", status->since);
	fprintf(file, "reload " INT64_FORMAT "\n", status->reload);
	fprintf(file, "checked " INT64_FORMAT "\n", status->checked);
	fprintf(file, "reason %s\n", status->reason);
	ok = !ferror(file);
	if (FreeFile(file) != 0 || !ok ||
		rename(TEMPORARY_PATH, GA_STATUS_PATH) != 0)
	{
		ereport(LOG,
				(errcode_for_file_access(),
				 errmsg("could not write file \"%s\": %m", GA_STATUS_PATH),
				 errhint("gpuagg_devices shows an older state until it can be "
						 "written.")));
		unlink(TEMPORARY_PATH);
		return false;
	}
	return true;
}
