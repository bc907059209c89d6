/*
 * daemon_command.c
 *		The command line of gpuaggd, made from the settings.
 *
 * Owns the words of a GaDaemonCommand: palloc'd in the current context, freed
 * when the command is made again.  Only the supervisor calls it.
 */
#include "postgres.h"

#include <dlfcn.h>
#include <unistd.h>

#include "miscadmin.h"
#include "utils/guc.h"

#include "daemon_command.h"
#include "extension/boot_token.h"
#include "extension/settings.h"
#include "supervisor.h"

/*
 * Where gpuaggd may be, the best first.  Beside the module is where `make
 * install` puts it.  Packages have one gpuaggd for all versions of the server,
 * in GA_PROGRAM_DIR, and the one with kernels in a folder of it.
 */
static const char *const program_paths[] = {
	"gpuaggd", /* relative to the module's directory */
#ifdef GA_PROGRAM_DIR
	GA_PROGRAM_DIR "/cuda/gpuaggd",
	GA_PROGRAM_DIR "/gpuaggd",
#endif
};

/* Write the module's directory to MAXPGPATH bytes. */
static void
find_module_directory(char *path)
{
	Dl_info module;

	if (dladdr((void *) find_module_directory, &module) != 0 &&
		module.dli_fname != NULL && is_absolute_path(module.dli_fname))
	{
		strlcpy(path, module.dli_fname, MAXPGPATH);
		get_parent_directory(path);
	}
	else
		strlcpy(path, pkglib_path, MAXPGPATH);
}

/*
 * Write the path of gpuaggd to MAXPGPATH bytes: the first that is there, or the
 * last, for the message that it is not.
 */
static void
find_program(char *path)
{
	char directory[MAXPGPATH];
	int i;

	find_module_directory(directory);
	for (i = 0; i < lengthof(program_paths); i++)
	{
		if (is_absolute_path(program_paths[i]))
			strlcpy(path, program_paths[i], MAXPGPATH);
		else
			join_path_components(path, directory, program_paths[i]);
		if (access(path, F_OK) == 0)
			break;
	}
}

/* Free the words, and leave NULLs. */
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

/* Return the option for a setting, or NULL for an empty one. */
static char *
make_option(const char *setting)
{
	const char *value = GetConfigOption(setting, false, false);
	char *option;
	char *p;

	if (value[0] == '\0')
		return NULL;
	option = psprintf("--%s=%s", strchr(setting, '.') + 1, value);
	for (p = option; *p != '='; p++)
	{
		if (*p == '_')
			*p = '-';
	}
	return option;
}

/* Make the command for the present settings. */
void
ga_daemon_command_make(GaDaemonCommand *command)
{
	char path[MAXPGPATH];
	char **words = command->words;
	int n = 0;
	int i;

	free_words(command);
	find_program(path);
	words[n++] = pstrdup(path);
	words[n++] = psprintf("--socket=%s", GA_SOCKET_PATH);
	words[n++] = psprintf("--boot-token=" UINT64_FORMAT, ga_boot_token());
	words[n++] = pstrdup("--samples");
	for (i = 0; ga_daemon_settings[i] != NULL; i++)
	{
		char *option = make_option(ga_daemon_settings[i]);

		if (option != NULL)
			words[n++] = option;
		Assert(n < GA_COMMAND_WORDS);
	}
	words[n] = NULL;
}

/* Would the present settings make another command? */
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
