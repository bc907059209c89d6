# extension.mk: builds the extension with PGXS.  Called by the Makefile.

PG_CONFIG ?= pg_config

EXTENSION = gpuagg
EXTVERSION := $(shell sed -n "s/^default_version *= *'\(.*\)'/\1/p" gpuagg.control)
MODULE_big = gpuagg
COMMON = $(addprefix src/common/, exact_sum.o exact_sum_io.o \
	exact_sum_result.o int_sum.o ladder_cpu.o partial_sum.o wide_sum.o cpu.o \
	cpu_baseline.o cpu_avx2.o cpu_avx512.o)
OBJS = $(COMMON) $(addprefix src/extension/, gpuagg.o array.o \
	array_result.o array_stored.o batch.o batch_reply.o cache.o client.o \
	connect.o cumsum.o cumsum_array.o cumsum_rows.o cumsum_window.o \
	daemon_command.o daemon_log.o daemon_process.o daemon_status.o engine.o \
	error.o float_state.o inquiry.o int_state.o ladder.o ladder_cpu_row.o \
	ladder_device_row.o oid_feed.o oid_sample.o reply.o scan.o settings.o stat.o \
	sum.o supervisor.o supervisor_lock.o supervisor_start.o toast.o values.o \
	values_work.o)
DATA_built = sql/gpuagg--$(EXTVERSION).sql
DATA = $(wildcard sql/gpuagg--*--*.sql)
EXTRA_CLEAN = kernels/build src/daemon/build test/unit/build test/device/build \
	test/daemon/build test/bench/build

# PGXS would make bitcode without PG_CFLAGS, and exact sums need them: IEEE
# arithmetic, operation by operation.
override with_llvm := no
PG_CFLAGS = -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers \
	-Wno-sign-compare -ffp-contract=off -fno-fast-math
PG_CPPFLAGS = -Isrc/common -DGA_VERSION='"$(EXTVERSION)"'

# The server's CFLAGS were written for gcc.
ifneq ($(findstring clang,$(CC)),)
PG_CFLAGS += -Wno-unknown-warning-option -Wno-ignored-optimization-argument \
	-Wno-ignored-attributes
endif

ifeq ($(shell uname -m),x86_64)
AVX2_CFLAGS = -mavx2
AVX512_CFLAGS = -mavx512f -mavx512dq -mavx512vl -mprefer-vector-width=512
endif

PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

$(COMMON): CFLAGS += -fvisibility=hidden
src/common/cpu_avx2.o: CFLAGS += $(AVX2_CFLAGS)
src/common/cpu_avx512.o: CFLAGS += $(AVX512_CFLAGS)
$(OBJS): $(wildcard src/common/*.h src/extension/*.h) extension.mk gpuagg.control

# The definition is in parts, one for each topic, in the order in which they need
# each other.
SQL_PARTS = sql/gpuagg.sql $(addprefix sql/parts/, $(addsuffix .sql, \
	states sum_columns sum_arrays array_sum cumsum stat cache ladder rights))

sql/gpuagg--$(EXTVERSION).sql: $(SQL_PARTS) extension.mk
	cat $(SQL_PARTS) > $@

# One line for who builds without a CUDA compiler.
ifeq ($(shell command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null),)
.PHONY: no-nvcc
all: no-nvcc
no-nvcc:
	@echo "gpuagg: no nvcc here: built for the CPU, which gives the same results"
else ifeq ($(WITH_CUDA),no)
.PHONY: no-cuda
all: no-cuda
no-cuda:
	@echo "gpuagg: WITH_CUDA=no: built for the CPU, which gives the same results"
endif

-include kernels/kernels.mk
-include src/daemon/daemon.mk
-include test/unit/unit.mk
-include test/device/device.mk
-include test/daemon/daemon_tests.mk
-include test/bench/kernels.mk
-include test/bench/bench.mk
