# Tests of devices: all implementations of src/daemon/device.h, by the same
# programs.  Included by extension.mk, after unit.mk, whose helpers they use.
#
#	make device-emulated	build and run them on the emulated device, with and
#							without sanitizers
#	make device-cuda		on a GPU; needs nvcc
#	make fuzz-device		random requests until CASES=n arrays are done, SEED=n
#							to repeat a run, FIRST=n with CASES=1 to repeat a
#							request; DEVICE=emulated or cuda, by default cuda
#							where that can be had

DEVICE_TEST = test/device
DEVICE_BUILD = $(DEVICE_TEST)/build/$(notdir $(lastword $(CC)))
DEVICE_PROGRAMS = $(patsubst $(DEVICE_TEST)/%.c, %, \
	$(wildcard $(DEVICE_TEST)/test_*.c $(DEVICE_TEST)/fuzz_*.c))
DEVICE_TESTS = $(filter test_%, $(DEVICE_PROGRAMS))
DEVICE_HELPERS = $(patsubst $(DEVICE_TEST)/%.c, %.o, $(filter-out \
	$(wildcard $(DEVICE_TEST)/test_*.c $(DEVICE_TEST)/fuzz_*.c), \
	$(wildcard $(DEVICE_TEST)/*.c)))
DEVICE_DAEMON = device_check.o
DEVICE_EMULATED = emulated_grid.o emulated_ladder.o emulated_memory.o \
	emulated_queue.o emulated_request.o device_emulated.o
DEVICE_CFLAGS = $(UNIT_CFLAGS) -Isrc/daemon -I$(UNIT)

CUDA_HOME ?= /usr/local/cuda
DEVICE_NVCC := $(shell command -v nvcc || ls $(CUDA_HOME)/bin/nvcc 2>/dev/null)
DEVICE_FUZZ = $(addsuffix /fuzz_device, $(addprefix $(DEVICE_BUILD)/, \
	$(or $(DEVICE),$(if $(DEVICE_NVCC),$(if $(wildcard kernels/kernels.mk),cuda)) \
	emulated)))
DEVICE_KERNELS = kernels/build/libgpuagg_kernels.a
DEVICE_CUDA_LIBS = -L$(CUDA_HOME)/lib64 -lcudart_static -lpthread -ldl -lrt \
	-lstdc++

# Rules for one directory of programs: its name, the directory of unit.mk whose
# objects it takes, the device, what else is linked, and flags.
define device_rules
$(DEVICE_BUILD)/$(1)/%.o: $(DEVICE_TEST)/%.c $(DEVICE_TEST)/device.mk
	@mkdir -p $$(@D)
	$$(CC) $$(DEVICE_CFLAGS) $(5) -DGA_TEST_DEVICE=$(3) -c -o $$@ $$<
$(DEVICE_BUILD)/$(1)/%.o: src/daemon/%.c $(DEVICE_TEST)/device.mk
	@mkdir -p $$(@D)
	$$(CC) $$(DEVICE_CFLAGS) $(5) -c -o $$@ $$<
$(addprefix $(DEVICE_BUILD)/$(1)/, $(DEVICE_PROGRAMS)): %: %.o \
	$(addprefix $(DEVICE_BUILD)/$(1)/, $(DEVICE_HELPERS) $(DEVICE_DAEMON)) \
	$(if $(filter cuda,$(1)), $(DEVICE_KERNELS), \
	$(addprefix $(DEVICE_BUILD)/$(1)/, $(DEVICE_EMULATED))) \
	$(addprefix $(UNIT_BUILD)/$(2)/, $(UNIT_HELPERS) $(UNIT_COMMON))
	$$(CC) $(5) -o $$@ $$^ $(4) $$(UNIT_LIBS)
-include $(wildcard $(DEVICE_BUILD)/$(1)/*.d)
endef
$(eval $(call device_rules,emulated,plain,ga_device_emulated,-lpthread,))
$(eval $(call device_rules,sanitized,sanitized,ga_device_emulated,-lpthread,$(UNIT_SANITIZE)))
$(eval $(call device_rules,cuda,plain,ga_device_cuda,$(DEVICE_CUDA_LIBS),))

.PHONY: device-emulated device-plain device-sanitized device-cuda fuzz-device

device-emulated: device-plain device-sanitized

build-tests: $(addprefix $(DEVICE_BUILD)/emulated/, $(DEVICE_TESTS)) \
	$(addprefix $(DEVICE_BUILD)/sanitized/, $(DEVICE_TESTS))

device-plain: $(addprefix $(DEVICE_BUILD)/emulated/, $(DEVICE_TESTS))
	$(UNIT_PROVE) $^

device-sanitized: $(addprefix $(DEVICE_BUILD)/sanitized/, $(DEVICE_TESTS))
	$(UNIT_SANITIZED_RUN) $(UNIT_PROVE) $^

device-cuda: $(addprefix $(DEVICE_BUILD)/cuda/, $(DEVICE_TESTS))
	prove --exec '' $^

# Asked for no cases, the program tells whether there is a device.
fuzz-device: CASES ?= 1000000
fuzz-device: $(DEVICE_FUZZ)
	@program=$(firstword $(DEVICE_FUZZ)); \
	if [ -z "$(DEVICE)" ] && $$program 0 | grep SKIP; then \
		program=$(lastword $(DEVICE_FUZZ)); \
	fi; \
	set -x; $$program $(CASES) $(or $(SEED),time) $(FIRST)
