/*
 * pack.h
 *		Parameters and launches of the kernels that pack arrays; for kernels
 *		and host.
 *
 * A survey writes a header for each vector, with the form and no address, and
 * places the payloads of each array among its pages.  Packing writes payloads
 * and addresses, and checks them.
 *
 * Called by host/request_pack.cu.
 */
#ifndef GA_PACK_H
#define GA_PACK_H

#include "common.cuh"
extern "C"
{
#include "exact/packed.h"
}

/* Threads of a block; a warp has a vector. */
constexpr int kPackThreads = 128;
constexpr int kPackWarps = kPackThreads / kWarp;

/* Blocks per multiprocessor. */
constexpr int kPackBlocks = 4;

struct PackPiece
{
	const void *data;
	GaPackedHeader *headers;
	uint32_t n;
	uint32_t first_vector; /* its number in the request */
	uint32_t array;
};

struct PackArray
{
	uint32_t first_piece;
	uint32_t n_pieces;
	uint32_t at;
	uint32_t first_page; /* among the pages of all arrays */
};

/* What a survey found, in host memory. */
struct PackResult
{
	uint64_t n_bytes;
	uint32_t n_pages;
};

struct PackParams
{
	const PackPiece *pieces;
	const PackArray *arrays;
	const GaDeviceAddress *pages;
	uint32_t n_pieces;
	uint32_t n_arrays;
	uint32_t n_vectors;
	PackResult *results;		 /* of a survey */
	unsigned long long *n_wrong; /* of packing; in device memory, zero */
};

/* A launch for each step; max_blocks as many as fill the device. */
extern cudaError_t launch_survey(GaElementType type, const PackParams &params,
								 int max_blocks, cudaStream_t stream);
extern cudaError_t launch_pack(GaElementType type, const PackParams &params,
							   int max_blocks, cudaStream_t stream);

#endif /* GA_PACK_H */
