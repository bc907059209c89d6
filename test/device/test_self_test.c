/*
 * test_self_test.c
 *		A device's self-test: it passes, and finds what is wrong.
 */
#include <string.h>

#include "device/self_test.h"
#include "fixture.h"
#include "tap.h"

static Fixture fixture;

/*
 * Kinds of windows, each of which is tested in all forms of positions but
 * records; and one in the form that is of windows alone.
 */
#define N_WINDOWS 5

static void
test_right(void)
{
	GaDeviceFailure failure = {.call = ""};
	GaDeviceInfo before, after;
	GaReductionSet wrong = UINT32_MAX;

	tap_begin("a device passes");
	fixture_must(&fixture, "describe",
				 fixture.kind->describe(fixture.device, &before, &failure),
				 &failure);
	fixture_must(&fixture, "self-test",
				 ga_self_test(fixture.kind, fixture.device, &ga_device_emulated,
							  &wrong, &failure),
				 &failure);
	tap_check(wrong == 0, "reductions 0x%x are wrong", (unsigned) wrong);
	fixture_must(&fixture, "describe",
				 fixture.kind->describe(fixture.device, &after, &failure),
				 &failure);
	tap_check(after.used_bytes == before.used_bytes, "it leaves memory");
	tap_end();
}

/* Test an emulated device that has a fault. */
static GaStatus
test_with(const GaDeviceOptions *options, GaReductionSet *wrong,
		  GaDeviceFailure *failure)
{
	GaDevice *device;
	GaStatus status;

	fixture_must(&fixture, "open",
				 ga_device_emulated.open(options, &device, failure), failure);
	status = ga_self_test(&ga_device_emulated, device, &ga_device_emulated,
						  wrong, failure);
	ga_device_emulated.close(device);
	return status;
}

/* Test a device that computes packed arrays wrong: not by packing them. */
static void
test_packed_sums(void)
{
	const GaDeviceOptions options = {.faults.wrong_packed_sums = true};
	GaDeviceFailure failure;
	GaReductionSet wrong;

	tap_begin("wrong sums of packed arrays are found");
	tap_check(test_with(&options, &wrong, &failure) == GA_OK &&
				  wrong == (GaReductionSet) 1 << GA_PACKED_VECTORS,
			  "reductions 0x%x are wrong", (unsigned) wrong);
	tap_end();
}

/* Test a device of which some reductions are wrong. */
static void
check_wrong(GaReductionSet set)
{
	const GaDeviceOptions options = {.faults.wrong_bits = set};
	GaDeviceFailure failure;
	GaReductionSet wrong;

	tap_check(test_with(&options, &wrong, &failure) == GA_OK && wrong == set,
			  "0x%x where 0x%x are wrong", (unsigned) wrong, (unsigned) set);
}

/* One of them alone, and all others. */
static void
test_wrong(void)
{
	const GaReductionSet all = ((GaReductionSet) 2 << GA_PACKED_VECTORS) - 1;
	int i;

	tap_begin("wrong bits are found");
	check_wrong(0);
	check_wrong(all);
	for (i = 0; i <= GA_PACKED_VECTORS; i++)
	{
		check_wrong((GaReductionSet) 1 << i);
		check_wrong(all & ~((GaReductionSet) 1 << i));
	}
	tap_end();
}

/*
 * A sum, the reductions, running totals twice, differences; by position and of
 * windows all forms; a survey, packing, and all of that of what was packed.
 */
static uint32_t
count_launches(void)
{
	uint32_t n = (GA_N_ALL_REDUCTIONS + 3) * GA_N_ELEMENT_TYPES;
	int type, form;

	for (type = 0; type < GA_N_ELEMENT_TYPES; type++)
		for (form = 0; form < GA_N_ELEM_FORMS; form++)
			n += ga_elem_has_form((GaElementType) type, (uint32_t) form) *
				 (form == GA_FORM_RECORD ? 1 : 1 + N_WINDOWS);
	return 2 * n + 2 * GA_N_ELEMENT_TYPES;
}

static void
test_failures(void)
{
	GaDeviceOptions options = {0};
	GaDeviceFailure failure;
	GaReductionSet wrong;
	const uint32_t n = count_launches();
	uint32_t i;

	tap_begin("no memory, and a device that fails");
	options.budget_bytes = 1;
	tap_check(test_with(&options, &wrong, &failure) == GA_NO_MEMORY, "memory");
	options.budget_bytes = 0;
	/* every third one, from the last one back */
	for (i = n; i > 0; i = i > 3 ? i - 3 : 0)
	{
		options.faults.fail_launch = i;
		tap_check(test_with(&options, &wrong, &failure) == GA_DEVICE_FAILED,
				  "launch %u", (unsigned) i);
	}
	options.faults.fail_launch = n + 1;
	tap_check(test_with(&options, &wrong, &failure) == GA_OK,
			  "a launch that there is not");
	tap_end();
}

int
main(void)
{
	fixture_open(&fixture);
	test_right();
	test_wrong();
	test_packed_sums();
	test_failures();
	fixture_close(&fixture);
	return tap_done();
}
