# ladder.mk: gpuagg-ladder, the program that times the teaching kernels; gpuaggd
# starts it from the folder that it lies in itself.  Included by extension.mk,
# after daemon.mk, which says whether there is CUDA.

GPUAGG_LADDER = $(BUILD_DIR)/plain/gpuagg-ladder
GPUAGG_LADDER_SOURCES = $(LADDER_SOURCES) $(EXACT_SOURCES) $(CPU_SOURCES) \
	$(DEVICE_SOURCES)

ifeq ($(WITH_CUDA),no)
GPUAGG_LADDER_LINK = $(CC) $(COPT) $(READ_ONLY_LINK)
else
GPUAGG_LADDER_LINK = $(NVCC) -cudart static $(addprefix -Xlinker ,$(READ_ONLY_LINK)) \
	$(LADDER_LINK)
endif

$(GPUAGG_LADDER): $(call objects,plain,$(GPUAGG_LADDER_SOURCES)) \
	$(GPUAGGD_KERNELS) $(GPUAGGD)-with-cuda-$(WITH_CUDA)
	$(GPUAGG_LADDER_LINK) -o $@ $(filter %.o %.a, $^) -lpthread -lm

$(BUILD_DIR)/sanitized/gpuagg-ladder: $(call objects,sanitized,$(GPUAGG_LADDER_SOURCES))
	$(CC) $(SANITIZE) -o $@ $^ -lpthread -lm

.PHONY: install-gpuagg-ladder uninstall-gpuagg-ladder install-programs

ifneq ($(PROGRAMS),no)
all: $(GPUAGG_LADDER)
install: install-gpuagg-ladder
endif
install-gpuagg-ladder: $(GPUAGG_LADDER) installdirs
	$(INSTALL_PROGRAM) $< '$(DESTDIR)$(pkglibdir)/gpuagg-ladder'

uninstall: uninstall-gpuagg-ladder
uninstall-gpuagg-ladder:
	rm -f '$(DESTDIR)$(pkglibdir)/gpuagg-ladder'

# Both programs, for a package of their own.  Needs no server's headers.
install-programs: $(GPUAGGD) $(GPUAGG_LADDER)
	install -d '$(DESTDIR)$(or $(PROGRAM_DIR),$(error PROGRAM_DIR is not set))'
	install -m 755 $^ '$(DESTDIR)$(PROGRAM_DIR)'
