# 010_resident_life.pl: resident arrays over the events of a server's life.
#
# Many sessions at once, too little memory, queries that are cancelled, crashes,
# a standby and its promotion.  Sums stay right, no session waits for an array
# that will not be loaded, and nothing stays resident over a restart.

use strict;
use warnings;

use FindBin;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

use lib $FindBin::RealBin;
use GpuaggCluster qw(crash);

my $node = PostgreSQL::Test::Cluster->new('life');
$node->init(allows_streaming => 1);
$node->append_conf('postgresql.conf', <<'CONF');
gpuagg.device = 'emulated'
gpuagg.engine = gpu
gpuagg.cache_size = 96MB
gpuagg.cache_packing = off
gpuagg.staging_size = 96MB
gpuagg.request_timeout = 20s
autovacuum = off
log_statement = none
restart_after_crash = on
CONF
$node->start;

sub answer
{
	my ($query, $on) = @_;

	return ($on // $node)->safe_psql('postgres', $query);
}

my ($n_sessions, $n_faults) = (0, 0);

# Starts a session that runs while the test goes on; from a file, since the test
# does something else meanwhile.
sub begin
{
	my ($query) = @_;
	my %session = (out => '', err => '', started => time);
	my $file = $node->basedir . '/session' . $n_sessions++ . '.sql';

	append_to_file($file, $query);
	$session{run} = IPC::Run::start(
		[ 'psql', '-X', '-q', '-A', '-t', '-f', $file, '-d', $node->connstr('postgres') ],
		'<', \undef, '>', \$session{out}, '2>', \$session{err}, IPC::Run::timeout(60));
	return \%session;
}

sub finish
{
	my ($session) = @_;

	$session->{run}->finish;
	$session->{took} = time - $session->{started};
	chomp $session->{out};
	return $session->{out};
}

sub wait_until
{
	my ($query, $what, $on) = @_;

	ok(($on // $node)->poll_query_until('postgres', $query), $what);
}

# Starts gpuaggd anew with other settings, and waits until it is up.
sub with_settings
{
	my ($settings) = @_;
	my $before = answer('SELECT max(pid) FROM gpuagg_devices') || 0;

	# a fault that is none makes it another gpuaggd in any case
	$settings =~ s/slow=(\d+)/"gpuagg.emulated_faults = 'slow_launch=$1,hang_launch=" . (90000 + $n_faults++) . "'"/e;
	$node->append_conf('postgresql.conf', $settings);
	$node->reload;
	for (1 .. 200)
	{
		$node->psql('postgres', q{SELECT gpu_array_sum('{1}'::int[])});
		my $now = answer(q{SELECT max(pid) FROM gpuagg_devices WHERE state = 'up'}) || 0;
		return $now if $now && $now != $before;
		usleep(50_000);
	}
	die "gpuaggd did not start with $settings";
}

sub daemon_pid { return answer('SELECT max(pid) FROM gpuagg_devices') }

sub counters { return answer("SELECT $_[0] FROM gpuagg_stat", $_[1]) }

# Checks a sum by the device against the CPU and the server.
sub right
{
	my ($table, $on) = @_;
	my @answers = split /\n/, answer("SET gpuagg.engine = cpu; SELECT gpu_sum(a) FROM $table; " .
		"SELECT sum(x) FROM $table, unnest(a) x", $on);

	is($answers[0], $answers[1], "the CPU's sum of $table");
	return $answers[1];
}

my $failures = q{SELECT coalesce(sum(arrays), 0) FROM gpuagg_session_stat WHERE engine = 'cpu'};

answer(<<SQL);
CREATE EXTENSION gpuagg;
CREATE FUNCTION next_oid() RETURNS oid AS '$ENV{GPUAGG_TEST_MODULE}' LANGUAGE C STRICT;
CREATE FUNCTION set_next_oid(oid) RETURNS oid AS '$ENV{GPUAGG_TEST_MODULE}' LANGUAGE C STRICT;
CREATE FUNCTION numbers(id integer, n integer) RETURNS float8[] LANGUAGE sql AS
	'SELECT array_agg(id * 1000 + i / 8.0::float8) FROM generate_series(1, n) i';
CREATE TABLE small (id integer, a float8[]);
CREATE TABLE t (id integer, a float8[]);
CREATE TABLE other (id integer, a float8[]);
CREATE TABLE huge (id integer, a float8[]);
CREATE TABLE s (a float8[]);
ALTER TABLE small ALTER a SET STORAGE EXTERNAL;
ALTER TABLE t ALTER a SET STORAGE EXTERNAL;
ALTER TABLE other ALTER a SET STORAGE EXTERNAL;
ALTER TABLE huge ALTER a SET STORAGE EXTERNAL;
ALTER TABLE s ALTER a SET STORAGE EXTERNAL;
INSERT INTO small SELECT i, numbers(i, 1000) FROM generate_series(1, 2000) i;
INSERT INTO t SELECT i, numbers(i, 100000) FROM generate_series(1, 40) i;
INSERT INTO other SELECT -id, a FROM t WHERE id <> 7;
INSERT INTO huge SELECT 1, numbers(1, 2000000);
SQL

# --- before anything runs
is(answer('SELECT count(*) FROM gpuagg_cache') . answer('SELECT count(*) FROM gpuagg_stat'), '00',
	'no gpuaggd: nothing is resident, nothing is counted');
is(answer("SELECT gpuagg_cache_clear(), gpuagg_cache_clear('t'), gpuagg_stat_reset()"), '0|0|', 'nor removed');
my %right = map { $_ => right($_) } 'small', 't', 'other', 'huge';
is(answer('SELECT gpu_sum(a) FROM t'), $right{t}, 'the device starts');

# --- sessions that want the same at once: each array is loaded once
# unless one is late: then others send arrays, but hardly five times
for my $table ('t', 'small')
{
	for (1 .. 5)
	{
		answer('SELECT gpuagg_cache_clear(), gpuagg_stat_reset()');
		my $gate = $node->background_psql('postgres');
		$gate->query_safe('SELECT pg_advisory_lock(1)');
		my @sessions = map { begin("SELECT pg_advisory_lock_shared(1) \\g /dev/null\n" .
			"SELECT gpu_sum(a ORDER BY id * " . ($_ % 2 ? 1 : -1) . ") FROM $table; $failures;") } 1 .. 8;
		wait_until("SELECT count(*) = 8 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted", 'eight sessions');
		$gate->query_safe('SELECT pg_advisory_unlock(1)');
		is(finish($_), "$right{$table}\n0", "one of those that load $table at once") for @sessions;
		$gate->quit;
		last if counters('streamed') eq '0';
	}
	is(counters('misses, streamed, arrays'), answer("SELECT count(*), 0, 0 FROM $table"), 'each array is loaded once, and sent no more');
}

# --- a query is cancelled while it loads: no session waits for it
sub quickly
{
	my ($session, $n, $what) = @_;

	is(finish($session), "$right{t}\n$n", $what);
	cmp_ok($session->{took}, '<', 12, sprintf('soon (%.1f s)', $session->{took}));
}
with_settings("slow=80");
answer('SELECT gpuagg_cache_clear()');
my $cancelled = $node->background_psql('postgres', on_error_stop => 0);
$cancelled->query("SET statement_timeout = '250ms'");
$cancelled->query('SELECT gpu_sum(a) FROM t');
like($cancelled->{stderr}, qr/canceling statement due to statement timeout/, 'a query is cancelled while it loads');
cmp_ok(counters('misses'), '>', 0, 'which it did');
quickly(begin("SELECT gpu_sum(a) FROM t; $failures"), 0, 'another session loads');
answer('SELECT gpuagg_cache_clear()');
$cancelled->{stderr} = '';
$cancelled->query('BEGIN; SAVEPOINT s; SELECT gpu_sum(a) FROM t;');
like($cancelled->{stderr}, qr/canceling statement due to statement timeout/, 'once more, in a subtransaction');
$cancelled->query("ROLLBACK TO s; SET statement_timeout = 0");
quickly(begin("SELECT gpu_sum(a) FROM t; $failures"), 0, 'another session loads while the transaction rests');
is($cancelled->query('SELECT gpu_sum(a) FROM t'), $right{t}, 'the session itself goes on');
$cancelled->query('COMMIT');

# a session that waits is told when the one that loads ends
answer('SELECT gpuagg_cache_clear(), gpuagg_stat_reset()');
my $loads = begin("SET application_name = 'loads'; SELECT gpu_sum(a) FROM t");
wait_until('SELECT misses > 0 FROM gpuagg_stat', 'a session loads');
my $waits = begin("SELECT gpu_sum(a) FROM t; $failures");
usleep(300_000);
answer("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'loads'");
eval { finish($loads) };
quickly($waits, 0, 'one that waits for a session that ends');

# gpuaggd is killed in the middle
answer('SELECT gpuagg_cache_clear(), gpuagg_stat_reset()');
my $pid = daemon_pid();
my @victims = map { begin("SET client_min_messages = error; SELECT gpu_sum(a) FROM t; $failures") } 1 .. 2;
wait_until('SELECT misses > 0 FROM gpuagg_stat', 'two sessions load');
usleep(100_000);
kill 'KILL', $pid;
like(finish($_), qr/^\Q$right{t}\E\n[1-9]\d*$/, 'gpuaggd was killed: the CPU has the right sum') for @victims;
with_settings("gpuagg.emulated_faults = ''");
is(answer('SELECT count(*) FROM gpuagg_cache'), '0', 'the next one has nothing');
is(answer("SELECT gpu_sum(a) FROM t; $failures"), "$right{t}\n0", 'and gets it');

# --- too little memory
with_settings("gpuagg.cache_size = 32MB");
my $size = counters('cache_size');
cmp_ok($size, '<', 30_000_000, "a cache of $size bytes");
for my $table ('t', 'other', 'small', 't', 'other', 't', 'huge', 'small', 't')
{
	is(answer("SELECT gpu_sum(a) FROM $table; $failures"), "$right{$table}\n0", "$table, with a small cache");
	cmp_ok(counters('cache_used'), '<=', $size, 'and no more is taken');
}
cmp_ok(counters('evictions'), '>', 0, 'some were evicted');
cmp_ok(counters('streamed'), '>', 0, 'some were sent and did not stay');
answer('SELECT gpuagg_stat_reset()');
is(answer('SELECT gpu_sum(a) FROM t; SELECT gpu_sum(a) FROM t'), "$right{t}\n$right{t}", 'more than the cache holds, twice');
cmp_ok(counters('hits'), '>', 10, 'what was loaded first stays');
answer('SELECT gpuagg_cache_clear()');
answer("SELECT gpu_sum(a) FROM $_") for 't', 't', 't', 'other';
answer('SELECT gpuagg_stat_reset(); SELECT gpu_sum(a) FROM other');
cmp_ok(counters('hits'), '>', 0, 'what was used more often is evicted all the same');
with_settings("gpuagg.cache_size = 8MB");
answer('SELECT gpuagg_stat_reset()');
is(answer("SELECT gpu_sum(a) FROM huge; $failures"), "$right{huge}\n0", 'an array that is larger than the cache');
is(counters('streamed, misses'), '1|0', 'is streamed');
is(answer("SELECT max(c) FROM (SELECT gpu_cumsum(a) c FROM huge) q"),
	answer("SET gpuagg.engine = cpu; SELECT max(c) FROM (SELECT gpu_cumsum(a) c FROM huge) q"), 'running totals of it');
my @tables = ('t', 'other', 'small', 'huge') x 2;
my @crowd = map { begin("SET client_min_messages = error; SELECT gpu_sum(a) FROM $_") } @tables;
is(finish(shift @crowd), $right{$_}, "one of a crowd that wants $_") for @tables;

# --- a crash of the server
with_settings("gpuagg.cache_size = 96MB");
answer('SELECT gpu_sum(a) FROM t');
is(answer("SELECT entries FROM gpuagg_cache WHERE relation = 't'::regclass"), '40', 'resident before a crash');
$pid = daemon_pid();
my $dies = begin("SET application_name = 'dies'; SELECT pg_sleep(60)");
wait_until("SELECT count(*) = 1 FROM pg_stat_activity WHERE application_name = 'dies' AND wait_event = 'PgSleep'", 'a session');
crash($node, answer("SELECT pid FROM pg_stat_activity WHERE application_name = 'dies'"));
eval { finish($dies) };
my ($n, $sum, $misses) = split /\n/, answer('SELECT count(*) FROM gpuagg_cache; SELECT gpu_sum(a) FROM t; SELECT misses FROM gpuagg_stat');
is("$n $sum $misses", "0 $right{t} 40", 'nothing is resident after it, and all is loaded');
isnt(daemon_pid(), $pid, 'by another gpuaggd');
$node->restart;
is(answer('SELECT count(*) FROM gpuagg_cache'), '0', 'nor after a restart');

# --- a standby
answer("TRUNCATE t, other, huge, small; INSERT INTO t SELECT i, numbers(i, 3000) FROM generate_series(1, 20) i");
$node->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'backup', has_streaming => 1);
$standby->start;

# The standby has replayed; its sum is that of the primary.  Returns misses.
sub same_there
{
	my ($what) = @_;

	$node->wait_for_catchup($standby);
	my ($sum, $failures, $misses) = split /\n/, answer("SELECT gpuagg_stat_reset() \\g /dev/null\n" .
		"SELECT coalesce(gpu_sum(a), 0) FROM t; $failures; SELECT misses FROM gpuagg_stat", $standby);
	is("$sum $failures", answer('SELECT coalesce(sum(x), 0) FROM t, unnest(a) x') . ' 0', "on the standby: $what");
	return $misses;
}
answer('SELECT gpu_sum(a) FROM t', $standby);
same_there('arrays that were backed up');
is(same_there('again'), 0, 'they are resident');
answer('UPDATE t SET a = numbers(id + 1, 3100) WHERE id <= 7');
is(same_there('UPDATE'), 7, 'the new ones are loaded');
my $rests = $standby->background_psql('postgres');
$rests->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ');
my $old = $rests->query_safe('SELECT gpu_sum(a) FROM t');
answer('DELETE FROM t WHERE id <= 3');
is(same_there('DELETE'), 0, 'nothing is loaded');
is($rests->query_safe('SELECT gpu_sum(a) FROM t'), $old, 'a transaction sees what it saw');
$rests->query_safe('COMMIT');
$rests->quit;
answer('VACUUM t; INSERT INTO t SELECT i, numbers(i + 5, 3000) FROM generate_series(30, 35) i');
is(same_there('VACUUM and INSERT'), 6, 'the new ones are loaded');
answer('VACUUM FULL t');
is(same_there('VACUUM FULL'), 23, 'ids that the counter has just passed are in doubt, and their chunks are new');

# An id comes round.  The log tells of the counter when it is asked for one.
answer('TRUNCATE t');
answer('SELECT set_next_oid(3000000); INSERT INTO t VALUES (1, numbers(1, 3000))');
is(same_there('an array'), 1, 'which is loaded');
answer('DELETE FROM t');
answer('VACUUM t');
for my $to (1400000000, 2800000000)
{
	answer("SELECT set_next_oid($to); CREATE TABLE passing$to (x integer)");
	same_there('the counter moves on');
	answer('SELECT gpu_sum(a) FROM s', $standby);
	answer("INSERT INTO s VALUES (numbers(1, 3000))");
	$node->wait_for_catchup($standby);
	answer('SELECT gpu_sum(a) FROM s', $standby);
}
my $toast = answer("SELECT reltoastrelid::regclass FROM pg_class WHERE oid = 't'::regclass");
my $id = answer("SELECT min(chunk_id::text) FROM $toast");
is($id, '', 'the array is gone');
answer("SELECT set_next_oid(3000000); INSERT INTO t VALUES (2, numbers(2, 3000))");
$id = answer("SELECT min(chunk_id::text) FROM $toast");
is($id, '3000000', 'another one has its id');
is(same_there('the new array'), 1, 'which is loaded');

# --- promotion
same_there('before promotion');
$standby->promote;
$standby->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()');
for my $what ('promoted', 'and again')
{
	is( answer("SELECT gpuagg_stat_reset() \\g /dev/null\nSELECT gpu_sum(a) FROM t; SELECT misses FROM gpuagg_stat", $standby),
		answer('SELECT sum(x) FROM t, unnest(a) x', $standby) . "\n0", $what);
}
answer('UPDATE t SET a = numbers(9, 3000); VACUUM t; INSERT INTO t VALUES (10, numbers(10, 100))', $standby);
is(answer("SELECT gpu_sum(a) FROM t; $failures", $standby),
	answer('SELECT sum(x) FROM t, unnest(a) x', $standby) . "\n0", 'it has a life of its own');

for my $server ($node, $standby)
{
	is(join("\n", grep { /gpuaggd: a connection|TRAP|PANIC/ } split /\n/, slurp_file($server->logfile)),
		'', $server->name . ': nothing broke a rule');
}

# --- gpuagg.device is changed
$node->append_conf('postgresql.conf', "gpuagg.device = none\ngpuagg.engine = auto");
$node->reload;
wait_until("SELECT state = 'off' FROM gpuagg_devices", 'device = none');
is(answer('SELECT count(*) FROM gpuagg_cache') . answer('SELECT count(*) FROM gpuagg_stat') .
	answer("SELECT gpuagg_cache_clear(), gpuagg_cache_clear('t'), gpuagg_stat_reset()"), '000|0|', 'views without a device');
$standby->stop;
$node->stop;
done_testing();
