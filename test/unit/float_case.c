/*
 * float_case.c
 *		An array of floats, what its sum must be, and whether engines agree.
 */
#include <math.h>
#include <stdlib.h>

#include "float_case.h"
#include "oracle.h"
#include "tap.h"

/* x in the type's own format; NaNs become signaling ones, too. */
static void
put_element(const FloatType *type, double x, void *to)
{
	float narrow = (float) x;
	uint32_t signaling =
		UINT32_C(0x7f800001) | (signbit(x) ? UINT32_C(0x80000000) : 0);

	if (type->size == 8)
		memcpy(to, &x, sizeof(x));
	else if (isnan(x))
		memcpy(to, &signaling, sizeof(signaling));
	else
		memcpy(to, &narrow, sizeof(narrow));
}

/*
 * A case of n elements, of a family or with another word for them.  Checks
 * that adding them one by one makes the sum that it must be.
 */
void
float_case_new(FloatCase *fc, const FloatType *type, const char *family,
			   const double *x, size_t n)
{
	GaExactSum *sum = sum_of(x, n);
	double result = 0;
	GaStatus status;
	size_t i;

	fc->type = type;
	fc->family = family;
	fc->n = n;
	fc->x = x;
	fc->data = malloc(n * type->size);
	for (i = 0; i < n; i++)
		put_element(type, x[i], (char *) fc->data + i * type->size);
	sum_bytes(sum, &fc->bytes);
	fc->status = oracle_sum(type, x, n, &fc->result);
	status = sum_result(sum, type, &result);
	tap_check(same_result(status, result, fc->status, fc->result),
			  "%s, %zu of %s, one by one: %d %a, must be %d %a", type->name, n,
			  family, status, result, fc->status, fc->result);
	sum_free(sum);
}

void
float_case_free(FloatCase *fc)
{
	free(fc->data);
}

/*
 * Add the elements, which are in data, to a sum of this capacity: the first
 * n_before of them one by one, then n_first with the engine, and the others
 * with the engine once more, as if they were the next array.
 */
void
float_case_check(const FloatCase *fc, const GaCpuEngine *engine,
				 const void *data, int capacity, size_t n_before,
				 size_t n_first)
{
	const char *first = (const char *) data + n_before * fc->type->size;
	GaExactSum *sum = sum_new(capacity);
	double result = 0;
	GaStatus status;
	SumBytes bytes;

	sum_add_all(&sum, fc->x, n_before);
	sum_add_run(&sum, engine, fc->type, first, n_first);
	sum_add_run(&sum, engine, fc->type, first + n_first * fc->type->size,
				fc->n - n_before - n_first);
	sum_bytes(sum, &bytes);
	tap_check(same_bytes(&bytes, &fc->bytes),
			  "%s: %s, %zu of %s: the bytes differ", engine->name,
			  fc->type->name, fc->n, fc->family);
	status = sum_result(sum, fc->type, &result);
	tap_check(same_result(status, result, fc->status, fc->result),
			  "%s: %s, %zu of %s: %d %a, must be %d %a", engine->name,
			  fc->type->name, fc->n, fc->family, status, result, fc->status,
			  fc->result);
	sum_free(sum);
}

void
float_case_check_all(const FloatCase *fc, const void *data)
{
	int i;

	for (i = 0; i < ga_cpu_n_engines; i++)
	{
		if (!ga_cpu_engines[i]->is_supported())
			continue;
		float_case_check(fc, ga_cpu_engines[i], data, GA_MIN_CELLS, 0, 0);
		float_case_check(fc, ga_cpu_engines[i], data, GA_MAX_CELLS, 0, 0);
	}
}

/* Check all engines on data next to a guard page, behind it and before it. */
void
float_case_check_guarded(const FloatCase *fc, Guarded *guarded, size_t offset)
{
	size_t n_bytes = fc->n * fc->type->size;

	float_case_check_all(fc,
						 guarded_at_end(guarded, offset, fc->data, n_bytes));
	float_case_check_all(fc,
						 guarded_at_start(guarded, offset, fc->data, n_bytes));
}

void
float_case_try(const FloatType *type, const char *family, const double *x,
			   size_t n)
{
	FloatCase fc;

	float_case_new(&fc, type, family, x, n);
	float_case_check_all(&fc, fc.data);
	float_case_free(&fc);
}

void
skip_unsupported_engines(void)
{
	int i;

	for (i = 0; i < ga_cpu_n_engines; i++)
	{
		if (!ga_cpu_engines[i]->is_supported())
			tap_skip(ga_cpu_engines[i]->name, "not on this processor");
	}
}
