/*
 * packet.c
 *		Replies to a session's socket or slot.
 *
 * Owns nothing; called by session.c and by those that fill replies.  Must not
 * wait for a client.
 */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "packet.h"

/* Packets that are thrown away so that the client can read the last reply. */
#define MAX_DRAINED 64

/* Fill in the reason: "cudaMalloc: out of memory (2)". */
void
ga_packet_explain(GaReply *reply, const GaDeviceFailure *failure)
{
	size_t n = strlen(failure->call);

	if (n > 0)
		n = (size_t) snprintf(reply->reason, sizeof(reply->reason),
							  "%s: ", failure->call);
	snprintf(reply->reason + n, sizeof(reply->reason) - n, "%.*s",
			 (int) (sizeof(reply->reason) - n - 1), failure->message);
}

/*
 * Send a reply, with a descriptor unless that is -1.  Return false if it could
 * not be sent, also if the client does not read.
 */
bool
ga_packet_send(int fd, const GaReply *reply, int passed_fd)
{
	union
	{
		struct cmsghdr header;
		char buffer[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec bytes = {(void *) reply, sizeof(*reply)};
	struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};

	if (passed_fd >= 0)
	{
		memset(&control, 0, sizeof(control));
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.header), &passed_fd, sizeof(int));
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
	}
	return sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) == sizeof(*reply);
}

/* Send a failure as the reply to a request, if that is possible. */
void
ga_packet_send_failure(int fd, const GaRequest *request, GaStatus status,
					   const GaDeviceFailure *failure)
{
	GaReply reply = {
		.opcode = request->opcode, .slot = request->slot, .status = status};

	ga_packet_explain(&reply, failure);
	(void) ga_packet_send(fd, &reply, -1);
}

/* Put a reply into a slot.  Return false if the client does not poll there. */
bool
ga_packet_put(GaSlotReply *to, const GaReply *reply)
{
	/* copy what the client will read only: it goes to another processor */
	memcpy(&to->reply, reply,
		   reply->status == GA_OK ?
			   offsetof(GaReply, u) + sizeof(reply->u.scan) :
			   sizeof(*reply));
	return ga_reply_change(to, GA_REPLY_AWAITED, GA_REPLY_HERE);
}

/*
 * Throw away what was not read.  To close a socket with unread bytes is an
 * error for the client, before it could read its last reply.
 */
void
ga_packet_drain(int fd)
{
	GaRequest request;
	int i;

	for (i = 0; i < MAX_DRAINED; i++)
	{
		if (recv(fd, &request, sizeof(request), MSG_DONTWAIT) <= 0)
			break;
	}
}
