/*
 * stat_client.h
 *		Questions of views to gpuaggd, each on a connection of its own.
 */
#ifndef GA_STAT_CLIENT_H
#define GA_STAT_CLIENT_H

#include "wire/protocol.h"

extern bool ga_stat_client_ask(const GaRequest *request, GaReply *reply);
extern int ga_stat_client_devices(GaDeviceRow **rows);
extern int64 ga_stat_client_cache(GaCacheRow **rows);

#endif /* GA_STAT_CLIENT_H */
