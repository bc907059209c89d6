/*
 * faults.h
 *		The faults that gpuaggd can be told to have, for tests.
 *
 * The list of their names, and the form in which they are written: NAME=N, with
 * commas between.  The check of gpuagg.emulated_faults and gpuaggd's command
 * line read it alike.  What a fault does, its owner says: the emulated device
 * (device.h), gpuagg-ladder, or gpuaggd itself (daemon/options.h).
 */
#ifndef GA_FAULTS_H
#define GA_FAULTS_H

#include <stdint.h>
#include <string.h>

#define GA_FAULTS(X)   \
	X(fail_allocation) \
	X(lose_allocation) \
	X(no_memory_after) \
	X(other_memory)    \
	X(lose_describe)   \
	X(refuse_zero)     \
	X(fail_launch)     \
	X(refuse_launch)   \
	X(hang_launch)     \
	X(block_launch)    \
	X(crash_launch)    \
	X(pause_launch)    \
	X(slow_launch)     \
	X(wrong_bits)      \
	X(wrong_pack)      \
	X(refuse_surveys)  \
	X(wrong_version)   \
	X(ladder_hang)     \
	X(ladder_crash)    \
	X(ladder_fail)     \
	X(ladder_refuse)

typedef enum GaFault
{
#define X(name) GA_FAULT_##name,
	GA_FAULTS(X)
#undef X
	GA_N_FAULTS
} GaFault;

/* Find a fault by the n bytes of its name; GA_N_FAULTS if there is none. */
static inline GaFault
ga_fault_find(const char *name, size_t n)
{
	static const char *const names[] = {
#define X(fault) #fault,
		GA_FAULTS(X)
#undef X
	};
	int i;

	for (i = 0; i < GA_N_FAULTS; i++)
	{
		if (strlen(names[i]) == n && memcmp(names[i], name, n) == 0)
			break;
	}
	return (GaFault) i;
}

/*
 * Read NAME=N at the start of a text.  Return what follows, which begins with a
 * comma or is empty; NULL if it is no fault, or N is not of 32 bits.
 */
static inline const char *
ga_fault_parse(const char *text, GaFault *fault, uint32_t *n)
{
	size_t n_name = strcspn(text, "=,");
	const char *digits = text + n_name + 1;
	size_t n_digits;
	uint64_t value = 0;
	size_t i;

	*fault = ga_fault_find(text, n_name);
	if (*fault == GA_N_FAULTS || text[n_name] != '=')
		return NULL;
	n_digits = strspn(digits, "0123456789");
	for (i = 0; i < n_digits && value <= UINT32_MAX; i++)
		value = value * 10 + (uint64_t) (digits[i] - '0');
	if (n_digits == 0 || value > UINT32_MAX ||
		(digits[n_digits] != ',' && digits[n_digits] != '\0'))
		return NULL;
	*n = (uint32_t) value;
	return digits + n_digits;
}

#endif /* GA_FAULTS_H */
