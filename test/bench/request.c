/*
 * request.c
 *		How long the smallest request takes, from send to reply.
 *
 *	request N	starts a gpuaggd, sends N requests, one after the other, and
 *				prints the microseconds of each
 *
 * GA_GPUAGGD and GA_GPUAGGD_DEVICE say which program and device, as in
 * test/daemon.
 */
#include <stdio.h>
#include <stdlib.h>

#include "client.h"
#include "tap.h"

#define WARM_UPS 100

int
main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1000;
	static Daemon daemon;
	Client client;
	int i;

	daemon_start(&daemon, NULL);
	client_open(&client, &daemon);
	if (client_lease(&client, false) != GA_OK)
		return 1;
	for (i = -WARM_UPS; i < n; i++)
	{
		GaRequest request = client_fill_one(&client, 0, i);
		double start = now_ms();
		GaReply reply = client_call(&client, &request);
		double ms = now_ms() - start;

		if (!client_is_one(&client, &reply, i))
			return 1;
		if (i >= 0)
			printf("%.2f\n", ms * 1e3);
	}
	client_close(&client);
	daemon_stop(&daemon);
	return 0;
}
