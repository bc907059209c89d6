/*
 * test_pack_data.c
 *		How many bytes a value real data take when they are packed.
 *
 * The columns of test/data, found from the project's folder: daily weather, and
 * daily prices, which were floats once, and volumes of shares.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exact/element.h"
#include "packing.h"
#include "tap.h"

#define MAX_ROWS	6000
#define MAX_COLUMNS 7

static Fixture fixture;

/* A file's columns; those in between are words. */
typedef struct Source
{
	const char *path;
	int first;
	int end;
	int volume;				  /* a column of integers, or -1 */
	double most[MAX_COLUMNS]; /* bytes a value that a column takes */
} Source;

static const Source sources[] = {
	{"test/data/seattle-weather.csv", 1, 5, -1, {0, 1.5, 1.65, 1.45, 1.3}},
	{"test/data/sp500-2000.csv", 1, 7, 6, {0, 2.2, 2.2, 2.2, 2.2, 2.2, 2.5}},
};

typedef struct Table
{
	uint32_t n; /* rows */
	char names[MAX_COLUMNS][32];
	double values[MAX_COLUMNS][MAX_ROWS];
} Table;

static Table table;

/* Read a line's fields: the names of columns, or their values. */
static void
read_line(const Source *source, char *line, bool is_head)
{
	char *field = strtok(line, ",\n");
	int column;

	for (column = 0; field != NULL && column < source->end; column++)
	{
		if (is_head)
			snprintf(table.names[column], sizeof(table.names[column]), "%s",
					 field);
		else if (column >= source->first)
			table.values[column][table.n] = strtod(field, NULL);
		field = strtok(NULL, ",\n");
	}
}

static bool
read_table(const Source *source)
{
	FILE *file = fopen(source->path, "r");
	char line[256];
	bool is_head = true;

	table.n = 0;
	tap_check(file != NULL, "%s: cannot be read", source->path);
	if (file == NULL)
		return false;
	while (table.n < MAX_ROWS && fgets(line, sizeof(line), file) != NULL)
	{
		read_line(source, line, is_head);
		table.n += !is_head;
		is_head = false;
	}
	fclose(file);
	tap_check(table.n > 1000, "%s: %u rows", source->path, (unsigned) table.n);
	return table.n > 1000;
}

/* Pack a column; return the bytes a value, headers included. */
static double
bytes_of(GaElementType type, int column)
{
	const uint32_t n = table.n;
	Packing packing;
	char *to;
	double result;
	uint32_t i;

	packing_init(&packing, &fixture, type);
	to = packing_add(&packing, table.names[column], n, 0, 0);
	for (i = 0; i < n; i++)
	{
		const double x = table.values[column][i];
		const int64_t integer = (int64_t) x;

		if (type == GA_float8)
			memcpy(to + i * sizeof(x), &x, sizeof(x));
		else
			memcpy(to + i * sizeof(integer), &integer, sizeof(integer));
	}
	packing_run(&packing);
	result = (double) (packing.pack[0].n_bytes + (n + GA_PACKED_VECTOR - 1) /
													 GA_PACKED_VECTOR *
													 sizeof(GaPackedHeader)) /
			 n;
	packing_free(&packing);
	return result;
}

static void
test_source(const Source *source)
{
	int column;

	tap_begin("%s", source->path);
	if (read_table(source))
		for (column = source->first; column < source->end; column++)
		{
			const bool is_int = column == source->volume;
			const double n_bytes =
				bytes_of(is_int ? GA_int8 : GA_float8, column);

			printf("# %s: %.2f bytes a value\n", table.names[column], n_bytes);
			tap_check(n_bytes <= source->most[column], "%s: %.2f bytes a value",
					  table.names[column], n_bytes);
		}
	tap_end();
}

int
main(void)
{
	size_t i;

	fixture_open(&fixture);
	for (i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		test_source(&sources[i]);
	fixture_close(&fixture);
	return tap_done();
}
