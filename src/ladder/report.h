/*
 * report.h
 *		What gpuagg-ladder reports: packets for gpuaggd, or lines for people.
 */
#ifndef GA_LADDER_REPORT_H
#define GA_LADDER_REPORT_H

#include "ladder_packet.h"

extern void ga_report_alive(void);
extern void ga_report_start(const GaRung *rung);
extern void ga_report_row(const GaLadderRow *row, const char *device);
extern void ga_report_end(GaStatus status, const GaDeviceFailure *failure);

#endif /* GA_LADDER_REPORT_H */
