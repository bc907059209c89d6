/*
 * sum_pair.c
 *		An exact sum and a sum of products beside it, as one state.
 */
#include "sum_pair.h"

/* Capacities that make 256, 512 and 1024 bytes, and the whole range. */
static const struct
{
	uint8_t single;
	uint8_t products;
} capacities[GA_SUM_PAIR_SIZES] = {
	{GA_MIN_CELLS, GA_MIN_CELLS},
	{26, 26},
	{26, 90},
	{GA_MAX_CELLS, GA_WIDE_CELLS},
};

/* Return the bytes of a pair of this size. */
size_t
ga_sum_pair_bytes(int size)
{
	return GA_EXACT_SUM_SIZE(capacities[size].single) +
		   GA_EXACT_SUM_SIZE(capacities[size].products);
}

/* Initialize an empty pair of this size. */
void
ga_sum_pair_init(GaSumPair *pair, int size)
{
	ga_exact_sum_init(ga_sum_pair_single(pair), capacities[size].single);
	ga_product_sum_init(ga_sum_pair_products(pair), capacities[size].products);
}

/* Return the size of a pair. */
int
ga_sum_pair_size(const GaSumPair *pair)
{
	int size = 0;

	while (ga_sum_pair_single(pair)->capacity > capacities[size].single ||
		   ga_sum_pair_products(pair)->capacity > capacities[size].products)
		size++;
	return size;
}

/* Return the least size that has room for what is stored. */
int
ga_sum_pair_least_size(const GaSumPair *pair)
{
	int size = 0;

	while (ga_sum_pair_single(pair)->n_cells > capacities[size].single ||
		   ga_sum_pair_products(pair)->n_cells > capacities[size].products)
		size++;
	return size;
}

/* Copy a pair to memory of a size that has room for what is stored. */
void
ga_sum_pair_move(GaSumPair *to, int size, const GaSumPair *from)
{
	ga_exact_sum_copy(ga_sum_pair_single(to), capacities[size].single,
					  ga_sum_pair_single(from));
	ga_exact_sum_copy(ga_sum_pair_products(to), capacities[size].products,
					  ga_sum_pair_products(from));
}

/* Let the next addition of x to the sum of single numbers not fail. */
GaStatus
ga_sum_pair_reserve(GaSumPair *pair, double x)
{
	GaExactSum *sum = ga_sum_pair_single(pair);
	const int biased = (int) (ga_float8_bits(x) >> 52) & 0x7ff;
	const int cell = (biased > 0 ? biased - 1 : 0) / GA_CELL_BITS;

	if (biased == 0x7ff)
		return GA_OK;
	if (sum->n_pending >= GA_MAX_PENDING && ga_exact_sum_carry(sum) != GA_OK)
		return GA_NO_CAPACITY;
	if (cell >= sum->first && cell + 2 < sum->first + sum->n_cells)
		return GA_OK;
	return ga_exact_sum_reserve(sum, cell, cell + 1);
}

/* Let both sums take the other's, so that merging cannot fail. */
static GaStatus
reserve_merge(GaSumPair *pair, const GaSumPair *other)
{
	if (ga_exact_sum_reserve_merge(ga_sum_pair_single(pair),
								   ga_sum_pair_single(other)) != GA_OK)
		return GA_NO_CAPACITY;
	return ga_exact_sum_reserve_merge(ga_sum_pair_products(pair),
									  ga_sum_pair_products(other));
}

/* Add all inputs of other.  GA_NO_CAPACITY if its cells do not fit. */
GaStatus
ga_sum_pair_merge(GaSumPair *pair, const GaSumPair *other)
{
	if (reserve_merge(pair, other) != GA_OK)
		return GA_NO_CAPACITY;
	(void) ga_exact_sum_merge(ga_sum_pair_single(pair),
							  ga_sum_pair_single(other));
	(void) ga_exact_sum_merge(ga_sum_pair_products(pair),
							  ga_sum_pair_products(other));
	return GA_OK;
}

/* Remove all inputs of other, which must be in the pair. */
GaStatus
ga_sum_pair_unmerge(GaSumPair *pair, const GaSumPair *other)
{
	if (reserve_merge(pair, other) != GA_OK)
		return GA_NO_CAPACITY;
	(void) ga_exact_sum_unmerge(ga_sum_pair_single(pair),
								ga_sum_pair_single(other));
	(void) ga_exact_sum_unmerge(ga_sum_pair_products(pair),
								ga_sum_pair_products(other));
	return GA_OK;
}

/* Are both sums valid, and of their kinds?  For assertions. */
bool
ga_sum_pair_is_valid(const GaSumPair *pair)
{
	const GaExactSum *single = ga_sum_pair_single(pair);
	const GaExactSum *products = ga_sum_pair_products(pair);

	return !single->is_wide && products->is_wide &&
		   ga_exact_sum_is_valid(single) && ga_exact_sum_is_valid(products);
}
