/*
 * supervisor.h
 *		The background worker that keeps gpuaggd running.
 */
#ifndef GA_SUPERVISOR_H
#define GA_SUPERVISOR_H

/* In the data directory, where base backups leave them out. */
#define GA_DIRECTORY_PATH "pg_stat_tmp"
#define GA_SOCKET_PATH	  GA_DIRECTORY_PATH "/gpuagg.sock"
#define GA_LOCK_PATH	  GA_DIRECTORY_PATH "/gpuagg.lock"

typedef enum GaSupervisorStart
{
	GA_SUPERVISOR_RUNS,	   /* there is one already */
	GA_SUPERVISOR_MUTE,	   /* there is one, which cannot write its status */
	GA_SUPERVISOR_STARTED, /* one was registered, and starts soon */
	GA_SUPERVISOR_REFUSED, /* none can run here */
	GA_SUPERVISOR_NO_SLOT  /* max_worker_processes are in use */
} GaSupervisorStart;

extern void ga_supervisor_preload(void);
extern GaSupervisorStart ga_supervisor_start(int published_pid, char *trouble,
											 size_t size);
extern void ga_supervisor_worked(void);

PGDLLEXPORT void gpuagg_supervisor_main(Datum arg);

#endif /* GA_SUPERVISOR_H */
