# `make bench-kernels`: how fast the kernels are, beside CUB's.  Included by
# extension.mk.
#
#	make bench-kernels	on a machine with a GPU: measure, and write down the
#						figures and whether they are enough; OPTIONS=--quick
#	make test/bench/build/kernels
#						only build the program; test/bench/build/ladder runs one
#						of the teaching kernels, for a profiler
#
# The kernels themselves come from kernels/kernels.mk.

CUDA_HOME ?= /usr/local/cuda
NVCC ?= $(CUDA_HOME)/bin/nvcc

BENCH = test/bench
BENCH_BUILD = $(BENCH)/build
BENCH_KERNELS = kernels/build/libgpuagg_kernels.a
BENCH_COMMON = $(patsubst src/common/%.c, $(BENCH_BUILD)/common/%.o, \
	$(wildcard src/common/*.c))
BENCH_OBJS = $(patsubst $(BENCH)/%.c, $(BENCH_BUILD)/%.o, \
	$(wildcard $(BENCH)/kernels*.c)) \
	$(patsubst $(BENCH)/%.cu, $(BENCH_BUILD)/%.cu.o, \
	$(wildcard $(BENCH)/kernels*.cu)) $(BENCH_COMMON)
BENCH_CPPFLAGS = -Isrc/common -Isrc/daemon -I$(CUDA_HOME)/include
BENCH_CFLAGS = -std=gnu99 -O2 -g -Wall -Wextra -ffp-contract=off -MMD -MP
# Of the GPU this is measured on; with code for later ones.
BENCH_ARCH ?= -gencode arch=compute_90,code=sm_90 \
	-gencode arch=compute_90,code=compute_90

$(BENCH_BUILD)/%.o: $(BENCH)/%.c $(BENCH)/kernels.mk
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) $(BENCH_CPPFLAGS) -c -o $@ $<
$(BENCH_BUILD)/common/%.o: src/common/%.c $(BENCH)/kernels.mk
	@mkdir -p $(@D)
	$(CC) $(BENCH_CFLAGS) $(BENCH_VECTOR_CFLAGS) -Isrc/common -c -o $@ $<
$(BENCH_BUILD)/common/cpu_avx2.o: BENCH_VECTOR_CFLAGS = $(AVX2_CFLAGS)
$(BENCH_BUILD)/common/cpu_avx512.o: BENCH_VECTOR_CFLAGS = $(AVX512_CFLAGS)
$(BENCH_BUILD)/%.cu.o: $(BENCH)/%.cu $(BENCH)/kernels.mk
	@mkdir -p $(@D)
	$(NVCC) -std=c++17 -O3 $(BENCH_ARCH) -Isrc/common -Isrc/daemon -Ikernels -MMD -MP -c -o $@ $<
-include $(wildcard $(BENCH_BUILD)/*.d $(BENCH_BUILD)/common/*.d)

# Our own objects of src/common come first, so the library's are not taken.
$(BENCH_BUILD)/kernels: $(BENCH_OBJS) $(BENCH_KERNELS)
	$(NVCC) -o $@ $(BENCH_OBJS) $(BENCH_KERNELS) -lpthread -lm
$(BENCH_BUILD)/ladder: $(BENCH_BUILD)/ladder.o $(BENCH_COMMON) $(BENCH_KERNELS)
	$(NVCC) -o $@ $^ -lpthread -lm

.PHONY: bench-kernels
bench-kernels: $(BENCH_BUILD)/kernels
	perl $(BENCH)/kernels.pl $< $(OPTIONS)
