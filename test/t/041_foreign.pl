# 041_foreign.pl: exact sums over servers, with postgres_fdw.
#
# Three servers, each with its own gpuaggd, have the parts of one table, and one of
# them has all of it for comparison.  Aggregates are computed where the arrays are;
# what is sent is the sum.

use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use GpuaggCluster;
use SocketRelay;

my %settings = (settings => ['gpuagg.min_gpu_size = 0']);
my $here = GpuaggCluster->create('here', %settings);

if ($here->answer(q{SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'}) ne '1')
{
	$here->stop;
	plan(skip_all => 'postgres_fdw is not installed');
}
my @there = map { GpuaggCluster->create($_, %settings) } 'east', 'west';
my @relays = map { SocketRelay->new($_) } @there;

# What the document has servers created with, beside their addresses.
my ($options) = slurp_file('doc/distribution.md') =~ /CREATE SERVER east .*?dbname 'measurements', (.*?)\);/s
  or die 'doc/distribution.md creates no server';

# Each part's arrays are of the same formula everywhere.
my $arrays = q{SELECT part, id, ARRAY(SELECT (i * 7919 % (100003 - id) - 50000) / 100.0::float8 *
	CASE i % 1000 WHEN 0 THEN 1e200 ELSE 1 END FROM generate_series(1, 3000) i) AS a
	FROM generate_series(part * 100 + 1, part * 100 + 60) id};
my $columns = 'part int, id int, a float8[]';

$here->answer("CREATE EXTENSION postgres_fdw;
	CREATE TABLE t ($columns) PARTITION BY LIST (part);
	CREATE TABLE t_0 PARTITION OF t FOR VALUES IN (0);
	INSERT INTO t_0 SELECT q.* FROM (SELECT 0 AS part) p, LATERAL ($arrays) q;
	CREATE TABLE whole AS SELECT q.* FROM generate_series(0, 2) part, LATERAL ($arrays) q;
	CREATE TABLE sums_0 AS SELECT part, gpu_sum_state(a) AS s FROM t_0 GROUP BY part");
foreach my $i (1, 2)
{
	my $node = $there[ $i - 1 ];
	my ($name, $host, $port) = ($node->name, $relays[ $i - 1 ]->host, $node->port);
	my $user = $here->answer('SELECT current_user');

	$node->answer("CREATE TABLE t ($columns);
		INSERT INTO t SELECT q.* FROM (SELECT $i AS part) p, LATERAL ($arrays) q;
		CREATE VIEW sums AS SELECT part, gpu_sum_state(a) AS s FROM t GROUP BY part");
	$here->answer("CREATE SERVER $name FOREIGN DATA WRAPPER postgres_fdw
			OPTIONS (host '$host', port '$port', dbname 'postgres', $options);
		CREATE USER MAPPING FOR CURRENT_USER SERVER $name OPTIONS (user '$user');
		CREATE FOREIGN TABLE t_$i PARTITION OF t FOR VALUES IN ($i) SERVER $name OPTIONS (table_name 't');
		CREATE FOREIGN TABLE sums_$i (part int, s exactsum) SERVER $name OPTIONS (table_name 'sums')");
}
my $session = $here->session('SET enable_partitionwise_aggregate = on');

sub n_sent
{
	my $n = 0;

	$n += $_->n_sent foreach @relays;
	return $n;
}

# Return what a query sends.
sub sent_by
{
	my ($query) = @_;
	my $before = n_sent();

	$session->ask($query);
	return n_sent() - $before;
}

sub plan_of
{
	my ($query) = @_;

	return $session->ask("EXPLAIN (VERBOSE, COSTS OFF) $query");
}

# --- one foreign table

foreach my $case (
	[ 'gpu_sum(a)', 'gpu_sum(a)' ],
	[ 'gpu_count(a)', 'gpu_count(a)' ],
	[ 'gpu_sum_state(a)', 'gpu_sum_state(a)' ],
	[ 'gpu_max(a)', 'gpu_max(a)' ],
	[ 'gpu_stddev_samp(a)', 'gpu_stddev_samp(a)' ],
	[ 'gpu_moments_state(a)', 'gpu_moments_state(a)' ],
	[ 'gpu_sum(a) FILTER (WHERE id % 3 = 0)', 'gpu_sum(a) FILTER (WHERE' ],
	[ 'gpu_merge(gpu_array_state(a))', 'gpu_merge(public.gpu_array_state(a))' ])
{
	my ($call, $remote) = @$case;
	my $query = "SELECT $call FROM t_1";

	like(plan_of($query), qr/Foreign Scan.*Remote SQL: SELECT public\.\Q$remote\E/s, "$call is pushed down whole");
	is($session->ask($query), $session->ask("SELECT $call FROM whole WHERE part = 1"), 'with the same bits');
}
like(plan_of('SELECT id % 5, gpu_sum(a) FROM t_1 GROUP BY 1'), qr/Remote SQL: SELECT \(id % 5\), public\.gpu_sum\(a\) .*GROUP BY 1/,
	'GROUP BY is pushed down, too');
is($there[0]->answer('SELECT coalesce(sum(arrays), 0) > 0 FROM gpuagg_server_stat WHERE engine = \'gpu\''),
	't', 'and was computed by the device there');

# --- a table whose parts are on several servers

my $right = $session->ask('SELECT gpu_sum(a) FROM whole');
my $two_steps = 'SELECT gpu_merge(s)::float8 FROM (SELECT part, gpu_sum_state(a) AS s FROM t GROUP BY part) q';
my $plan = plan_of($two_steps);

is(scalar(() = $plan =~ /Remote SQL: SELECT part, public\.gpu_sum_state\(a\)/g), 2, 'two steps: a state of each foreign part');
is($session->ask($two_steps), $right, 'merged, they are the sum');
my $n_sent = sent_by($two_steps);
cmp_ok($n_sent, '<', 4_000, "and $n_sent bytes were sent");
my $views = 'SELECT gpu_merge(s)::float8 FROM (TABLE sums_0 UNION ALL TABLE sums_1 UNION ALL TABLE sums_2) q';
is($session->ask($views), $right, 'states of remote views');
$n_sent = sent_by($views);
cmp_ok($n_sent, '<', 4_000, "and $n_sent bytes were sent");
is($session->ask('SELECT gpu_sum(a) FROM t'), $right, 'without the states the sum is the same');
cmp_ok(sent_by('SELECT gpu_sum(a) FROM t'), '>', 1_000_000, 'but all arrays were sent');

my $moments = 'SELECT gpu_stddev_samp(gpu_merge(m)) FROM (SELECT part, gpu_moments_state(a) AS m FROM t GROUP BY part) q';
is(scalar(() = plan_of($moments) =~ /Remote SQL: SELECT part, public\.gpu_moments_state\(a\)/g), 2, 'moments of each foreign part');
is($session->ask($moments), $session->ask('SELECT gpu_stddev_samp(a) FROM whole'), 'merged, they are those of all parts');

# The document's options have both servers' states read at once.
like($plan, qr/Async Foreign Scan/, 'asynchronously');
is($session->ask("ALTER SERVER east OPTIONS (SET async_capable 'false');
	ALTER SERVER west OPTIONS (SET async_capable 'false'); $two_steps"), $right, 'and one after another');

# --- running totals that go on from server to server

my $totals = q{
	WITH starts AS MATERIALIZED (
		SELECT part, gpu_cumsum(s, exclusive => true) OVER (ORDER BY part) AS start
		FROM (SELECT part, gpu_sum_state(a) AS s FROM t GROUP BY part) q)
	SELECT md5(string_agg(total::text, ',' ORDER BY part, id, n)) FROM (
		SELECT part, id, n, total FROM starts JOIN LATERAL (
			SELECT id, gpu_cumsum(gpu_array_state(a), true) OVER (ORDER BY id) AS before, a
			FROM t WHERE t.part = starts.part) rows ON true,
			LATERAL gpu_cumsum(a, start => start + before) WITH ORDINALITY u(total, n)) q};
my $one_node = q{SELECT md5(string_agg(total::text, ',' ORDER BY n)) FROM
	(SELECT array_agg(x ORDER BY part, id, o) AS a FROM whole, unnest(a) WITH ORDINALITY u(x, o)) w,
	gpu_cumsum(a) WITH ORDINALITY u(total, n)};
is($session->ask($totals), $session->ask($one_node), 'running totals over three servers are those of one');

# --- failures

# The server that starts again inherits pipes to sessions, and keeps them open.
$session->begin("SELECT gpu_sum_state(a), pg_sleep(0.2) FROM t GROUP BY part; $two_steps");
$there[1]->stop('immediate');
$session->end(20);
$session->close;
$there[1]->start;
like($session->{err}, qr/08006|57P0|server closed the connection|could not connect/, 'a server that ends in the middle is an error')
  or diag($session->{out});
is($here->answer("SET enable_partitionwise_aggregate = on; $two_steps"), $right, 'and the next query is right');

$_->close foreach @relays;
$_->stop foreach $here, @there;
done_testing();
