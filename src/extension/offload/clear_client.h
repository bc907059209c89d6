/*
 * clear_client.h
 *		Removing resident arrays.
 */
#ifndef GA_CLEAR_CLIENT_H
#define GA_CLEAR_CLIENT_H

extern int64 ga_clear_client(Oid toast_relation);

#endif /* GA_CLEAR_CLIENT_H */
