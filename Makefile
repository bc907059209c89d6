# gpuagg: exact sums and running totals for PostgreSQL
#
#	make demo			on a bare machine: fetch what is missing, show what it does
#	make check			the same, and run all tests on a throwaway cluster
#	make				build for the pg_config on the PATH (or PG_CONFIG=...)
#	make install		install it there
#	make installcheck	test the installed one on a running server (PGHOST etc.)
#	make bench			measure the figures of the README
#	make kernels		build the kernels, where there is nvcc (CUDA_ARCHS=90 for
#						one card only)
#	make bench-kernels	measure them beside CUB on a GPU
#	make fuzz			unit tests with random input (CASES=n SEED=n)
#	make fuzz-device	the same for a GPU, or the emulated one (DEVICE=emulated)
#	make layers			check who includes whom
#	make clean
#
# extension.mk builds with PGXS, whose idea of `check` is another.  This file
# works before there is a pg_config.

BUILD = $(MAKE) --no-print-directory -f extension.mk

.PHONY: all install uninstall installcheck clean
.PHONY: check demo bench bench-kernels kernels fuzz fuzz-device
.PHONY: unit device-emulated device-cuda device-if-any layers

all install uninstall clean:
	@+$(BUILD) $@

installcheck:
	test/bin/installcheck

check:
	@test/bin/provision check
	@$(MAKE) --no-print-directory all layers unit device-emulated device-if-any
	test/bin/check

demo:
	@test/bin/provision demo
	@+$(BUILD) -s all
	@test/bin/demo

bench:
	@test/bin/provision bench
	@+$(BUILD) all
	test/bin/bench

fuzz:
	@test/bin/provision check
	@+$(BUILD) fuzz-unit

fuzz-device:
	@test/bin/provision check
	@+$(BUILD) fuzz-device

unit device-emulated device-cuda kernels bench-kernels:
	@+$(BUILD) $@

# The tests of the kernels, where there is a card and what builds them.
device-if-any:
	@if [ -e /dev/nvidia0 ] && { command -v nvcc || \
		ls /usr/local/cuda/bin/nvcc; } >/dev/null 2>&1; then \
		$(BUILD) device-cuda; \
	else \
		echo "gpuagg: no GPU here: the kernels were not tested"; \
	fi

layers:
	@test/bin/layers
