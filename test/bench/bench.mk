# The program that times requests to gpuaggd, for device.pl.  Included by
# extension.mk, after the tests of gpuaggd, whose client it is.

$(BENCH_BUILD)/request: $(BENCH)/request.c $(DAEMON_HELPERS) \
	$(DAEMON_TEST)/client.h $(BENCH)/bench.mk
	@mkdir -p $(@D)
	$(CC) $(DEVICE_CFLAGS) -D_GNU_SOURCE -I$(DEVICE_TEST) -I$(DAEMON_TEST) \
		-o $@ $< $(DAEMON_HELPERS) -lpthread $(UNIT_LIBS)
