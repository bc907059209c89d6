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
	GA_NO_ROOM,					/* the caller's accumulator is too small: grow it
								 * and call again; nothing was changed */
	GA_OVERFLOW,				/* the rounded result is beyond the type */
	GA_BAD_STATE,				/* serialized bytes that no version wrote */
	GA_BAD_VERSION				/* serialized bytes of a version unknown here */
} GaStatus;

#endif							/* GA_STATUS_H */
