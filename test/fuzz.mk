# fuzz.mk: fuzzers of bytes that nobody vouches for.  Included by extension.mk,
# after programs.mk.
#
#	make fuzz-bytes SECONDS=60	runs each for its part of that time, with
#						libFuzzer and the sanitizers; needs clang.  FUZZER=state
#						runs one alone; CORPUS=dir keeps what it learns.
#
# What they find stays in test/fuzz/inputs/NAME, and `make check` replays it.

FUZZERS = state
FUZZ_CC = clang
FUZZ_FLAGS = -O1 -Itest/fuzz -fsanitize=fuzzer-no-link,address,undefined \
	-fno-sanitize-recover=all

FUZZ_state = $(EXACT_SOURCES)

# fuzz_sources NAME: the sources of a fuzzer.
fuzz_sources = test/fuzz/fuzz_$(1).c $(FUZZ_$(1))

$(BUILD_DIR)/fuzzed/%.o: CC = $(FUZZ_CC)
$(eval $(call variant_rules,fuzzed,$(FUZZ_FLAGS)))
$(BUILD_DIR)/sanitized/test/fuzz/%.o: EXTRA_CFLAGS = -Itest/fuzz

# fuzzer_rules NAME: its program, and the one that replays its inputs.
define fuzzer_rules
$(BUILD_DIR)/fuzzed/fuzz_$(1): $(call objects,fuzzed,$(call fuzz_sources,$(1)))
	@$$(call say,LD,$$@)
	$(FUZZ_CC) -fsanitize=fuzzer,address,undefined $$(FUZZ_LINK) -o $$@ $$^ -lpthread -lm
$(BUILD_DIR)/sanitized/test/fuzz/fuzz_$(1): $(call objects,sanitized, \
	test/fuzz/replay.c $(call fuzz_sources,$(1)))
	@$$(call say,LD,$$@)
	$$(CC) $$(SANITIZE) $$(FUZZ_LINK) -o $$@ $$^ -lpthread -lm
endef
$(foreach f, $(FUZZERS), $(eval $(call fuzzer_rules,$(f))))

.PHONY: fuzz-bytes
fuzz-bytes: $(foreach f, $(or $(FUZZER), $(FUZZERS)), $(BUILD_DIR)/fuzzed/fuzz_$(f))
	FUZZ_SECONDS=$(FUZZ_SECONDS) test/bin/fuzz-bytes $(or $(FUZZER), $(FUZZERS))
