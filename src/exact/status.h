/*
 * status.h
 *		The status that functions return in code that knows no PostgreSQL.
 *
 * src/extension/error.c alone turns a status into an error for the user.
 */
#ifndef GA_STATUS_H
#define GA_STATUS_H

typedef enum GaStatus
{
	GA_OK = 0,
	GA_NO_CAPACITY, /* the sum is too small: move it to a larger buffer and
					 * call again; nothing was changed */
	GA_OVERFLOW,	/* the rounded result is out of the type's range */
	GA_BAD_STATE,	/* serialized bytes are invalid */
	GA_BAD_VERSION, /* serialized bytes have an unknown version */

	/* Of devices; device.h says which call may return which. */
	GA_PENDING,		  /* not finished: call again */
	GA_BUSY,		  /* as much is under way as may be: call again later */
	GA_NO_DRIVER,	  /* there is no driver for the device */
	GA_OLD_DRIVER,	  /* there is one, but it is too old */
	GA_NO_DEVICE,	  /* no such device, or one that cannot be used */
	GA_NO_MEMORY,	  /* of the device or the host, or over budget */
	GA_BAD_REQUEST,	  /* the caller broke a rule of device.h */
	GA_DEVICE_FAILED, /* a call failed; the device may be lost */

	GA_ZERO_DIVISOR /* a quotient has no result: its divisor is zero */
} GaStatus;

#endif /* GA_STATUS_H */
