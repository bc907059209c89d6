# `make bench-kernels`: how fast the kernels are, beside CUB's.  Included by
# extension.mk.
#
#	make bench-kernels	on a machine with a GPU: measure, and write down the
#						figures and whether they are enough; OPTIONS=--quick
#	make build/cuda/test/bench/kernels
#						only build the program

BENCH_BUILD = $(BUILD_DIR)/cuda/test/bench
BENCH_KERNELS = $(BENCH_BUILD)/kernels
BENCH_SOURCES = $(EXACT_SOURCES) $(CPU_SOURCES) $(DEVICE_SOURCES)
# Of the GPU this is measured on; with code for later ones.
BENCH_ARCH ?= -gencode arch=compute_90,code=sm_90 \
	-gencode arch=compute_90,code=compute_90

$(BUILD_DIR)/plain/test/bench/%.o: EXTRA_CFLAGS = -I$(CUDA_HOME)/include
$(BENCH_BUILD)/%.cu.o: test/bench/%.cu test/bench/kernels.mk
	@mkdir -p $(@D)
	@$(call say,NVCC,$<)
	$(NVCC) -std=c++17 -O3 $(BENCH_ARCH) -Isrc -Ikernels -MMD -MP -c -o $@ $<
-include $(wildcard $(BENCH_BUILD)/*.d)

# Our own objects of src come first, so the library's are not taken.
$(BENCH_KERNELS): $(call objects,plain,$(wildcard test/bench/kernels*.c)) \
	$(patsubst test/bench/%.cu, $(BENCH_BUILD)/%.cu.o, \
	$(wildcard test/bench/kernels*.cu)) \
	$(call objects,plain,$(BENCH_SOURCES)) $(KERNELS_LIBRARY)
	@$(call say,LD,$@)
	$(NVCC) $(KERNELS_LINK) -o $@ $^ -lpthread -lm

.PHONY: bench-kernels
bench-kernels: $(BENCH_KERNELS)
	perl test/bench/kernels.pl $< $(OPTIONS)
