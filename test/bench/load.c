/*
 * load.c
 *		Many sessions at once, each result compared with what it must be.
 *
 *		load SESSIONS SECONDS <queries
 *
 * A line of standard input is a query: its kind, weight, expected value or
 * SQLSTATE, and SQL, between tabs.  Each session sends one after another, a
 * random one by weight; the connection is that of the environment.  Of the kind
 * `cancelled` a random part is cancelled on the way.  Those of the kind `big`
 * are sent by one more session, in the second half of the time.  A quarter of
 * the sessions connect anew now and then.
 *
 * Prints a row for each kind: its count, wrong answers, cancelled ones, and
 * percentiles of latency in ms, and those of `resident` also before and beside
 * `big`.  The exit status is 1 if an answer was wrong, 2 if it cannot run.
 * Called by load.pl.
 */
#include <libpq-fe.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_QUERIES	 10000
#define MAX_SESSIONS 2000
#define MAX_TIMES	 (1 << 22)
#define GIVE_UP_MS	 120000
#define RECONNECTS	 100 /* one in so many queries of a session */

enum
{
	KIND_RESIDENT,
	KIND_COLD,
	KIND_CANCELLED,
	KIND_FAILING,
	KIND_BIG,
	N_KINDS,
	KIND_BEFORE = N_KINDS, /* resident, before big and beside it */
	KIND_BESIDE,
	N_ROWS
};

static const char *const kind_names[N_ROWS] = {
	"resident",		   "cold",			 "cancelled", "failing", "big",
	"resident before", "resident beside"};

typedef struct Query
{
	int kind;
	int weight;
	const char *expected; /* a value, or an SQLSTATE of failing ones */
	const char *sql;
} Query;

typedef struct Session
{
	PGconn *connection;
	const Query *query; /* under way, or NULL */
	double began_ms;
	double cancel_ms; /* when to cancel it; 0: never */
} Session;

typedef struct Row
{
	long n;
	long n_wrong;
	long n_cancelled;
	long n_times;
	float *times; /* ms; the last MAX_TIMES */
} Row;

static Query queries[MAX_QUERIES];
static int n_queries;
static long all_weights;
static Session sessions[MAX_SESSIONS + 1];
static int n_sessions;
static Row rows[N_ROWS];
static double start_ms;
static double big_ms; /* when the big ones begin */

static double
now_ms(void)
{
	struct timespec now;

	(void) clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

static void
fail(const char *what)
{
	fprintf(stderr, "load: %s\n", what);
	exit(2);
}

/* --- queries */

static void
read_queries(void)
{
	static char line[10000];

	while (fgets(line, sizeof(line), stdin) != NULL && n_queries < MAX_QUERIES)
	{
		char *rest = strdup(line);
		const char *kind = strsep(&rest, "\t");
		const char *weight = strsep(&rest, "\t");
		Query *query = &queries[n_queries++];

		query->expected = strsep(&rest, "\t");
		query->sql = strsep(&rest, "\n");
		if (query->sql == NULL)
			fail("a line of the queries is none");
		while (query->kind < N_KINDS &&
			   strcmp(kind, kind_names[query->kind]) != 0)
			query->kind++;
		if (query->kind == N_KINDS)
			fail("no such kind");
		query->weight = query->kind == KIND_BIG ? 0 : atoi(weight);
		all_weights += query->weight;
	}
	if (all_weights == 0)
		fail("there are no queries");
}

/* Return a random query, or a big one. */
static const Query *
choose(bool is_big)
{
	long left = random() % all_weights;
	int i;

	for (i = 0; i < n_queries; i++)
	{
		if (is_big && queries[i].kind == KIND_BIG)
			return &queries[i];
		if (!is_big && (left -= queries[i].weight) < 0)
			return &queries[i];
	}
	return NULL;
}

/* --- results */

static void
add_time(int row, double ms)
{
	rows[row].n++;
	rows[row].times[rows[row].n_times++ % MAX_TIMES] = (float) ms;
}

/* Is a result what it must be? */
static bool
is_right(const Query *query, PGresult *result, bool *is_cancelled)
{
	const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);

	*is_cancelled = query->kind == KIND_CANCELLED && state != NULL &&
					strcmp(state, "57014") == 0;
	if (*is_cancelled)
		return true;
	if (query->kind == KIND_FAILING)
		return state != NULL && strcmp(state, query->expected) == 0;
	return PQresultStatus(result) == PGRES_TUPLES_OK &&
		   PQntuples(result) == 1 &&
		   strcmp(PQgetvalue(result, 0, 0), query->expected) == 0;
}

static void
take_result(Session *session, PGresult *result)
{
	const Query *query = session->query;
	const double now = now_ms();
	bool is_cancelled;

	if (!is_right(query, result, &is_cancelled))
	{
		rows[query->kind].n_wrong++;
		fprintf(stderr, "load: wrong: %s: %s%s, must be %s\n", query->sql,
				PQntuples(result) > 0 ? PQgetvalue(result, 0, 0) : "",
				PQresultErrorMessage(result), query->expected);
	}
	rows[query->kind].n_cancelled += is_cancelled;
	add_time(query->kind, now - session->began_ms);
	if (query->kind == KIND_RESIDENT)
		add_time(session->began_ms < big_ms ? KIND_BEFORE : KIND_BESIDE,
				 now - session->began_ms);
}

/* Take what came for a session. */
static void
receive(Session *session)
{
	PGresult *result;

	if (PQconsumeInput(session->connection) == 0)
		fail(PQerrorMessage(session->connection));
	while (session->query != NULL && PQisBusy(session->connection) == 0)
	{
		result = PQgetResult(session->connection);
		if (result == NULL)
			session->query = NULL;
		else
			take_result(session, result);
		PQclear(result);
	}
}

/* --- sessions */

static void
cancel(Session *session)
{
	PGcancel *handle = PQgetCancel(session->connection);
	char text[256];

	if (handle != NULL)
		(void) PQcancel(handle, text, sizeof(text));
	PQfreeCancel(handle);
	session->cancel_ms = 0;
}

static void
send_query(Session *session, bool is_big)
{
	session->query = choose(is_big);
	if (session->query == NULL)
		return;
	if (session - sessions < n_sessions / 4 && random() % RECONNECTS == 0)
		PQreset(session->connection);
	session->began_ms = now_ms();
	session->cancel_ms = session->query->kind != KIND_CANCELLED ?
							 0 :
							 session->began_ms + random() % 50;
	if (PQsendQuery(session->connection, session->query->sql) == 0)
		fail(PQerrorMessage(session->connection));
}

static void
open_sessions(void)
{
	int i;

	for (i = 0; i <= n_sessions; i++)
	{
		sessions[i].connection = PQconnectdb("");
		if (PQstatus(sessions[i].connection) != CONNECTION_OK)
			fail(PQerrorMessage(sessions[i].connection));
	}
}

/* Have all sessions work until the end, and wait for the last results. */
static void
run(double end_ms)
{
	static struct pollfd polled[MAX_SESSIONS + 1];
	int n_busy;

	do
	{
		int i;

		n_busy = 0;
		for (i = 0; i <= n_sessions; i++)
		{
			Session *session = &sessions[i];
			const bool is_big = i == n_sessions;
			const double now = now_ms();

			if (session->query == NULL && now < end_ms &&
				(!is_big || now >= big_ms))
				send_query(session, is_big);
			if (session->query != NULL && session->cancel_ms > 0 &&
				now >= session->cancel_ms)
				cancel(session);
			n_busy += session->query != NULL;
			polled[i].fd = PQsocket(session->connection);
			polled[i].events = POLLIN;
		}
		if (poll(polled, (nfds_t) n_sessions + 1, 5) > 0)
		{
			for (i = 0; i <= n_sessions; i++)
			{
				if (polled[i].revents != 0)
					receive(&sessions[i]);
			}
		}
		if (now_ms() > end_ms + GIVE_UP_MS)
			fail("queries do not end");
	} while (n_busy > 0 || now_ms() < end_ms);
}

/* --- the report */

static int
compare_times(const void *a, const void *b)
{
	const float x = *(const float *) a;
	const float y = *(const float *) b;

	return (x > y) - (x < y);
}

static double
percentile(const Row *row, double p)
{
	const long n = row->n_times < MAX_TIMES ? row->n_times : MAX_TIMES;

	return n == 0 ? 0 : row->times[(long) (p * (double) (n - 1))];
}

int
main(int argc, char **argv)
{
	long n_wrong = 0;
	double seconds;
	int i;

	if (argc != 3)
		fail("usage: load SESSIONS SECONDS <queries");
	n_sessions = atoi(argv[1]);
	seconds = atof(argv[2]);
	if (n_sessions < 1 || n_sessions > MAX_SESSIONS || seconds <= 0)
		fail("the number of sessions or seconds is out of range");
	read_queries();
	for (i = 0; i < N_ROWS; i++)
		rows[i].times = malloc(MAX_TIMES * sizeof(float));
	open_sessions();
	start_ms = now_ms();
	big_ms = start_ms + seconds * 500;
	run(start_ms + seconds * 1000);
	for (i = 0; i < N_ROWS; i++)
	{
		Row *row = &rows[i];

		qsort(row->times,
			  (size_t) (row->n_times < MAX_TIMES ? row->n_times : MAX_TIMES),
			  sizeof(float), compare_times);
		printf("%s\t%ld\t%ld\t%ld\t%.2f\t%.2f\t%.2f\t%.2f\n", kind_names[i],
			   row->n, row->n_wrong, row->n_cancelled, percentile(row, 0.5),
			   percentile(row, 0.95), percentile(row, 0.99),
			   percentile(row, 1));
		n_wrong += row->n_wrong;
	}
	return n_wrong > 0;
}
