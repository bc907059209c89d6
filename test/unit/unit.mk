# Unit tests: all of src/common, without a server.  Included by the Makefile.
#
#	make unit			build and run them all, with and without sanitizers
#	make unit-plain		without
#	make unit-sanitized	under the address and undefined-behaviour sanitizers;
#						fewer cases
#	make fuzz-unit		random sums until CASES=n are done, and running totals of
#						one case for ten of sums, since each is longer; SEED=n
#						to repeat a run, and FIRST=n with CASES=1 to repeat a
#						case
#
# They need MPFR and GMP for the results to compare with, and prove.  Objects
# of each compiler have a directory of their own, so that neither takes the
# other's for its own.

UNIT = test/unit
UNIT_BUILD = $(UNIT)/build/$(notdir $(lastword $(CC)))
UNIT_COMMON = $(notdir $(COMMON))
UNIT_PROGRAMS = $(patsubst $(UNIT)/%.c, %, \
	$(wildcard $(UNIT)/test_*.c $(UNIT)/fuzz_*.c))
UNIT_HELPERS = $(patsubst $(UNIT)/%.c, %.o, $(filter-out \
	$(wildcard $(UNIT)/test_*.c $(UNIT)/fuzz_*.c), $(wildcard $(UNIT)/*.c)))
UNIT_CFLAGS = -std=gnu99 -O2 -g -Wall -Wextra -ffp-contract=off -MMD -MP \
	-Isrc/common
UNIT_SANITIZE = -fsanitize=address,undefined -fno-sanitize-recover=all
# The address sanitizer of gcc 12 does not always start where the kernel
# randomizes addresses over more bits than it knew.
UNIT_FIXED := $(shell setarch -R true 2>/dev/null && echo setarch -R)
# That of gcc 13 puts vectors of 64 bytes at places that are not aligned, unless
# it is told to leave stack frames where they are.
UNIT_SANITIZED_RUN = ASAN_OPTIONS=detect_stack_use_after_return=0 \
	GA_UNIT_QUICK=1 $(UNIT_FIXED)
# Each test is one process, so that as many run at once as there are cores.
UNIT_PROVE = prove -j $(shell nproc) --exec ''
UNIT_LIBS = -lmpfr -lgmp -lm

# Rules for one directory of objects: its name, and flags.
define unit_rules
$(UNIT_BUILD)/$(1)/%.o: src/common/%.c $(UNIT)/unit.mk
	@mkdir -p $$(@D)
	$$(CC) $$(UNIT_CFLAGS) $(2) $$(UNIT_VECTOR_CFLAGS) -c -o $$@ $$<
$(UNIT_BUILD)/$(1)/%.o: $(UNIT)/%.c $(UNIT)/unit.mk
	@mkdir -p $$(@D)
	$$(CC) $$(UNIT_CFLAGS) $(2) -c -o $$@ $$<
$(UNIT_BUILD)/$(1)/cpu_avx2.o: UNIT_VECTOR_CFLAGS = $$(AVX2_CFLAGS)
$(UNIT_BUILD)/$(1)/cpu_avx512.o: UNIT_VECTOR_CFLAGS = $$(AVX512_CFLAGS)
$(addprefix $(UNIT_BUILD)/$(1)/, $(UNIT_PROGRAMS)): %: %.o \
	$(addprefix $(UNIT_BUILD)/$(1)/, $(UNIT_HELPERS) $(UNIT_COMMON))
	$$(CC) $(2) -o $$@ $$^ $$(UNIT_LIBS)
-include $(wildcard $(UNIT_BUILD)/$(1)/*.d)
endef
$(eval $(call unit_rules,plain,))
$(eval $(call unit_rules,sanitized,$(UNIT_SANITIZE)))

# What `make check` runs, built at once before the first of it.
.PHONY: build-tests
build-tests: $(addprefix $(UNIT_BUILD)/plain/, $(UNIT_PROGRAMS)) \
	$(addprefix $(UNIT_BUILD)/sanitized/, $(UNIT_PROGRAMS))

.PHONY: unit unit-plain unit-sanitized fuzz-unit

unit: unit-plain unit-sanitized

unit-plain: $(addprefix $(UNIT_BUILD)/plain/, $(UNIT_PROGRAMS))
	$(UNIT_PROVE) $^

unit-sanitized: $(addprefix $(UNIT_BUILD)/sanitized/, $(UNIT_PROGRAMS))
	$(UNIT_SANITIZED_RUN) $(UNIT_PROVE) $^

fuzz-unit: CASES ?= 10000000
fuzz-unit: $(addprefix $(UNIT_BUILD)/plain/, fuzz_sum fuzz_scan)
	$(UNIT_BUILD)/plain/fuzz_sum $(CASES) $(or $(SEED),time) $(FIRST)
	$(UNIT_BUILD)/plain/fuzz_scan $$((($(CASES) + 9) / 10)) \
		$(or $(SEED),time) $(FIRST)
