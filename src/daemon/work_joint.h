/*
 * work_joint.h
 *		Requests of several sessions, in one for the device.
 */
#ifndef GA_WORK_JOINT_H
#define GA_WORK_JOINT_H

#include "work.h"

extern bool ga_joint_takes(GaWork *work);
extern void ga_joint_add(GaWork *work);
extern void ga_joint_flush(void);
extern void ga_joint_share(GaWork *leader);

#endif							/* GA_WORK_JOINT_H */
