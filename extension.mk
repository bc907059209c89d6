# extension.mk: builds the extension with PGXS.  Called by the Makefile.

PG_CONFIG ?= pg_config
# Where the supervisor finds the programs of packages, which are the same for all
# versions of the server: PROGRAM_DIR/cuda and PROGRAM_DIR.  Without it they are
# beside the module only.  PROGRAMS=no neither builds nor installs them, and
# `install-programs DESTDIR=... PROGRAM_DIR=...` installs nothing else.
PROGRAM_DIR ?=
PROGRAMS ?= yes

EXTENSION = gpuagg
EXTVERSION := $(shell sed -n "s/^default_version *= *'\(.*\)'/\1/p" gpuagg.control)
MODULE_big = gpuagg

.DEFAULT_GOAL := all
include src/objects.mk

# Of the code without PostgreSQL, what a backend needs.
BARE_OBJECTS = $(call objects,plain,$(EXACT_SOURCES) $(CPU_SOURCES))
EXTENSION_SOURCES = $(wildcard src/extension/*.c src/extension/*/*.c)
EXTENSION_OBJECTS = $(call objects,server,$(EXTENSION_SOURCES))
OBJS = $(BARE_OBJECTS) $(EXTENSION_OBJECTS)
UPGRADES = $(patsubst sql/upgrades/%, sql/%, $(wildcard sql/upgrades/*.sql))
DATA_built = sql/gpuagg--$(EXTVERSION).sql $(UPGRADES)
DATA = $(wildcard sql/released/*.sql)

# PGXS would make bitcode without PG_CFLAGS, and exact sums need them: IEEE
# arithmetic, operation by operation.  The headers of PostgreSQL 15 are no C23, which
# gcc 15 and later take by default.
override with_llvm := no
PG_CFLAGS = -std=gnu17 -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers \
	-Wno-sign-compare -ffp-contract=off -fno-fast-math
PG_CPPFLAGS = -Isrc -DGA_VERSION='"$(EXTVERSION)"' \
	$(if $(PROGRAM_DIR),-DGA_PROGRAM_DIR='"$(PROGRAM_DIR)"')

# Calls within the module are bound when it is linked: loading it looks fewer names
# up, and no other module's function of the same name is called.
SHLIB_LINK = -Wl,-Bsymbolic

# The server's CFLAGS were written for gcc.
ifneq ($(findstring clang,$(CC)),)
PG_CFLAGS += -Wno-unknown-warning-option -Wno-ignored-optimization-argument \
	-Wno-ignored-attributes
endif

# Without a server's headers all but the extension can be built.
PGXS := $(wildcard $(shell $(PG_CONFIG) --pgxs 2>/dev/null))
ifneq ($(and $(PGXS),$(wildcard $(shell $(PG_CONFIG) --includedir-server)/postgres.h)),)
include $(PGXS)
else
.PHONY: all install uninstall installdirs no-headers
all install uninstall installdirs: no-headers
no-headers:
	@version=$$($(PG_CONFIG) --version 2>/dev/null | sed 's/^[^0-9]*\([0-9]*\).*/\1/'); \
	echo "gpuagg: no headers of a PostgreSQL server: install" \
		"postgresql-server-dev-$${version:-15} (Debian), or name another" \
		"server's pg_config: make PG_CONFIG=/path/to/pg_config" >&2; exit 1
endif

# The server's objects, in the same way as those of objects.mk.
$(EXTENSION_OBJECTS): $(BUILD_DIR)/server/%.o: %.c $(BUILD_DIR)/server/compiler
	@mkdir -p $(@D)
	@$(call say,CC,$<)
	$(COMPILE.c) -MMD -MP -o $@ $<
$(BUILD_DIR)/server/compiler: force
	@$(call write_if_changed,$(COMPILE.c))
-include $(shell find $(BUILD_DIR)/server -name '*.d' 2>/dev/null)

# The definition is in parts, one for each topic, in the order in which they need
# each other.  A part says once what it defines for each element type.
SQL_PARTS = sql/element_types.sql sql/gpuagg.sql \
	$(addprefix sql/parts/, $(addsuffix .sql, \
	states sum count avg minmax dot array_sum exactsum cumsum elem numeric part variance norm exactmoments bucket moving delta numeric_array stat cache ladder rights))

sql/gpuagg--$(EXTVERSION).sql: sql/expand $(SQL_PARTS) $(wildcard sql/kinds/*.sql) \
	extension.mk
	@$(call say,SQL,$@)
	awk -f sql/expand -v kinds=sql/kinds $(SQL_PARTS) >$@ || { rm $@; exit 1; }

# upgrade_rule SCRIPT OLD NEW: from one version to another; a released one's
# install script does not change any more.
install_script = $(or $(wildcard sql/released/gpuagg--$(1).sql), sql/gpuagg--$(1).sql)
define upgrade_rule
$(1): sql/upgrade sql/released/gpuagg--$(2).sql $(1:sql/%=sql/upgrades/%) $(call install_script,$(3))
	@$$(call say,SQL,$$@)
	awk -f $$^ >$$@ || { rm $$@; exit 1; }
endef
$(foreach u, $(UPGRADES), $(eval $(call upgrade_rule,$(u),$(word 2, \
	$(subst --, ,$(u))),$(word 3, $(subst --, ,$(u:.sql=))))))

# One line for who builds without a CUDA compiler.
ifeq ($(PROGRAMS),no)
else ifeq ($(shell command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null),)
.PHONY: no-nvcc
all: no-nvcc
no-nvcc: | gpuagg.so $(BUILD_DIR)/plain/gpuaggd
	@echo "gpuagg: no nvcc here: built for the CPU, which gives the same results"
else ifeq ($(WITH_CUDA),no)
.PHONY: no-cuda
all: no-cuda
no-cuda: | gpuagg.so $(BUILD_DIR)/plain/gpuaggd
	@echo "gpuagg: WITH_CUDA=no: built for the CPU, which gives the same results"
endif

include kernels/kernels.mk
include src/daemon/daemon.mk
include src/ladder/ladder.mk
include test/programs.mk
include test/cuda_on_cpu/cuda_on_cpu.mk
include test/fuzz.mk
include test/bench/kernels.mk
