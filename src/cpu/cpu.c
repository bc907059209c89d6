/*
 * cpu.c
 *		Which implementations of the CPU engine there are, and which to use.
 */
#include "cpu.h"

const GaCpuEngine *const ga_cpu_engines[] = {
#ifdef __x86_64__
	&ga_cpu_avx512, &ga_cpu_avx2,
#endif
	&ga_cpu_baseline};

const int ga_cpu_n_engines = sizeof(ga_cpu_engines) / sizeof(ga_cpu_engines[0]);

/* The fastest implementation that this processor can run. */
const GaCpuEngine *
ga_cpu_best(void)
{
	int i = 0;

	while (!ga_cpu_engines[i]->is_supported())
		i++;
	return ga_cpu_engines[i];
}

/* The implementation of that name; NULL if there is none or it can't run. */
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
