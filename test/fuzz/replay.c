/*
 * replay.c
 *		Runs a fuzzer on inputs that are kept: those in the files of a
 *		directory, each a test.
 */
#include <dirent.h>
#include <unistd.h>

#include "bytes.h"

/* Not every fuzzer has it. */
#pragma weak LLVMFuzzerInitialize

/* Read a file into a place of just its size. */
static uint8_t *
read_file(const char *path, size_t *n_bytes)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes;

	must(file != NULL && fseek(file, 0, SEEK_END) == 0);
	*n_bytes = (size_t) ftell(file);
	rewind(file);
	bytes = malloc(*n_bytes > 0 ? *n_bytes : 1);
	must(fread(bytes, 1, *n_bytes, file) == *n_bytes);
	fclose(file);
	return bytes;
}

int
main(int argc, char **argv)
{
	struct dirent **entries;
	int n = 0;
	int n_tests = 0;
	int i;

	if (LLVMFuzzerInitialize != NULL)
		(void) LLVMFuzzerInitialize(&argc, &argv);
	must(argc == 2);
	n = scandir(argv[1], &entries, NULL, alphasort);
	must(n > 2 && chdir(argv[1]) == 0);
	for (i = 0; i < n; i++)
	{
		if (entries[i]->d_name[0] != '.')
		{
			size_t n_bytes;
			uint8_t *bytes = read_file(entries[i]->d_name, &n_bytes);

			(void) LLVMFuzzerTestOneInput(bytes, n_bytes);
			free(bytes);
			printf("ok %d - %s\n", ++n_tests, entries[i]->d_name);
			fflush(stdout);
		}
		free(entries[i]);
	}
	free(entries);
	printf("1..%d\n", n_tests);
	return 0;
}
