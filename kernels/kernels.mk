# kernels.mk: the CUDA device as a library, where there is nvcc.  Included by
# extension.mk.
#
#	make kernels CUDA_ARCHS=90	build for the card at hand only
#
# CUDA_HOME, NVCC, and CUDA_ARCHS, compute capabilities without the point, can
# be given.  By default there is machine code for all that this nvcc knows, from
# 75 on, and PTX of the highest for cards that come later.

CUDA_HOME ?= /usr/local/cuda
NVCC ?= $(or $(shell command -v nvcc),$(wildcard $(CUDA_HOME)/bin/nvcc))

KERNELS = kernels
KERNELS_BUILD = $(KERNELS)/build
KERNELS_LIBRARY = $(KERNELS_BUILD)/libgpuagg_kernels.a
KERNELS_CUDA = $(patsubst $(KERNELS)/%.cu, $(KERNELS_BUILD)/%.o, \
	$(wildcard $(KERNELS)/*.cu $(KERNELS)/ladder/*.cu))
# What they call of the C code.
KERNELS_C = $(addprefix $(KERNELS_BUILD)/, device_check.o)

CUDA_KNOWN = $(shell $(NVCC) --list-gpu-arch | sed -n 's/^compute_//p')
CUDA_ARCHS ?= $(filter 75 80 86 89 90 100 120, $(CUDA_KNOWN))
CUDA_CODE = $(foreach a, $(CUDA_ARCHS), -gencode arch=compute_$(a),code=sm_$(a)) \
	-gencode arch=compute_$(lastword $(CUDA_ARCHS)),code=compute_$(lastword $(CUDA_ARCHS))

# IEEE arithmetic, operation by operation, as everywhere.
NVCCFLAGS = -std=c++17 -O3 -fmad=false -I$(KERNELS) -Isrc/common -Isrc/daemon \
	-Xcompiler -fPIC,-fvisibility=hidden,-Wall,-Wno-unused-function

.PHONY: kernels kernels-clean
kernels: $(KERNELS_LIBRARY)

$(KERNELS_LIBRARY): $(KERNELS_CUDA) $(KERNELS_C)
	@rm -f $@
	ar qcs $@ $^

$(KERNELS_BUILD)/%.o: $(KERNELS)/%.cu $(KERNELS)/kernels.mk
	@mkdir -p $(@D)
	$(NVCC) $(NVCCFLAGS) $(CUDA_CODE) -MMD -MF $(@:.o=.d) -c -o $@ $<

$(KERNELS_BUILD)/%.o: src/daemon/%.c $(KERNELS)/kernels.mk
	@mkdir -p $(@D)
	$(CC) -std=gnu99 -O2 -g -Wall -Wextra -fPIC -fvisibility=hidden \
		-Isrc/common -Isrc/daemon -MMD -MP -c -o $@ $<

-include $(wildcard $(KERNELS_BUILD)/*.d $(KERNELS_BUILD)/ladder/*.d)
