/*
 * status.h
 *		What a bare function answers.
 *
 * Code without PostgreSQL under it returns one of these; error.c in
 * src/extension is the one place that turns them into an error for the user.
 */
#ifndef GA_STATUS_H
#define GA_STATUS_H

typedef enum GaStatus
{
	GA_OK = 0,
	GA_NO_CAPACITY, /* the caller's accumulator is too small: grow it
								 * and call again; nothing was changed */
	GA_OVERFLOW,	/* the rounded result is beyond the type */
	GA_BAD_STATE,	/* serialized bytes that no version wrote */
	GA_BAD_VERSION, /* serialized bytes of a version unknown here */

	/* of devices; device.h says which call may answer what */
	GA_PENDING,		 /* not finished: ask again */
	GA_NO_DRIVER,	 /* no driver for the device, or one too old */
	GA_NO_DEVICE,	 /* no such device, or not one that can be used */
	GA_NO_MEMORY,	 /* of the device or the host, or over budget */
	GA_BAD_REQUEST,	 /* the caller broke a rule of device.h */
	GA_DEVICE_FAILED /* a call failed; the device may be lost */
} GaStatus;

#endif /* GA_STATUS_H */
