# daemon.mk: gpuaggd, the program that talks to the GPU.  Included by
# extension.mk, after kernels.mk.
#
#	make WITH_CUDA=no	without CUDA, even where there is nvcc: only the
#						emulated device
#
# The CUDA runtime is linked in, so that the program starts without a driver,
# and can say that there is none.

GPUAGGD = $(BUILD_DIR)/plain/gpuaggd
GPUAGGD_SOURCES = $(DAEMON_SOURCES) $(DEVICE_SOURCES) $(EMULATED_SOURCES) \
	$(EXACT_SOURCES) $(CPU_SOURCES)

WITH_CUDA ?= $(if $(NVCC),yes,no)
ifeq ($(WITH_CUDA),no)
GPUAGGD_KERNELS =
GPUAGGD_LINK = $(CC) $(COPT) $(READ_ONLY_LINK)
else
GPUAGGD_KERNELS = $(KERNELS_LIBRARY)
GPUAGGD_LINK = $(NVCC) -cudart static $(addprefix -Xlinker ,$(READ_ONLY_LINK)) \
	$(KERNELS_LINK)
endif

$(GPUAGGD): $(call objects,plain,$(GPUAGGD_SOURCES)) $(GPUAGGD_KERNELS) \
	$(GPUAGGD)-with-cuda-$(WITH_CUDA)
	@$(call say,LD,$@)
	$(GPUAGGD_LINK) -o $@ $(filter %.o %.a, $^) -lpthread -lm

# Only the one that was linked last is there.
$(GPUAGGD)-with-cuda-$(WITH_CUDA):
	@mkdir -p $(@D)
	@rm -f $(GPUAGGD)-with-cuda-*
	@touch $@

# Under the sanitizers, without CUDA, which they do not go with.
$(BUILD_DIR)/sanitized/gpuaggd: $(call objects,sanitized,$(GPUAGGD_SOURCES))
	@$(call say,LD,$@)
	$(CC) $(SANITIZE) -o $@ $^ -lpthread -lm

.PHONY: install-gpuaggd uninstall-gpuaggd

ifneq ($(PROGRAMS),no)
all: $(GPUAGGD)
install: install-gpuaggd
endif
install-gpuaggd: $(GPUAGGD) installdirs
	$(INSTALL_PROGRAM) $< '$(DESTDIR)$(pkglibdir)/gpuaggd'

uninstall: uninstall-gpuaggd
uninstall-gpuaggd:
	rm -f '$(DESTDIR)$(pkglibdir)/gpuaggd'
