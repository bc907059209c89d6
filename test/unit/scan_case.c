/*
 * scan_case.c
 *		The running totals of an array of floats, and whether engines agree.
 *
 * Output i must be the sum of all up to i, rounded once.  A sum that grows one
 * by one tells what that is.
 */
#include <stdlib.h>

#include "oracle.h"
#include "scan_case.h"
#include "tap.h"

/*
 * A sum's bytes.  A scan counts -0 only as long as nothing else has come, all
 * that the next total can depend on.
 */
static void
bytes_of_total(GaExactSum *sum, SumBytes *bytes)
{
	if (sum->n_neg_zero < sum->n)
		sum->n_neg_zero = 0;
	sum_bytes(sum, bytes);
}

void
scan_case_new(ScanCase *sc, const FloatCase *fc, size_t n_before)
{
	GaExactSum *sum = sum_of(fc->x, n_before);
	GaStatus status = GA_OK;
	size_t i;

	sc->fc = fc;
	sc->n_before = n_before;
	sc->n = fc->n - n_before;
	sc->totals = malloc((sc->n + 1) * sizeof(double));
	for (i = 0; i < sc->n; i++)
	{
		status = ga_exact_sum_add(sum, fc->x[n_before + i]);
		tap_check(status == GA_OK, "not added: %d", status);
		status = sum_result(sum, fc->type, &sc->totals[i]);
		if (status != GA_OK)
			break;
	}
	sc->n_totals = i;
	bytes_of_total(sum, &sc->bytes);
	sum_free(sum);
}

void
scan_case_free(ScanCase *sc)
{
	free(sc->totals);
}

void
scan_case_check_total(const ScanCase *sc, size_t i)
{
	const FloatCase *fc = sc->fc;
	double result = 0;
	GaStatus status =
		oracle_sum(fc->type, fc->x, sc->n_before + i + 1, &result);

	tap_check(same_result(GA_OK, sc->totals[i], status, result),
			  "%s, %s: total %zu is %a, by MPFR %d %a", fc->type->name,
			  fc->family, i, sc->totals[i], status, result);
}

static double
output(const FloatType *type, const void *from, size_t i)
{
	float narrow;
	double wide;

	if (type->size == 8)
	{
		memcpy(&wide, (const char *) from + i * sizeof(wide), sizeof(wide));
		return wide;
	}
	memcpy(&narrow, (const char *) from + i * sizeof(narrow), sizeof(narrow));
	return narrow;
}

static size_t
scan(const GaCpuEngine *engine, const FloatType *type, GaExactSum *sum,
	 const char *from, size_t n, char *to)
{
	size_t done = type->size == 8 ?
					  engine->scan_float8(sum, from, n, (double *) to) :
					  engine->scan_float4(sum, from, n, (float *) to);

	sum_check(sum);
	return done;
}

void
scan_case_check(const ScanCase *sc, const GaCpuEngine *engine, const void *from,
				void *to, size_t n_first)
{
	const FloatCase *fc = sc->fc;
	GaExactSum *sum = sum_of(fc->x, sc->n_before);
	size_t done = scan(engine, fc->type, sum, from, n_first, to);
	SumBytes bytes;
	size_t i;

	if (done == n_first)
		done += scan(engine, fc->type, sum,
					 (const char *) from + done * fc->type->size, sc->n - done,
					 (char *) to + done * fc->type->size);
	tap_check(done == sc->n_totals,
			  "%s: %s, %zu of %s: %zu totals, must be %zu", engine->name,
			  fc->type->name, sc->n, fc->family, done, sc->n_totals);
	for (i = 0; i < done && i < sc->n_totals; i++)
	{
		double total = output(fc->type, to, i);

		tap_check(same_result(GA_OK, total, GA_OK, sc->totals[i]),
				  "%s: %s, %zu of %s: total %zu is %a, must be %a",
				  engine->name, fc->type->name, sc->n, fc->family, i, total,
				  sc->totals[i]);
	}
	bytes_of_total(sum, &bytes);
	tap_check(same_bytes(&bytes, &sc->bytes),
			  "%s: %s, %zu of %s: the bytes of the sum differ", engine->name,
			  fc->type->name, sc->n, fc->family);
	sum_free(sum);
}
