/*
 * report.c
 *		What gpuagg-ladder reports: packets for gpuaggd, or lines for people.
 *
 * When gpuaggd is gone, the program ends.
 */
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "device/clock.h"
#include "options.h"
#include "report.h"

/* Between two packets that only say that the program works. */
#define ALIVE_NS (10 * GA_NS_PER_MS)

static int64_t sent_ns;

static bool
has_socket(void)
{
	return ga_ladder_options.socket >= 0;
}

static void
send_packet(const GaLadderPacket *packet)
{
	if (send(ga_ladder_options.socket, packet, sizeof(*packet), MSG_NOSIGNAL) !=
		sizeof(*packet))
		_exit(1);
	sent_ns = ga_now_ns();
}

/* Say that the program works, if that was not said a moment ago. */
void
ga_report_alive(void)
{
	const GaLadderPacket packet = {.event = GA_LADDER_ALIVE};

	if (has_socket() && ga_now_ns() - sent_ns >= ALIVE_NS)
		send_packet(&packet);
}

/* Say which rung is next. */
void
ga_report_start(const GaRung *rung)
{
	const GaLadderPacket packet = {.event = GA_LADDER_STARTS,
								   .row.rung = *rung};

	if (has_socket())
		send_packet(&packet);
}

/* A rung was timed. */
void
ga_report_row(const GaLadderRow *row, const char *device)
{
	const GaLadderPacket packet = {.event = GA_LADDER_ROW, .row = *row};
	const GaLadderCall *call = &ga_ladder_options.call;
	double bytes;

	if (has_socket())
	{
		send_packet(&packet);
		return;
	}
	bytes = (double) row->rung.passes * (double) call->n *
			(double) ga_element_size((GaElementType) call->type);
	printf("%s\t%.6f ms\t%.1f GB/s\terror %g\t%s\t%s\n", row->rung.name,
		   row->ms, bytes / row->ms * 1e-6, row->max_error,
		   row->same_bits ? "same bits" : "other bits", device);
	fflush(stdout);
}

/* All rungs were timed, or one failed. */
void
ga_report_end(GaStatus status, const GaDeviceFailure *failure)
{
	const GaLadderPacket packet = {
		.event = GA_LADDER_END, .status = status, .failure = *failure};

	if (has_socket())
		send_packet(&packet);
	else if (status != GA_OK)
		fprintf(stderr, "gpuagg-ladder: %s: %s\n", failure->call,
				failure->message);
}
