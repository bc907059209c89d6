# cuda_on_cpu.mk: the kernels for the CPU, and the programs of test/device with
# them.  Included by extension.mk, after programs.mk.
#
# Kernels and their host code are compiled by the C++ compiler, from a rewritten
# copy, with test/cuda_on_cpu in place of CUDA.  It needs no CUDA.  The variants
# are the code for devices with rings (kernels/ring.cuh), that for the oldest
# ones, and the former with sanitizers:
#
#	build/kernels-90/test/device/test_sums
#	build/kernels-75/test/device/test_sums
#	build/kernels-sanitized/test/device/test_sums

ON_CPU = test/cuda_on_cpu
# The teaching kernels are not among them.
ON_CPU_KERNELS = $(filter-out kernels/ladder/%, $(wildcard kernels/*/*.cu))
ON_CPU_REWRITTEN = $(BUILD_DIR)/kernels-on-cpu
# All but what $(ON_CPU) has instead.
ON_CPU_COPIES = $(patsubst %, $(ON_CPU_REWRITTEN)/%, \
	$(filter-out kernels/ladder/% kernels/ptx.cuh, \
	$(wildcard kernels/*.cuh kernels/*/*.cuh kernels/*/*.cu kernels/*/*.h)))

# Arithmetic is that of nvcc's -fmad=false; integers wrap around, as those of a
# GPU do.
ON_CPU_CXXFLAGS = -std=c++17 -O2 -g1 -Wall -Wno-unused-function -Wno-unknown-pragmas \
	-Wno-invalid-offsetof -Wno-maybe-uninitialized \
	-Wno-sign-compare \
	-ffp-contract=off -fno-strict-aliasing -fwrapv -fPIC \
	-I$(ON_CPU_REWRITTEN)/kernels -I$(ON_CPU) -Isrc -include cuda_runtime.h

$(ON_CPU_COPIES): $(ON_CPU_REWRITTEN)/%: % $(ON_CPU)/rewrite
	@mkdir -p $(@D)
	$(ON_CPU)/rewrite $< >$@ || { rm $@; exit 1; }

# on_cpu_rules VARIANT,CODE,FLAGS,PLAIN: for a compute capability; PLAIN is the
# variant of objects.mk that the rest of a program is of.
define on_cpu_rules
$(BUILD_DIR)/$(1)/%.o: $(ON_CPU_REWRITTEN)/%.cu $(ON_CPU_COPIES) $(ON_CPU)/cuda_on_cpu.mk
	@mkdir -p $$(@D)
	@$$(call say,CXX,$$*.cu ($(1)))
	$$(CXX) $$(ON_CPU_CXXFLAGS) -D__CUDA_ARCH__=$(2) $(3) -MMD -MP -x c++ -c -o $$@ $$<
$(BUILD_DIR)/$(1)/%.o: %.cc $(ON_CPU)/cuda_on_cpu.mk
	@mkdir -p $$(@D)
	@$$(call say,CXX,$$< ($(1)))
	$$(CXX) $$(ON_CPU_CXXFLAGS) -D__CUDA_ARCH__=$(2) $(3) -MMD -MP -c -o $$@ $$<
$(BUILD_DIR)/$(1)/libkernels.a: $(ON_CPU_KERNELS:%.cu=$(BUILD_DIR)/$(1)/%.o) \
	$(patsubst %.cc, $(BUILD_DIR)/$(1)/%.o, $(wildcard $(ON_CPU)/*.cc))
	@rm -f $$@
	ar qcs $$@ $$^
$(patsubst %.c, $(BUILD_DIR)/$(1)/%, $(filter test/device/%, $(PROGRAM_SOURCES))): \
	$(BUILD_DIR)/$(1)/%: $(BUILD_DIR)/$(4)/%.o $(BUILD_DIR)/$(1)/libkernels.a \
	$(BUILD_DIR)/$(4)/libtest.a
	@mkdir -p $$(@D)
	@$$(call say,LD,$$@)
	$$(CXX) $(3) -Wl,-u,ga_device_cuda -o $$@ $$^ $$(TEST_LIBS)
-include $(shell find $(BUILD_DIR)/$(1) -name '*.d' 2>/dev/null)
endef
$(eval $(call on_cpu_rules,kernels-90,900,,plain))
$(eval $(call on_cpu_rules,kernels-75,750,,plain))
$(eval $(call on_cpu_rules,kernels-sanitized,900,$(SANITIZE),sanitized))
