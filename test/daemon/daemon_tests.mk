# Tests of gpuaggd.  Included by extension.mk, after device.mk, whose helpers
# they use.
#
#	make test-daemon			build and run them on the emulated device, with
#								and without sanitizers
#	make test-daemon-plain		without; DAEMON_DEVICE=auto on a GPU
#	make test-daemon-sanitized	gpuaggd under the address and undefined-behaviour
#								sanitizers

DAEMON_TEST = test/daemon
DAEMON_TEST_BUILD = $(DAEMON_TEST)/build
DAEMON_DEVICE ?= emulated
# Some look at the clock: four processors for each that runs.
DAEMON_PROVE = prove -j $(shell n=$$(($$(nproc) / 4)); \
	echo $$((n > 0 ? n : 1))) --exec ''
DAEMON_PROGRAMS = $(patsubst $(DAEMON_TEST)/%.c, $(DAEMON_TEST_BUILD)/%, \
	$(wildcard $(DAEMON_TEST)/test_*.c))
DAEMON_HELPERS = $(patsubst $(DAEMON_TEST)/%.c, $(DAEMON_TEST_BUILD)/%.o, \
	$(filter-out $(wildcard $(DAEMON_TEST)/test_*.c), \
	$(wildcard $(DAEMON_TEST)/*.c))) \
	$(addprefix $(DEVICE_BUILD)/emulated/, $(DEVICE_HELPERS) $(DEVICE_DAEMON) \
	$(DEVICE_EMULATED)) \
	$(addprefix $(UNIT_BUILD)/plain/, $(UNIT_HELPERS) $(UNIT_COMMON))

$(DAEMON_TEST_BUILD)/%.o: $(DAEMON_TEST)/%.c $(DAEMON_TEST)/daemon_tests.mk
	@mkdir -p $(@D)
	$(CC) $(DEVICE_CFLAGS) -D_GNU_SOURCE -I$(DEVICE_TEST) $(COPT) -c -o $@ $<
$(DAEMON_PROGRAMS): %: %.o $(DAEMON_HELPERS)
	$(CC) -o $@ $^ -lpthread $(UNIT_LIBS)
-include $(wildcard $(DAEMON_TEST_BUILD)/*.d)

# gpuaggd itself under the sanitizers, without CUDA, which they do not go with.
DAEMON_SANITIZED = $(DAEMON_TEST_BUILD)/sanitized
$(eval $(call daemon_rules,$(DAEMON_SANITIZED),$(UNIT_SANITIZE)))
$(DAEMON_SANITIZED)/gpuaggd: $(call daemon_objects,$(DAEMON_SANITIZED)) \
	$(DAEMON_SANITIZED)/kinds.o
	$(CC) $(UNIT_SANITIZE) -o $@ $^ -lpthread -lm

.PHONY: test-daemon test-daemon-plain test-daemon-sanitized

test-daemon: test-daemon-plain test-daemon-sanitized

build-tests: $(DAEMON_PROGRAMS) $(DAEMON_BUILD)/gpuaggd \
	$(DAEMON_SANITIZED)/gpuaggd

test-daemon-plain: $(DAEMON_PROGRAMS) $(DAEMON_BUILD)/gpuaggd
	GA_GPUAGGD=$(DAEMON_BUILD)/gpuaggd GA_GPUAGGD_DEVICE=$(DAEMON_DEVICE) \
		$(DAEMON_PROVE) $(DAEMON_PROGRAMS)

test-daemon-sanitized: $(DAEMON_PROGRAMS) $(DAEMON_SANITIZED)/gpuaggd
	GA_GPUAGGD=$(DAEMON_SANITIZED)/gpuaggd GA_GPUAGGD_DEVICE=emulated \
		$(UNIT_SANITIZED_RUN) $(DAEMON_PROVE) $(DAEMON_PROGRAMS)
