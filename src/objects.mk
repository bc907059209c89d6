# objects.mk: how C code that knows no PostgreSQL is compiled, for all programs.
# Included by extension.mk before PGXS.
#
# Each source is compiled once for each variant: `plain`, which goes into
# gpuagg.so, gpuaggd, the tests and the benchmarks, and `sanitized`, for the
# address and undefined-behaviour sanitizers.  build/VARIANT/ mirrors the source
# tree.  Both are made again if the compiler changes.
#
# One short line tells of each step; V=1 shows the commands instead.

BUILD_DIR = build

ifneq ($(V),1)
.SILENT:
ifeq ($(findstring s,$(firstword -$(MAKEFLAGS))),)
# say WHAT,FILE: the line that tells of a step.
say = echo '  $(1)	$(2)'
endif
endif
say ?= :

# IEEE arithmetic, operation by operation, in every program.
BARE_CFLAGS = -std=gnu99 -D_GNU_SOURCE -O2 -g -Wall -Wextra -ffp-contract=off \
	-fPIC -fvisibility=hidden -MMD -MP -Isrc -DGA_VERSION='"$(EXTVERSION)"' $(COPT)
# As servers are compiled: what a backend runs is defined where C leaves integer
# overflow and aliasing undefined, can be profiled, and checks its stack.
PLAIN_CFLAGS = -fno-strict-aliasing -fwrapv -fno-omit-frame-pointer \
	-fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
# The tables of addresses of a program are read-only once it runs.
READ_ONLY_LINK = -z relro -z now
# Sanitizers watch calls that _FORTIFY_SOURCE, which some compilers set, would replace,
# and name lines.  With -O2 such objects take twice as long to compile.
SANITIZE = -O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all -U_FORTIFY_SOURCE

ifeq ($(shell uname -m),x86_64)
AVX2_CFLAGS = -mavx2 -mfma
AVX512_CFLAGS = -mavx512f -mavx512bw -mavx512dq -mavx512vl -mprefer-vector-width=512
endif

# objects VARIANT,SOURCES: their objects.
objects = $(patsubst %.c, $(BUILD_DIR)/$(1)/%.o, $(2))

EXACT_SOURCES = $(wildcard src/exact/*.c)
CPU_SOURCES = $(wildcard src/cpu/*.c)
DEVICE_SOURCES = $(wildcard src/device/*.c)
EMULATED_SOURCES = $(wildcard src/device/emulated/*.c)
LADDER_SOURCES = $(wildcard src/ladder/*.c)
DAEMON_SOURCES = $(wildcard src/daemon/*.c src/daemon/cache/*.c)

# Rules of a variant: its name, and flags.
define variant_rules
$(BUILD_DIR)/$(1)/%.o: %.c $(BUILD_DIR)/compiler
	@mkdir -p $$(@D)
	@$$(call say,CC,$$<$(if $(filter plain,$(1)),, ($(1))))
	$$(CC) $$(BARE_CFLAGS) $(2) $$(EXTRA_CFLAGS) -c -o $$@ $$<
$(BUILD_DIR)/$(1)/src/cpu/cpu_avx2.o: EXTRA_CFLAGS = $$(AVX2_CFLAGS)
$(BUILD_DIR)/$(1)/src/cpu/cpu_avx512.o: EXTRA_CFLAGS = $$(AVX512_CFLAGS)
-include $(shell find $(BUILD_DIR)/$(1) -name '*.d' 2>/dev/null)
endef
$(eval $(call variant_rules,plain,$(PLAIN_CFLAGS)))
$(eval $(call variant_rules,sanitized,$(SANITIZE)))

# Changes when the compiler or its flags do.
.PHONY: force
$(BUILD_DIR)/compiler: force
	@$(call write_if_changed,$(CC) $(BARE_CFLAGS) $(PLAIN_CFLAGS) $(SANITIZE))
# write_if_changed TEXT: the recipe of a file that is new only if its text is.
write_if_changed = mkdir -p $(@D); \
	echo '$(1)' | cmp -s - $@ || echo '$(1)' > $@
