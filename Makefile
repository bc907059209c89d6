# gpuagg: exact sums and running totals for PostgreSQL
#
#	make demo			on a bare machine: fetch what is missing, show what it does
#	make check			the same, and run the tests, with a throwaway cluster
#						(ONLY=name: one file of any kind, or one group)
#	make check-long		the exhaustive forms of the tests that have one
#	make				build for the pg_config on the PATH (or PG_CONFIG=...);
#						with the GPU engine where there is nvcc (CUDA_ARCHS=90
#						for one kind of card only, WITH_CUDA=no without); V=1
#						shows the commands
#	make install		install it there
#	make deb			build Debian packages for the servers of this system, in
#						build/deb (WITH_CUDA=no leaves out the kernels)
#	make dist			the archive of a release from the last commit, for PGXN:
#						build/gpuagg-VERSION.zip
#	make check-sanitized	the tests that need a server, with gpuagg.so and gpuaggd
#						under sanitizers (ONLY=name)
#	make check-valgrind	the unit tests under valgrind (ONLY=name)
#	make installcheck	test the installed one on a running server (PGHOST etc.)
#	make bench			measure the figures of the README; on a GPU also queries on
#						the device, resident arrays, packed ones, first queries and
#						many sessions, and several GPUs (ONLY=device, resident,
#						reduce, packed, cold, crowd, cards or cold,crowd; SIZE=0.1
#						for a tenth of their 10 GB, DEVICE=emulated; test/bin/bench
#						has more)
#	make bench-load		many sessions at once, each result compared (SESSIONS=200
#						SECONDS=600 SIZE=1 DEVICE=emulated RESULTS=dir)
#	make kernels		build the kernels, where there is nvcc
#	make bench-kernels	measure them beside CUB on a GPU (RESULTS=dir)
#	make bench-ladder	measure the teaching kernels of doc/kernels.md on a GPU, and
#						fill in its tables and plot (ROUNDS=runs of each kernel,
#						RESULTS=dir, DEVICE=emulated)
#	make fuzz			unit tests with random input (CASES=n SEED=n)
#	make fuzz-device	the same for a GPU, or the emulated one (DEVICE=emulated)
#	make fuzz-engines	random queries, by the CPU and by the device (CASES=n
#						SEED=n JOBS=n DEVICE=emulated)
#	make fuzz-bytes		malformed input, with libFuzzer, which needs
#						clang (SECONDS=60 for all, FUZZER=state for one alone)
#	make layers			check who includes and who calls whom
#	make format			apply .clang-format
#	make clean
#
# extension.mk builds with PGXS, whose idea of `check` is another.  This file
# works before there is a pg_config.

BUILD = $(MAKE) --no-print-directory -f extension.mk

# What a target needs built first: on all processors, unless there is -j.
BUILD_FIRST = $(BUILD) $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))

# What is built for this machine alone needs no code for other GPUs, which
# takes minutes: the tests, the demo and the figures.
TESTS = check check-long check-sanitized check-valgrind unit device-emulated device-cuda test-daemon
HERE = $(TESTS) demo bench bench-ladder bench-load fuzz-engines
ifneq ($(wildcard /dev/nvidia0),)
$(HERE): export CUDA_ARCHS ?= $(shell nvidia-smi \
	--query-gpu=compute_cap --format=csv,noheader | tr -d . | sort -u)
else
$(HERE): export WITH_CUDA ?= no
endif

.PHONY: all install uninstall install-programs installcheck clean deb dist $(TESTS)
.PHONY: demo bench bench-load bench-kernels bench-ladder kernels
.PHONY: fuzz fuzz-bytes fuzz-device fuzz-engines layers format

all install uninstall install-programs:
	@+$(BUILD) $@

# Needs no server's headers.
clean:
	rm -rf build tmp_check gpuagg.so libgpuagg.* sql/gpuagg--*.sql

# Debian packages, for the server versions of this system.
deb:
	packaging/deb

VERSION = $(shell sed -n "s/^default_version *= *'\(.*\)'/\1/p" gpuagg.control)

dist:
	@mkdir -p build
	git archive --format=zip --prefix=gpuagg-$(VERSION)/ \
		-o build/gpuagg-$(VERSION).zip HEAD

installcheck:
	test/bin/installcheck

check:
	@test/bin/provision check
	@test/bin/check $(ONLY)

check-long:
	@test/bin/provision check
	@test/bin/check --long $(ONLY)

# Programs of a server under the address sanitizer, like pg_config, end without
# a look at their memory.
check-sanitized: export ASAN_OPTIONS = detect_leaks=0:detect_stack_use_after_return=0
check-sanitized:
	@test/bin/provision check
	@test/bin/check-sanitized $(ONLY)

check-valgrind:
	@test/bin/provision check
	@test/bin/check-valgrind $(ONLY)

# Groups of it, those that need no server.
unit:
	@test/bin/check unit
device-emulated:
	@test/bin/check device
device-cuda:
	@test/bin/check cuda
test-daemon:
	@test/bin/check daemon

demo:
	@test/bin/provision demo
	@+$(BUILD_FIRST) -s all
	@test/bin/demo

# Queries on a device are measured where there is one, or DEVICE names it.
BENCH_DEVICE = $(filter-out none, $(or $(DEVICE), $(wildcard /dev/nvidia0)))

bench:
	@test/bin/provision $(if $(BENCH_DEVICE),check,bench)
	@+$(BUILD_FIRST) all $(if $(BENCH_DEVICE),build/plain/test/bench/request)
	test/bin/bench

bench-load:
	@test/bin/provision check
	@+$(BUILD_FIRST) all build/plain/test/bench/load
	SECONDS_OF_LOAD=$(or $(SECONDS),600) test/bin/bench-load

# The profiler's figures come with it where there is a profiler.
bench-ladder:
	@test/bin/provision bench
	@+$(BUILD_FIRST) all
	ONLY=ladder test/bin/bench
ifneq ($(wildcard /dev/nvidia0),)
	test/bench/ladder-profile || [ $$? = 3 ]
endif

fuzz:
	@test/bin/provision check
	@+$(BUILD) fuzz-unit

fuzz-device:
	@test/bin/provision check
	@+$(BUILD) fuzz-device

fuzz-engines:
	@test/bin/provision demo
	@+$(BUILD_FIRST) -s all
	test/bin/fuzz-engines

fuzz-bytes:
	@test/bin/provision bench
	@+$(BUILD) fuzz-bytes FUZZ_SECONDS=$(or $(SECONDS),60)

kernels bench-kernels:
	@+$(BUILD) $@

layers:
	@test/bin/layers
	@test/bin/circles

format:
	@test/bin/format
