# daemon.mk: gpuaggd, the program that talks to the GPU.  Included by
# extension.mk, after kernels.mk.
#
#	make WITH_CUDA=no	without CUDA, even where there is nvcc: only the
#						emulated device
#
# The CUDA runtime is linked in, so that the program starts without a driver,
# and can say that there is none.

DAEMON = src/daemon
DAEMON_BUILD = $(DAEMON)/build
DAEMON_NAMES = cache cache_blocks cache_notes cache_pages cache_view caches \
	carry counters device_check device_emulated devices emulated_grid \
	emulated_ladder emulated_memory emulated_queue emulated_request exit \
	listener log loop main oid_clock operation options schedule session staging \
	work work_joint work_ladder work_load work_scan work_sum work_values
DAEMON_CFLAGS = -std=gnu99 -D_GNU_SOURCE -O2 -g -Wall -Wextra -MMD -MP \
	-ffp-contract=off -Isrc/common -Isrc/daemon \
	-DGA_VERSION='"$(EXTVERSION)"' $(COPT)

WITH_CUDA ?= $(if $(NVCC),yes,no)
ifeq ($(WITH_CUDA),no)
DAEMON_DEVICES = emulated
DAEMON_KINDS = kinds.o
DAEMON_KERNELS =
DAEMON_LINK = $(CC)
else
DAEMON_DEVICES = cuda
DAEMON_KINDS = kinds_cuda.o
DAEMON_KERNELS = $(KERNELS_LIBRARY)
DAEMON_LINK = $(NVCC) -cudart static
endif

# Rules for one directory of objects: its name, and flags.
define daemon_rules
$(1)/common/%.o: src/common/%.c $(DAEMON)/daemon.mk
	@mkdir -p $$(@D)
	$$(CC) $$(DAEMON_CFLAGS) $(2) $$(DAEMON_VECTOR_CFLAGS) -c -o $$@ $$<
$(1)/%.o: $(DAEMON)/%.c $(DAEMON)/daemon.mk
	@mkdir -p $$(@D)
	$$(CC) $$(DAEMON_CFLAGS) $(2) -c -o $$@ $$<
$(1)/kinds_cuda.o: $(DAEMON)/kinds.c $(DAEMON)/daemon.mk
	@mkdir -p $$(@D)
	$$(CC) $$(DAEMON_CFLAGS) $(2) -DGA_WITH_CUDA -c -o $$@ $$<
$(1)/common/cpu_avx2.o: DAEMON_VECTOR_CFLAGS = $$(AVX2_CFLAGS)
$(1)/common/cpu_avx512.o: DAEMON_VECTOR_CFLAGS = $$(AVX512_CFLAGS)
$(1)/options.o: gpuagg.control
-include $(wildcard $(1)/*.d $(1)/common/*.d)
endef
$(eval $(call daemon_rules,$(DAEMON_BUILD),))

# The objects of a directory, but for kinds.o.
daemon_objects = $(patsubst %, $(1)/%.o, $(DAEMON_NAMES)) \
	$(patsubst src/common/%, $(1)/common/%, $(COMMON))

$(DAEMON_BUILD)/gpuaggd: $(call daemon_objects,$(DAEMON_BUILD)) \
	$(DAEMON_BUILD)/$(DAEMON_KINDS) $(DAEMON_KERNELS) \
	$(DAEMON_BUILD)/linked-for-$(DAEMON_DEVICES)
	$(DAEMON_LINK) -o $@ $(filter %.o %.a, $^) -lpthread -lm

# Only the one that was linked last is there.
$(DAEMON_BUILD)/linked-for-$(DAEMON_DEVICES):
	@mkdir -p $(@D)
	@rm -f $(DAEMON_BUILD)/linked-for-*
	@touch $@

.PHONY: install-gpuaggd uninstall-gpuaggd

all: $(DAEMON_BUILD)/gpuaggd

install: install-gpuaggd
install-gpuaggd: $(DAEMON_BUILD)/gpuaggd installdirs
	$(INSTALL_PROGRAM) $< '$(DESTDIR)$(pkglibdir)/gpuaggd'

uninstall: uninstall-gpuaggd
uninstall-gpuaggd:
	rm -f '$(DESTDIR)$(pkglibdir)/gpuaggd'
