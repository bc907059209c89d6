# fuzz.mk: fuzzers of malformed input.  Included by extension.mk,
# after programs.mk.
#
#	make fuzz-bytes SECONDS=60	runs each for its part of that time, with
#						libFuzzer and the sanitizers; needs clang.  FUZZER=state
#						runs one alone; CORPUS=dir keeps what it learns.
#
# What they find stays in test/fuzz/inputs/NAME, and `make check` replays it.

FUZZERS = state session status gpuaggd
FUZZ_CC = clang
FUZZ_FLAGS = -O1 -Itest/fuzz -fsanitize=fuzzer-no-link,address,undefined \
	-fno-sanitize-recover=all

FUZZ_state = $(EXACT_SOURCES)

# A session's side, with stubs for the server.  What is not called needs none.
SESSION_SOURCES = $(EXACT_SOURCES) $(CPU_SOURCES) \
	test/fuzz/hostile.c test/fuzz/hostile_elem.c test/fuzz/elem_stubs.c test/fuzz/hostile_spoil.c test/fuzz/server_stubs.c test/fuzz/server_memory.c test/fuzz/server_time.c \
	$(addprefix src/extension/, \
	error.c wait_event.c engine/choice.c engine/cpu_extremum.c engine/cpu_moments.c engine/cpu_products.c engine/cpu_reduce.c engine/cpu_sums.c \
	engine/float_pair.c engine/reduction_state.c engine/session_counters.c sql/ladder_client.c \
	sql/engine_totals.c sql/engine_resident.c sql/engine_elem.c sql/engine_windows.c sql/elem_batch.c) \
	$(filter-out %/connect.c %/sums.c %/helpers.c %/helpers_choice.c %/helpers_queue.c %/helper_worker.c, \
	$(wildcard src/extension/offload/*.c))
SESSION_LINK = -Wl,--wrap=send,--wrap=clock_gettime,--wrap=sched_yield,--wrap=nanosleep,--wrap=ga_session_count
SESSION_TESTS = test_reductions test_resident test_replies test_cancel test_questions test_waits test_slots test_totals test_elem test_elem_values test_windows test_restart
FUZZ_session = $(SESSION_SOURCES) test/fuzz/elem_job.c test/fuzz/windows_job.c
FUZZ_LINK_session = $(SESSION_LINK)
FUZZ_status = src/extension/supervisor/daemon_status.c


# gpuaggd with the emulated device, whose loop comes back after each turn.
FUZZ_gpuaggd = $(filter-out src/daemon/main.c, $(GPUAGGD_SOURCES)) \
	test/fuzz/gpuaggd_main.c test/fuzz/gpuaggd_turn.c
FUZZ_LINK_gpuaggd = -Wl,--wrap=ga_loop_run,--wrap=_exit,--wrap=clock_gettime \
	-Wl,--wrap=ga_ladder_start,--wrap=ga_emulated_start,--wrap=ga_log,--wrap=ga_log_warning

SERVER_CPPFLAGS = -I$(shell $(PG_CONFIG) --includedir-server 2>/dev/null)

# fuzz_sources NAME: the sources of a fuzzer.
fuzz_sources = test/fuzz/fuzz_$(1).c $(FUZZ_$(1))

$(BUILD_DIR)/fuzzed/%.o: CC = $(FUZZ_CC)
$(eval $(call variant_rules,fuzzed,$(FUZZ_FLAGS)))
$(BUILD_DIR)/sanitized/test/fuzz/%.o: EXTRA_CFLAGS = -Itest/fuzz

# With the server's headers, whose macros have warnings of their own.
$(foreach v, fuzzed sanitized, $(addprefix $(BUILD_DIR)/$(v)/, src/extension/%.o \
	test/fuzz/hostile.o test/fuzz/hostile_elem.o test/fuzz/elem_stubs.o test/fuzz/hostile_spoil.o test/fuzz/server_stubs.o test/fuzz/server_memory.o test/fuzz/server_time.o test/fuzz/fuzz_session.o test/fuzz/elem_job.o test/fuzz/windows_job.o \
	test/fuzz/fuzz_status.o $(addprefix test/fuzz/, session_case.o elem_case.o $(SESSION_TESTS:=.o)))): \
	EXTRA_CFLAGS = -Itest/fuzz -Itest/unit $(SERVER_CPPFLAGS) -Wno-unused-parameter \
	-Wno-missing-field-initializers -Wno-sign-compare -Wno-ignored-attributes -Wno-unknown-warning-option

# fuzzer_rules NAME: its program, and the one that replays its inputs.
define fuzzer_rules
$(BUILD_DIR)/fuzzed/fuzz_$(1): $(call objects,fuzzed,$(call fuzz_sources,$(1)))
	@$$(call say,LD,$$@)
	test/bin/link-with-stubs $$@ $(FUZZ_CC) -fsanitize=fuzzer,address,undefined \
		$(FUZZ_LINK_$(1)) $$^ -lpthread -lm
$(BUILD_DIR)/sanitized/test/fuzz/fuzz_$(1): $(call objects,sanitized, \
	test/fuzz/replay.c $(call fuzz_sources,$(1)))
	@$$(call say,LD,$$@)
	test/bin/link-with-stubs $$@ $$(CC) $$(SANITIZE) $(FUZZ_LINK_$(1)) $$^ \
		-lpthread -lm
endef
$(foreach f, $(FUZZERS), $(eval $(call fuzzer_rules,$(f))))

# A session's side, one thing after the other; and when the supervisor starts
# gpuaggd again.
$(addprefix $(BUILD_DIR)/sanitized/test/fuzz/, $(SESSION_TESTS)): %: %.o \
	$(call objects,sanitized, test/fuzz/session_case.c test/fuzz/elem_case.c test/unit/tap.c \
	src/extension/supervisor/restart.c $(SESSION_SOURCES))
	@$(call say,LD,$@)
	test/bin/link-with-stubs $@ $(CC) $(SANITIZE) $(SESSION_LINK) $^ -lpthread -lm

.PHONY: fuzz-bytes
fuzz-bytes: $(foreach f, $(or $(FUZZER), $(FUZZERS)), $(BUILD_DIR)/fuzzed/fuzz_$(f))
	FUZZ_SECONDS=$(FUZZ_SECONDS) test/bin/fuzz-bytes $(or $(FUZZER), $(FUZZERS))
