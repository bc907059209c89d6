/*
 * operation.c
 *		What each request of the protocol does.
 *
 * Each begins when it is the first of its session.  It is answered at once,
 * unless it waits for a window or goes to the device.
 */
#include <stdio.h>

#include "exit.h"
#include "options.h"
#include "session.h"
#include "work.h"

/* A reply that says no more than why not. */
static void
answer_failure(GaSession *session, GaStatus status,
			   const GaDeviceFailure *failure)
{
	GaReply		reply = {.status = status};

	ga_session_explain(&reply, failure);
	if (ga_session_send(session, &reply, -1))
		ga_session_done(session);
}

/* What a reply tells of a device. */
static void
fill_device(GaReply *reply, uint32_t i)
{
	ga_devices_fill(i, &reply->u.device);
	reply->u.device.n_sessions = ga_sessions_count();
	reply->u.device.n_windows = ga_staging_n_taken();
}

/* What is wrong with a greeting, perhaps in the caller's room; or NULL. */
static const char *
hello_fault(const GaRequest *request, char *room, size_t n_bytes)
{
	const bool	is_another = ga_options.wrong_version != 0;

	if (request->u.hello.magic != GA_PROTOCOL_MAGIC)
		return "the magic number is another";
	if (request->u.hello.version != GA_PROTOCOL_VERSION || is_another)
	{
		snprintf(room, n_bytes, "the protocol's version is %u here, not %u",
				 GA_PROTOCOL_VERSION + is_another, request->u.hello.version);
		return room;
	}
	if (request->u.hello.boot_token != ga_options.boot_token)
		return "the boot token is of another life of the server";
	return NULL;
}

/* The first device is told of as it was described last: that has to do. */
static void
start_hello(GaSession *session, const GaRequest *request)
{
	GaReply		reply = {.status = GA_OK};
	char		room[100];
	const char *fault = hello_fault(request, room, sizeof(room));

	if (session->is_greeted)
		ga_session_reject(session, GA_BAD_REQUEST, "GA_HELLO",
						  "there was one before");
	else if (fault != NULL)
		ga_session_reject(session, GA_BAD_VERSION, "GA_HELLO", fault);
	else
	{
		session->is_greeted = true;
		fill_device(&reply, 0);
		if (ga_session_send(session, &reply, -1))
			ga_session_done(session);
	}
}

/* The answer to who asked for a window, and has one. */
void
ga_operation_give(GaSession *session, GaWindow *window)
{
	GaReply		reply = {.status = GA_OK};

	session->window = window;
	reply.u.window.offset = window->offset;
	reply.u.window.keeps = ga_staging_keeps();
	if (ga_session_send(session, &reply, ga_staging_fd()))
		ga_session_done(session);
}

/* Those who wait come first. */
static void
start_ask(GaSession *session, const GaRequest *request)
{
	GaDeviceFailure failure = {"GA_ASK_WINDOW", "all windows are taken"};
	GaWindow   *window = session->window;

	if (window == NULL && !ga_sessions_wait())
		window = ga_staging_take(session);
	if (window != NULL)
		ga_operation_give(session, window);
	else if (request->u.window.waits)
		ga_session_wait(session);
	else
		answer_failure(session, GA_NO_ROOM, &failure);
}

static void
start_give(GaSession *session)
{
	if (session->window == NULL)
	{
		ga_session_reject(session, GA_BAD_REQUEST, "GA_GIVE_WINDOW",
						  "there is no window");
		return;
	}
	ga_staging_leave(session->window);
	session->window = NULL;
	ga_session_done(session);
}

static void
start_work(GaSession *session, const GaRequest *request)
{
	GaDeviceFailure failure = {.call = ""};
	GaStatus	status;

	if (session->window == NULL)
	{
		ga_session_reject(session, GA_BAD_REQUEST, "request",
						  "there is no window");
		return;
	}
	status = ga_work_start(session->window, request, &session->carry,
						   &failure);
	if (status == GA_PENDING)
		session->is_working = true;
	else if (status == GA_BAD_REQUEST)
		ga_session_reject(session, status, failure.call, failure.message);
	else
	{
		/* a piece that was not even begun cannot be continued, either */
		if (request->operation == GA_SCAN)
			session->carry.is_valid = false;
		answer_failure(session, status, &failure);
	}
}

/* One reply for each device. */
static void
start_devices(GaSession *session)
{
	uint32_t	i;

	for (i = 0; i < ga_devices_count(); i++)
	{
		GaDeviceFailure failure = {.call = ""};
		GaReply		reply = {.status = GA_OK};

		reply.status = ga_devices_describe(i, &failure);
		if (reply.status == GA_DEVICE_FAILED)
			ga_exit_lost(&failure);
		if (reply.status != GA_OK)
			ga_session_explain(&reply, &failure);
		fill_device(&reply, i);
		if (!ga_session_send(session, &reply, -1))
			return;
	}
	ga_session_done(session);
}

/* Begin with the first request of a session. */
void
ga_operation_start(GaSession *session, const GaRequest *request)
{
	switch ((GaOperation) request->operation)
	{
		case GA_HELLO:
			start_hello(session, request);
			break;
		case GA_ASK_WINDOW:
			start_ask(session, request);
			break;
		case GA_GIVE_WINDOW:
			start_give(session);
			break;
		case GA_SUM:
		case GA_SCAN:
			start_work(session, request);
			break;
		case GA_DEVICES:
			start_devices(session);
			break;
	}
}
