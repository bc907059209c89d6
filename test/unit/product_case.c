/*
 * product_case.c
 *		Pairs of arrays, what their sum of products must be, and engines.
 */
#include <stdlib.h>

#include "product_case.h"
#include "tap.h"

void
product_bytes(const GaExactSum *sum, ProductBytes *to)
{
	GaLimbs limbs;

	ga_limbs_from_sum(&limbs, sum);
	to->n = (size_t) (ga_limbs_put_total(ga_limbs_put_counts(to->bytes, &limbs),
										 &limbs) -
					  to->bytes);
}

/* The same form, from its description in weighted_sum.h. */
void
product_exact_bytes(const Exact *sum, ProductBytes *to)
{
	uint8_t *at = exact_put_counts(to->bytes, sum);

	at = exact_put_total(at, sum);
	to->n = (size_t) (at - to->bytes);
}

bool
same_products(const ProductBytes *a, const ProductBytes *b)
{
	return a->n == b->n && memcmp(a->bytes, b->bytes, a->n) == 0;
}

GaExactSum *
product_new(int capacity)
{
	GaExactSum *sum = malloc(GA_EXACT_SUM_SIZE(capacity));

	memset(sum, 0xa5, GA_EXACT_SUM_SIZE(capacity));
	ga_product_sum_init(sum, capacity);
	return sum;
}

void
product_grow(GaExactSum **sum)
{
	const int capacity = ga_exact_sum_larger(*sum);
	GaExactSum *larger = product_new(capacity);

	tap_check(capacity > (*sum)->capacity, "no capacity in %d cells",
			  (*sum)->capacity);
	if (capacity <= (*sum)->capacity)
		abort();
	ga_exact_sum_copy(larger, capacity, *sum);
	free(*sum);
	*sum = larger;
}

void
product_apply_all(GaExactSum **sum, const double *x, const double *y, size_t n,
				  int by)
{
	size_t i;

	for (i = 0; i < n; i++)
	{
		while (ga_product_sum_apply(*sum, x[i], y[i], by) != GA_OK)
			product_grow(sum);
	}
	tap_check(ga_exact_sum_is_valid(*sum), "the sum is not valid");
}

static void
add_run(GaExactSum **sum, const GaCpuEngine *engine, const FloatType *type,
		const char *x, const char *y, size_t n)
{
	size_t done = 0;

	for (;;)
	{
		const char *from_x = x + done * type->size;
		const char *from_y = y + done * type->size;
		size_t added = type->size == 4 ?
						   engine->dot_float4(*sum, from_x, from_y, n - done) :
						   engine->dot_float8(*sum, from_x, from_y, n - done);

		tap_check(ga_exact_sum_is_valid(*sum), "the sum is not valid");
		tap_check(added <= n - done, "%zu of %zu added", added, n - done);
		done += added;
		if (done >= n)
			break;
		product_grow(sum);
	}
}

/* Compare the results that depend on this sum alone. */
static void
check_results(const char *family, const GaExactSum *sum, const Exact *exact)
{
	double x = 0, y = 0;
	float narrow = 0;
	GaStatus status = ga_product_sum_float8(sum, &x);
	GaStatus must = oracle_product_sum(exact, &float8_type, &y);

	tap_check(same_result(status, x, must, y), "%s: %d %a, must be %d %a",
			  family, status, x, must, y);
	status = ga_product_sum_float4(sum, &narrow);
	must = oracle_product_sum(exact, &float4_type, &y);
	tap_check(same_result(status, narrow, must, y),
			  "%s, real: %d %a, must be %d %a", family, status, narrow, must,
			  y);
	status = ga_product_sum_root(sum, &x);
	must = GA_BAD_STATE;
	y = 0;
	if (exact->n_nan + exact->n_neg_inf == 0 &&
		(exact->n_pos_inf > 0 || mpz_sgn(exact->value) >= 0))
	{
		must = GA_OK;
		if (exact->n_pos_inf > 0 || mpz_sgn(exact->value) > 0)
			must = oracle_root(exact, &y);
	}
	else if (exact->n_nan > 0 || (exact->n_pos_inf > 0 && exact->n_neg_inf > 0))
		must = oracle_root(exact, &y);
	tap_check(same_result(status, x, must, y), "%s, root: %d %a, must be %d %a",
			  family, status, x, must, y);
}

/* Compare sum / (sum of y) with MPFR's. */
static void
check_quotient(const char *family, const GaExactSum *sum, const Exact *exact,
			   const double *y, size_t n)
{
	GaExactSum *divisor = sum_of(y, n);
	Exact by;
	double is = 0, must = 0;
	GaStatus status_is, status_must;
	size_t i;

	exact_init(&by);
	for (i = 0; i < n; i++)
		exact_add(&by, y[i], 1);
	status_is = ga_product_sum_quotient(sum, divisor, &is);
	status_must = oracle_quotient(exact, &by, &must);
	tap_check(same_result(status_is, is, status_must, must),
			  "%s, quotient: %d %a, must be %d %a", family, status_is, is,
			  status_must, must);
	exact_clear(&by);
	sum_free(divisor);
}

/* Check the engines on the arrays, split in two at a place. */
static void
check_engines(const FloatCase *x, const FloatCase *y, const ProductBytes *must)
{
	const size_t half = x->n > 100 ? x->n / 2 - 3 : 0;
	const size_t skipped = half * x->type->size;
	const size_t n_bytes = x->n * x->type->size;
	char *unaligned = malloc(n_bytes + 1);
	ProductBytes is;
	int i, k;

	memcpy(unaligned + 1, x->data, n_bytes);
	for (i = 0; i < ga_cpu_n_engines; i++)
	{
		if (!ga_cpu_engines[i]->is_supported())
			continue;
		for (k = 0; k < 2; k++)
		{
			GaExactSum *sum = product_new(k ? GA_WIDE_CELLS : GA_MIN_CELLS);

			add_run(&sum, ga_cpu_engines[i], x->type, x->data, y->data, half);
			add_run(&sum, ga_cpu_engines[i], x->type, unaligned + 1 + skipped,
					(char *) y->data + skipped, x->n - half);
			product_bytes(sum, &is);
			tap_check(same_products(&is, must),
					  "%s: %s, %zu of %s: the bytes differ",
					  ga_cpu_engines[i]->name, x->type->name, x->n, x->family);
			free(sum);
		}
	}
	free(unaligned);
}

void
product_try(const FloatType *type, const char *family, const double *x,
			const double *y, size_t n)
{
	GaExactSum *sum = product_new(GA_MIN_CELLS);
	ProductBytes is, must;
	FloatCase fx, fy;
	Exact exact;
	size_t i;

	exact_init(&exact);
	for (i = 0; i < n; i++)
		exact_add_product(&exact, x[i], y[i], 1);
	product_exact_bytes(&exact, &must);
	product_apply_all(&sum, x, y, n, 1);
	product_bytes(sum, &is);
	tap_check(same_products(&is, &must), "%zu of %s: the bytes differ", n,
			  family);
	check_results(family, sum, &exact);
	check_quotient(family, sum, &exact, y, n);
	free(sum);

	float_case_new(&fx, type, family, x, n);
	float_case_new(&fy, type, family, y, n);
	check_engines(&fx, &fy, &must);
	float_case_free(&fx);
	float_case_free(&fy);
	exact_clear(&exact);
}
