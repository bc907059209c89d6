# programs.mk: the test programs that need no server, which test/bin/check builds
# and runs.  Included by extension.mk, after daemon.mk.
#
#	make fuzz-unit		random sums until CASES=n are done, and running totals,
#						splits into states, moments and products one case for ten
#						of sums, since each is longer; SEED=n to repeat a run, and
#						FIRST=n with CASES=1 to repeat a case
#	make fuzz-device	random requests until CASES=n arrays are done;
#						DEVICE=emulated or cuda, by default cuda where that can
#						be had
#
# They need MPFR and GMP for the results to compare with, and prove.

TEST_DIRS = test/unit test/device test/daemon
PROGRAM_SOURCES = $(wildcard $(addsuffix /test_*.c, $(TEST_DIRS)) \
	$(addsuffix /fuzz_*.c, $(TEST_DIRS)))
HELPER_SOURCES = $(filter-out $(PROGRAM_SOURCES), \
	$(wildcard $(addsuffix /*.c, $(TEST_DIRS))))
TESTED_SOURCES = $(EXACT_SOURCES) $(CPU_SOURCES) $(DEVICE_SOURCES) \
	$(EMULATED_SOURCES) $(LADDER_SOURCES) \
	src/extension/supervisor/heartbeat.c src/daemon/schedule.c
TEST_LIBS = -lmpfr -lgmp -lm -lpthread
CUDA_LIBS = -L$(CUDA_HOME)/lib64 -lcudart_static -lpthread -ldl -lrt -lstdc++

# programs VARIANT,DIR,PATTERN: the programs of a directory.
programs = $(patsubst %.c, $(BUILD_DIR)/$(1)/%, \
	$(filter test/$(2)/$(3), $(PROGRAM_SOURCES)))

# Rules of a variant: its name, and flags.
define program_rules
$(BUILD_DIR)/$(1)/test/%.o: EXTRA_CFLAGS = $(addprefix -I, $(TEST_DIRS))
$(BUILD_DIR)/$(1)/libtest.a: $(call objects,$(1),$(HELPER_SOURCES) $(TESTED_SOURCES))
	@rm -f $$@
	ar qcs $$@ $$^
$(addprefix $(BUILD_DIR)/$(1)/, $(PROGRAM_SOURCES:.c=)): %: %.o $(BUILD_DIR)/$(1)/libtest.a
	@$$(call say,LD,$$@)
	$$(CC) $(2) -o $$@ $$^ $$(TEST_LIBS)
endef
$(eval $(call program_rules,plain,))
$(eval $(call program_rules,sanitized,$(SANITIZE)))

# The tests of devices, linked with the kernels.
$(patsubst %, $(BUILD_DIR)/cuda/%, $(PROGRAM_SOURCES:.c=)): $(BUILD_DIR)/cuda/%: \
	$(BUILD_DIR)/plain/%.o $(KERNELS_LIBRARY) $(BUILD_DIR)/plain/libtest.a
	@mkdir -p $(@D)
	@$(call say,LD,$@)
	$(CC) -Wl,-u,ga_device_cuda,-u,ga_ladder_cuda -o $@ $^ $(CUDA_LIBS) $(TEST_LIBS)

.PHONY: build-tests fuzz-unit fuzz-device

# All that `make check` needs without a GPU.
build-tests: $(foreach v, plain sanitized, $(BUILD_DIR)/$(v)/gpuaggd \
	$(BUILD_DIR)/$(v)/gpuagg-ladder \
	$(foreach d, unit device daemon, $(call programs,$(v),$(d),test_%)) \
	$(call programs,$(v),unit,fuzz_%))

fuzz-unit: CASES ?= 10000000
fuzz-unit: $(addprefix $(BUILD_DIR)/plain/test/unit/, fuzz_sum fuzz_scan fuzz_split fuzz_moments fuzz_dot)
	$(BUILD_DIR)/plain/test/unit/fuzz_sum $(CASES) $(or $(SEED),time) $(FIRST)
	for program in fuzz_scan fuzz_split fuzz_moments fuzz_dot; do \
		$(BUILD_DIR)/plain/test/unit/$$program $$((($(CASES) + 9) / 10)) \
			$(or $(SEED),time) $(FIRST) || exit; \
	done

# Asked for no cases, the program tells whether there is a device.
FUZZ_DEVICE = $(foreach d, $(or $(DEVICE), $(if $(NVCC),cuda) emulated), \
	$(BUILD_DIR)/$(if $(filter cuda,$(d)),cuda,plain)/test/device/fuzz_device)
fuzz-device: CASES ?= 1000000
fuzz-device: $(FUZZ_DEVICE)
	@program=$(firstword $(FUZZ_DEVICE)); \
	if [ -z "$(DEVICE)" ] && $$program 0 | grep SKIP; then \
		program=$(lastword $(FUZZ_DEVICE)); \
	fi; \
	$$program $(CASES) $(or $(SEED),time) $(FIRST)

# Times requests to gpuaggd, for test/bench/device.pl.
$(BUILD_DIR)/plain/test/bench/request.o: EXTRA_CFLAGS = $(addprefix -I, $(TEST_DIRS))
$(BUILD_DIR)/plain/test/bench/request: $(BUILD_DIR)/plain/test/bench/request.o \
	$(BUILD_DIR)/plain/libtest.a
	@$(call say,LD,$@)
	$(CC) -o $@ $^ $(TEST_LIBS)

# Sends queries, for test/bench/load.pl.
$(BUILD_DIR)/plain/test/bench/load.o: EXTRA_CFLAGS = -I$(shell $(PG_CONFIG) --includedir 2>/dev/null)
$(BUILD_DIR)/plain/test/bench/load: $(BUILD_DIR)/plain/test/bench/load.o
	@$(call say,LD,$@)
	$(CC) -o $@ $^ -L$(shell $(PG_CONFIG) --libdir 2>/dev/null) -lpq
