/*
 * cpu.c
 *		The list of the CPU engine's implementations, and choosing one.
 */
#include "cpu.h"

const GaCpuEngine *const ga_cpu_engines[] = {
#ifdef __x86_64__
	&ga_cpu_avx512, &ga_cpu_avx2,
#endif
	&ga_cpu_baseline};

const int ga_cpu_n_engines = sizeof(ga_cpu_engines) / sizeof(ga_cpu_engines[0]);

/* Return the fastest implementation that this processor supports. */
const GaCpuEngine *
ga_cpu_best(void)
{
	int i = 0;

	while (!ga_cpu_engines[i]->is_supported())
		i++;
	return ga_cpu_engines[i];
}

/* Return the implementation of a name; NULL if none or not supported. */
const GaCpuEngine *
ga_cpu_find(const char *name)
{
	int i;

	for (i = 0; i < ga_cpu_n_engines; i++)
	{
		if (strcmp(ga_cpu_engines[i]->name, name) == 0)
			return ga_cpu_engines[i]->is_supported() ? ga_cpu_engines[i] : NULL;
	}
	return NULL;
}
