/*
 * packet.h
 *		Replies to a session's socket or slot.
 */
#ifndef GA_PACKET_H
#define GA_PACKET_H

#include "device/device.h"
#include "wire/slot.h"

extern bool ga_packet_send(int fd, const GaReply *reply, int passed_fd);
extern void ga_packet_send_failure(int fd, const GaRequest *request,
								   GaStatus status,
								   const GaDeviceFailure *failure);
extern bool ga_packet_put(GaSlotReply *to, const GaReply *reply);
extern void ga_packet_drain(int fd);
extern void ga_packet_explain(GaReply *reply, const GaDeviceFailure *failure);

#endif /* GA_PACKET_H */
