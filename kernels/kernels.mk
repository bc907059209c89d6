# kernels.mk: the CUDA device as a library, where there is nvcc.  Included by
# extension.mk.
#
#	make kernels CUDA_ARCHS=90	build for the card at hand only
#
# CUDA_HOME, NVCC, and CUDA_ARCHS, compute capabilities without the point, can
# be given.  By default there is machine code for all that this nvcc knows, from
# 75 on, and PTX for cards that come later.  What was built for more cards than
# are wanted is kept, and built on; `make clean` ends that.

CUDA_HOME ?= /usr/local/cuda
NVCC ?= $(or $(shell command -v nvcc),$(wildcard $(CUDA_HOME)/bin/nvcc))
# Debian's nvcc does not go with Debian's gcc, but with one that is named so.
ifeq ($(NVCC),/usr/bin/nvcc)
NVCC += $(addprefix -ccbin ,$(shell command -v cuda-g++))
endif

KERNELS_BUILD = $(BUILD_DIR)/cuda
KERNELS_LIBRARY = $(KERNELS_BUILD)/libgpuagg_kernels.a
KERNELS_OBJECTS = $(patsubst %.cu, $(KERNELS_BUILD)/%.o, \
	$(wildcard kernels/*/*.cu))
# A program refers to the device weakly; this takes it from the library.
KERNELS_LINK = -Xlinker -u -Xlinker ga_device_cuda
LADDER_LINK = $(KERNELS_LINK) -Xlinker -u -Xlinker ga_ladder_cuda

CUDA_KNOWN = $(shell $(NVCC) --list-gpu-arch | sed -n 's/^compute_//p')
CUDA_ARCHS ?= $(filter 75 80 86 89 90 100 120, $(CUDA_KNOWN))
# Those of the objects that are there, and those that are to be.
CUDA_ARCHS_FILE = $(KERNELS_BUILD)/archs
CUDA_ARCHS_BUILT := $(if $(wildcard $(CUDA_ARCHS_FILE)),$(file < $(CUDA_ARCHS_FILE)))
ifneq ($(NVCC),)
ifeq ($(filter-out $(CUDA_ARCHS_BUILT), $(CUDA_ARCHS)),)
override CUDA_ARCHS := $(CUDA_ARCHS_BUILT)
else
$(CUDA_ARCHS_FILE): force
endif
endif
# PTX is of the highest without rings (kernels/ring.cuh), which 12.0 has no
# memory for, if there is one.
CUDA_PTX = $(lastword $(or $(filter-out 90 100, $(CUDA_ARCHS)), $(CUDA_ARCHS)))
CUDA_CODE = $(foreach a, $(CUDA_ARCHS), -gencode arch=compute_$(a),code=sm_$(a)) \
	-gencode arch=compute_$(CUDA_PTX),code=compute_$(CUDA_PTX)

# IEEE arithmetic, operation by operation, as everywhere.
NVCCFLAGS = -std=c++17 -O3 -fmad=false -Ikernels -Isrc \
	-Xcompiler -fPIC,-fvisibility=hidden,-Wall,-Wno-unused-function

.PHONY: kernels
kernels: $(KERNELS_LIBRARY)

$(KERNELS_LIBRARY): $(KERNELS_OBJECTS)
	@rm -f $@
	ar qcs $@ $^

# Says what takes so long.
$(CUDA_ARCHS_FILE):
	@mkdir -p $(@D)
	@$(call say,NVCC,$(words $(KERNELS_OBJECTS)) files of kernels for GPUs of \
compute capability $(CUDA_ARCHS); CUDA_ARCHS=90 builds for one only)
	@echo '$(CUDA_ARCHS)' > $@

$(KERNELS_BUILD)/%.o: %.cu kernels/kernels.mk $(CUDA_ARCHS_FILE)
	@mkdir -p $(@D)
	@$(call say,NVCC,$<)
	$(NVCC) $(NVCCFLAGS) $(CUDA_CODE) -MMD -MP -MF $(@:.o=.d) -c -o $@ $<

-include $(shell find $(KERNELS_BUILD) -name '*.d' 2>/dev/null)
