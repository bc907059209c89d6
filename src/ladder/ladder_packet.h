/*
 * ladder_packet.h
 *		What gpuagg-ladder sends to gpuaggd: a packet for each event.
 *
 * Over a socket pair of type SOCK_SEQPACKET; gpuaggd sends nothing.  gpuaggd
 * passes on what the session has to know, and kills the program when it has
 * sent nothing for the time that a request may take.
 */
#ifndef GA_LADDER_PACKET_H
#define GA_LADDER_PACKET_H

#include "device/device.h"
#include "ladder.h"

typedef struct GaLadderPacket
{
	uint32_t event; /* a GaLadderEvent */
	int32_t status; /* of the end: a GaStatus */
	GaLadderRow row;
	GaDeviceFailure failure; /* if the status is not GA_OK */
} GaLadderPacket;

/*
 * What gpuagg-ladder does wrong on purpose: the number of the run, counted from
 * 1 over all rungs, at which it does so; 0 is never.
 */
typedef struct GaLadderFaults
{
	uint32_t hang;	 /* the run does not end */
	uint32_t crash;	 /* the program ends with SIGABRT */
	uint32_t fail;	 /* the run fails, as a device does */
	uint32_t refuse; /* the run finds no memory */
} GaLadderFaults;

#endif /* GA_LADDER_PACKET_H */
