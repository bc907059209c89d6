/*
 * daemon_command.c
 *		The command line of gpuaggd, from the settings.
 *
 * For the supervisor alone.  Words are palloc'd in its context, which lives as
 * long as it does.
 */
#include "postgres.h"

#include <dlfcn.h>

#include "miscadmin.h"

#include "daemon_command.h"
#include "extension/settings.h"
#include "supervisor.h"

#define PROGRAM "gpuaggd"

/* Where gpuaggd is: beside this module.  path has MAXPGPATH bytes. */
static void
find_program(char *path)
{
	Dl_info module;

	if (dladdr((void *) find_program, &module) != 0 &&
		module.dli_fname != NULL && is_absolute_path(module.dli_fname))
	{
		strlcpy(path, module.dli_fname, MAXPGPATH);
		get_parent_directory(path);
	}
	else
		strlcpy(path, pkglib_path, MAXPGPATH);
	join_path_components(path, path, PROGRAM);
}

static void
free_words(GaDaemonCommand *command)
{
	int i;

	for (i = 0; command->words[i] != NULL; i++)
	{
		pfree(command->words[i]);
		command->words[i] = NULL;
	}
}

/* Makes it anew, by the settings of now. */
void
ga_daemon_command_make(GaDaemonCommand *command)
{
	char path[MAXPGPATH];
	char **words = command->words;
	int n = 0;

	free_words(command);
	find_program(path);
	words[n++] = pstrdup(path);
	words[n++] = psprintf("--socket=%s", GA_SOCKET_PATH);
	words[n++] = psprintf("--device=%s", ga_device);
	words[n++] = psprintf("--memory=%d", ga_cache_size);
	words[n++] = psprintf("--staging=%d", ga_staging_size);
	words[n++] = psprintf("--boot-token=" UINT64_FORMAT, ga_boot_token());
	words[n++] = psprintf("--request-timeout=%d", ga_request_timeout);
	words[n++] = pstrdup("--samples");
	if (ga_emulated_faults[0] != '\0')
		words[n++] = psprintf("--faults=%s", ga_emulated_faults);
	words[n] = NULL;
	Assert(n < GA_COMMAND_WORDS);
}

/* Is it another one than the settings of now would make? */
bool
ga_daemon_command_changed(const GaDaemonCommand *command)
{
	GaDaemonCommand now = {{NULL}};
	bool changed = false;
	int i;

	ga_daemon_command_make(&now);
	for (i = 0; now.words[i] != NULL || command->words[i] != NULL; i++)
	{
		changed = now.words[i] == NULL || command->words[i] == NULL ||
				  strcmp(now.words[i], command->words[i]) != 0;
		if (changed)
			break;
	}
	free_words(&now);
	return changed;
}
