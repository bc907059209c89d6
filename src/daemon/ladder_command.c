/*
 * ladder_command.c
 *		The command line of gpuagg-ladder: its path, and the arguments for a
 *		call.
 *
 * ladder_run.c calls this; nothing here starts or watches the program.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "devices.h"
#include "ladder_command.h"
#include "options.h"

/* Find the path of the program, which lies beside gpuaggd. */
static bool
find_program(char *path, size_t n_bytes)
{
	ssize_t n = readlink("/proc/self/exe", path, n_bytes);
	char *slash;

	if (n <= 0 || (size_t) n >= n_bytes)
		return false;
	path[n] = '\0';
	slash = strrchr(path, '/');
	if (slash == NULL ||
		(size_t) (slash + 1 - path) + sizeof(GA_LADDER_PROGRAM) > n_bytes)
		return false;
	strcpy(slash + 1, GA_LADDER_PROGRAM);
	return true;
}

static void __attribute__((format(printf, 2, 3)))
add_word(GaLadderCommand *command, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(command->words[command->n], GA_LADDER_WORD_BYTES, format, args);
	va_end(args);
	command->argv[command->n + 1] = command->words[command->n];
	command->n++;
}

/* Return the bytes that gpuaggd's budget for the device leaves to allocate. */
static uint64_t
unused_budget(const GaDeviceInfo *info)
{
	return info->budget_bytes > info->used_bytes ?
			   info->budget_bytes - info->used_bytes :
			   0;
}

/* Add the arguments for a call. */
static void
add_words(GaLadderCommand *command, const GaLadderCall *call)
{
	static const char *const ladders[GA_N_LADDERS] = {
		[GA_LADDER_REDUCE] = "reduce",
		[GA_LADDER_SCAN] = "scan",
		[GA_LADDER_EXCLUSIVE_SCAN] = "exclusive-scan",
	};
	const GaOpenDevice *device = ga_devices_get(0);
	const GaLadderFaults *faults = &ga_options.ladder_faults;

	add_word(command, "--socket=%d", GA_LADDER_SOCKET);
	add_word(command, "--ladder=%s", ladders[call->ladder]);
	add_word(command, "--type=%s", ga_element_name((GaElementType) call->type));
	add_word(command, "--elements=%" PRIu64, call->n);
	add_word(command, "--repeats=%u", (unsigned) call->repeats);
	if (call->managed)
		add_word(command, "--managed");
	if (ga_options.n_emulated > 0)
		add_word(command, "--device=cpu");
	else
		add_word(command, "--device=%d", device->ordinal);
	add_word(command, "--reserve=%" PRIu64, unused_budget(&device->info));
	if (faults->hang != 0)
		add_word(command, "--hang=%u", (unsigned) faults->hang);
	if (faults->crash != 0)
		add_word(command, "--crash=%u", (unsigned) faults->crash);
	if (faults->fail != 0)
		add_word(command, "--fail=%u", (unsigned) faults->fail);
	if (faults->refuse != 0)
		add_word(command, "--refuse=%u", (unsigned) faults->refuse);
}

/* Write the command line for a call; the command must not be moved then. */
void
ga_ladder_command(GaLadderCommand *command, const GaLadderCall *call)
{
	memset(command, 0, sizeof(*command));
	if (!find_program(command->path, sizeof(command->path)))
		snprintf(command->path, sizeof(command->path), "%s", GA_LADDER_PROGRAM);
	command->argv[0] = command->path;
	add_words(command, call);
}
