/*
 * reduce_window.cuh
 *		The kernel that goes through the elements of windows.
 *
 * A group of threads accumulates a window: a whole warp, some lanes or one.
 * Each has a Column (elem/elem_share.cuh), and loads kTileArrays elements at a
 * time; those of a group's lanes are side by side.
 */
#ifndef GA_REDUCE_WINDOW_CUH
#define GA_REDUCE_WINDOW_CUH

#include "elem/elem_share.cuh"
#include "find_array.cuh"
#include "packed/mixed_tiles.cuh"
#include "window.h"

/*
 * The elements of the array from some on, in the order in which they lie.  They
 * may be packed if kMixed.
 */
template <bool kMixed>
struct PieceCursor
{
	const WindowPiece *piece;
	GaDeviceAddress data;
	uint32_t first; /* element of the piece */
	uint32_t end;	/* behind its last element */

	/* Find an element, by each thread alone or by a warp that has the same. */
	__device__ __forceinline__
	PieceCursor(const WindowParams &params, uint32_t from, bool is_warp = false)
	{
		const WindowPiece *pieces =
			params.pieces ? params.pieces : params.inline_pieces;
		const auto first = [pieces](uint32_t i) { return pieces[i].first; };

		/* lanes that search among parameters would read them one by one */
		enter(pieces + (is_warp && params.pieces ?
							find_array(params.n_pieces, from, first) :
							find_array_alone(params.n_pieces, from, first)));
	}

	__device__ __forceinline__ void
	enter(const WindowPiece *next)
	{
		piece = next;
		data = next[0].data;
		first = next[0].first;
		end = next[1].first;
	}

	/* Are the elements of the piece packed? */
	__device__ __forceinline__ bool
	is_packed() const
	{
		return kMixed && ga_is_packed(data);
	}

	/* Return where an element of the piece is. */
	template <typename T>
	__device__ __forceinline__ const T *
	at(uint32_t i) const
	{
		return reinterpret_cast<const T *>(data) + (i - first);
	}

	/* Load an element, none of which is before the last one. */
	template <typename T>
	__device__ __forceinline__ T
	load(uint32_t i)
	{
		while (i >= end)
			enter(piece + 1);

		return kMixed ? load_mixed(at<T>(i)) : *at<T>(i);
	}
};

/* Where a thread's elements of a tile are: some apart, below an end. */
template <typename Cursor>
struct WindowPlace
{
	Cursor cursor;
	uint32_t at;
	uint32_t apart;
	uint32_t end;

	/* Load one of them, or a zero. */
	template <typename T>
	__device__ __forceinline__ T
	load(int k) const
	{
		const uint32_t i = at + uint32_t(k) * apart;
		Cursor from = cursor;

		return i < end ? from.template load<T>(i) : T(0);
	}
};

/* Load a tile. */
template <typename T, typename Cursor>
static __device__ __forceinline__ ColumnItems<T>
load_tile(WindowPlace<Cursor> &place, T outside)
{
	constexpr int kSize = Vector<T>::kSize;
	const uint32_t end =
		min(place.at + (kTileArrays - 1) * place.apart + 1, place.end);
	const bool is_in_piece =
		end <= place.cursor.end && !place.cursor.is_packed();
	const T *from = place.cursor.template at<T>(place.at);
	ColumnItems<T> items;

	/* loops of their own, so that all loads begin before the first ends */
	if (is_in_piece && end < place.end)
	{
#pragma unroll
		for (int k = 0; k < kTileArrays; k++)
			items.vector[k / kSize].item[k % kSize] =
				__ldg(from + uint32_t(k) * place.apart);
		return items;
	}
	if (is_in_piece)
	{
		const int n = int(place.end - place.at); /* as far as the end */

#pragma unroll
		for (int k = 0; k < kTileArrays; k++)
			items.vector[k / kSize].item[k % kSize] =
				k * int(place.apart) < n ?
					__ldg(from + uint32_t(k) * place.apart) :
					outside;
		return items;
	}
#pragma unroll
	for (int k = 0; k < kTileArrays; k++)
	{
		const uint32_t i = place.at + uint32_t(k) * place.apart;

		items.vector[k / kSize].item[k % kSize] =
			i < place.end ? place.cursor.template load<T>(i) : outside;
	}
	return items;
}

/*
 * Where a warp's elements of a tile are if they are packed and side by side: in
 * a part of a vector, which has elements outside of the window, too.
 */
template <typename T>
struct PackedPlace
{
	static constexpr int kTile = kWarp * ColumnItems<T>::kCount;

	VectorSpan<T> run; /* the window */
	int at;			   /* position of the tile */

	__device__ __forceinline__
	PackedPlace(const T *from, uint32_t n)
		: run(static_cast<const void *>(from), n, kTile * sizeof(T)), at(0)
	{
	}

	__device__ __forceinline__ ColumnItems<T>
	load_tile(T outside) const
	{
		ColumnItems<T> items;

		if (at >= run.first && at + kTile <= run.end)
			load_packed_tile(run.base + at, items);
		else
			load_packed_edge(run, at, items, outside);
		return items;
	}

	/* As that of a WindowPlace. */
	template <typename>
	__device__ __forceinline__ T
	load(int k) const
	{
		constexpr int kSize = Vector<T>::kSize;
		const int i = at + (k / kSize * kWarp + lane_id()) * kSize + k % kSize;

		return i >= run.first && i < run.end ? load_mixed(run.base + i) : T(0);
	}
};

/*
 * Add a window's packed elements.  Anchors are chosen by the first tile that is
 * added: the second one, if the window has less than half of the first.
 */
template <typename Column, typename T>
static __device__ __forceinline__ void
add_packed(PackedPlace<T> place, typename Column::Record *record,
		   Column *column)
{
	constexpr int kTile = PackedPlace<T>::kTile;
	const int n_tiles = (place.run.end - 1) / kTile + 1;
	int tile = n_tiles > 1 && place.run.first > kTile / 2 ? 1 : 0;

	for (int i = 0; i < n_tiles; i++)
	{
		place.at = tile * kTile;
		tile = tile + 1 < n_tiles ? tile + 1 : 0;

		const ColumnItems<T> items = place.load_tile(Column::outside());

		if (i == 0)
			column->template begin_group<kWarp>(items);
		if (!column->add(items))
			*column = Column::add_again(*column, place, record);
	}
}

/*
 * Add a window's elements from a place on; a whole warp, unless kGroup is 1.
 * The next tile is loaded while one is added.
 */
template <typename T, int kGroup, typename Column, typename Cursor>
static __device__ __forceinline__ void
add_tiles(const WindowParams &params, WindowPlace<Cursor> place, uint32_t lane,
		  typename Column::Record *record, Column *column)
{
	constexpr uint32_t kTile = kTileArrays * kGroup;
	ColumnItems<T> next = load_tile<T>(place, Column::outside());

	if constexpr (kGroup > 1)
		column->template begin_group<kGroup>(next);
	while (place.at - lane < place.end)
	{
		const ColumnItems<T> items = next;
		const uint32_t at = place.at;

		place.at += kTile;
		if (place.at - lane < place.end)
			next = load_tile<T>(place, Column::outside());
		if (!column->add(items))
			*column =
				Column::add_again(*column,
								  WindowPlace<Cursor>{Cursor(params, at), at,
													  place.apart, place.end},
								  record);
	}
}

/* The record of a thread, which is stored as vectors. */
template <typename Record>
struct alignas(kVectorBytes) LaneRecord
{
	Record record;
};

/*
 * Reduce window i, by a group of threads, which others of their warp accompany.
 * Its record is `to`, NULL if there is no such window; a group's lanes have
 * others besides.
 */
template <typename T, typename Column, typename Cursor, int kGroup>
static __device__ __forceinline__ void
reduce_window(const WindowParams &params, uint32_t i,
			  typename Column::Record *of_lane, typename Column::Record *to)
{
	const uint32_t lane = threadIdx.x % kGroup;
	const uint32_t from = ga_window_from(&params.windows, params.first + i);
	const Cursor cursor(params, from, kGroup == kWarp);
	const uint32_t end =
		to ? min(ga_window_end(&params.windows, params.first + i),
				 cursor.piece->end) :
			 from;
	WindowPlace<Cursor> place = {cursor, from + lane, kGroup, end};
	typename Column::Record *const record = kGroup == 1 ? to : of_lane;
	uint32_t n_of_lane = (end - from) / kGroup + 1; /* elements, at most */
	bool is_added = false;
	Column column;

	column.clear();
	if constexpr (kGroup == kWarp)
	{
		/* a lane has a vector of 16 bytes in each row, also at both ends */
		const uint32_t n_packed = n_of_lane + 2 * Vector<T>::kSize;

		is_added = cursor.is_packed() && end <= cursor.end &&
				   n_packed <= kMaxShareArrays;
		if (is_added)
		{
			n_of_lane = n_packed;
			add_packed(PackedPlace<T>(cursor.template at<T>(from), end - from),
					   record, &column);
		}
	}
	if (!is_added)
		add_tiles<T, kGroup>(params, place, lane, record, &column);
	if constexpr (kGroup == 1)
		column.finish(record);
	else
	{
		__syncwarp();
		column.template finish_group<kGroup>(record, to, n_of_lane);
	}
}

/*
 * Reduce windows.  Grid: blocks of kWindowThreads for all windows.  A warp
 * stays together.
 */
template <typename T, typename Column, typename Cursor, int kGroup>
static __global__ void
__launch_bounds__(kWindowThreads, kWindowBlocks)
	reduce_windows(const __grid_constant__ WindowParams params)
{
	using Record = typename Column::Record;
	using Lane = LaneRecord<Record>;
	__shared__ Lane lanes[kWindowThreads];
	const uint64_t thread = uint64_t(blockIdx.x) * kWindowThreads + threadIdx.x;
	const uint32_t i = uint32_t(thread / kGroup);
	const bool is_there = i < params.n_windows;

	if (kGroup > 1 || is_there)
		reduce_window<T, Column, Cursor, kGroup>(
			params, min(i, params.n_windows - 1), &lanes[threadIdx.x].record,
			is_there ? static_cast<Record *>(params.records) + i : nullptr);
}

/* The cursor that a pointer is of. */
template <typename Pointer>
using CursorOf = typename std::remove_const<
	typename std::remove_pointer<Pointer>::type>::type;

/*
 * Launch kernels by a function of a cursor, for arrays of which any are packed
 * or none is.
 */
template <typename Launch>
static cudaError_t
launch_with_cursor(const WindowParams &params, Launch launch)
{
	using Plain = PieceCursor<false>;
	using Mixed = PieceCursor<true>;

	if (params.any_packed)
		launch(static_cast<const Mixed *>(nullptr));
	else
		launch(static_cast<const Plain *>(nullptr));
	return cudaGetLastError();
}

/* Launch the kernel with groups of threads for windows. */
template <typename T, typename Column, int kGroup>
static cudaError_t
launch_groups(const WindowParams &params, cudaStream_t stream)
{
	const uint64_t n_threads = uint64_t(params.n_windows) * kGroup;
	const uint32_t n_blocks =
		uint32_t((n_threads + kWindowThreads - 1) / kWindowThreads);

	return launch_with_cursor(params,
							  [&](auto *cursor)
							  {
								  using Cursor = CursorOf<decltype(cursor)>;

								  reduce_windows<T, Column, Cursor, kGroup>
									  <<<n_blocks, kWindowThreads, 0, stream>>>(
										  params);
							  });
}

/* Launch the kernel with as many threads a window as it wants. */
template <typename T, typename Column>
static cudaError_t
launch_windows(const WindowParams &params, cudaStream_t stream)
{
	const uint32_t size = params.windows.size;
	const uint32_t of_warp =
		params.any_packed || params.n_windows < kFewWindows ? kWarpWindowOfFew :
															  kWarpWindow;

	if (size >= of_warp)
		return launch_groups<T, Column, kWarp>(params, stream);
	if (size >= kGroupWindow)
		return launch_groups<T, Column, kWindowGroup>(params, stream);
	return launch_groups<T, Column, 1>(params, stream);
}

#endif /* GA_REDUCE_WINDOW_CUH */
