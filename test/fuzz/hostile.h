/*
 * hostile.h
 *		A gpuaggd that answers whatever it likes, in the session's process.
 *
 * It gets its turn when the session sends or waits.  Its answers are honest
 * ones that a script has spoiled.
 */
#ifndef HOSTILE_H
#define HOSTILE_H

#include "bytes.h"
#include "extension/engine/reason.h"
#include "wire/slot.h"

/* Answer by this script from now on.  When it ends the connection does. */
extern void hostile_begin(const Bytes *script);

/* An honest answer about sums by position; of the files hostile*.c alone. */
extern void hostile_answer_window(const GaRequest *request);
extern void hostile_answer_elem(const GaRequest *request, GaReply *reply);

/* What is left of the script; of the files hostile*.c alone. */
extern Bytes hostile_script;

/* Spoil what the session reads, in slots or in a reply, by the script. */
extern void hostile_spoil(GaReply *reply);

/* Close what is open, and check that the session closed what it got. */
extern void hostile_end(void);

/* The session waits for a reply by a socket. */
extern void hostile_is_awaited(int fd);

/* Have this called in place of the script, with an honest answer. */
typedef void (*HostileAnswer)(const GaRequest *request, GaReply *reply);
extern void hostile_answer_by(HostileAnswer answer);

/* What the session counted: the last reason; arrays and elements by reason. */
extern GaReason hostile_counted;
extern int64 hostile_n_arrays[GA_N_REASONS];
extern int64 hostile_n_elements[GA_N_REASONS];

/* Requests that came, by opcode. */
extern int hostile_n_requests[GA_RESET + 1];

/*
 * Requests about slots that wait for their answers until the session has sent
 * so many, or sleeps.
 */
extern int hostile_late;

/* Is it known not to answer? */
extern bool hostile_is_hung;

/* The slots, as gpuaggd sees them; NULL without a lease. */
extern GaSlot *hostile_slot(uint32_t i);
/* A lookup slot, from 0 on; false if there is none. */
extern bool hostile_lookup(uint32_t i, GaLookupSlot *slot);

/* How the answer of hostile_answer_by() is delivered; the default is 0. */
extern bool hostile_by_socket;	  /* and not in the slot */
extern int hostile_n_descriptors; /* that come with it */
extern size_t hostile_n_bytes;	  /* of the packet */

/* The memfd that a lease comes with; that of lookup slots is likewise. */
extern size_t hostile_lease_bytes;
extern bool hostile_lease_is_sealed;

#endif /* HOSTILE_H */
