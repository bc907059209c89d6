# 025_cache_clear.pl: removing resident arrays, and gpuaggd's memory for them.
#
# gpuagg_cache_clear() says how many arrays it removed, or why it cannot know;
# it waits as long as gpuaggd goes on, and can be cancelled.  What gpuaggd knows of
# arrays has a limit, and its memory goes back when they are gone.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use GpuaggCluster qw(within is_sanitized);
use PostgreSQL::Test::Utils;
use Test::More;

my $node = GpuaggCluster->create('cache_clear',
	settings => [ 'gpuagg.engine = gpu', 'gpuagg.request_timeout = 20s', 'max_parallel_workers_per_gather = 0' ]);

# a row of 20 arrays that are stored out of line because there are so many
my @columns = map { "a$_" } 1 .. 20;
my $many = 'many, LATERAL (VALUES ' . join(', ', map { "($_)" } @columns) . ') v(a)';

$node->answer(<<'SQL');
CREATE TABLE t (id integer, a integer[]);
ALTER TABLE t ALTER a SET STORAGE EXTERNAL;
INSERT INTO t SELECT i, array_agg(j) FROM generate_series(1, 10) i, generate_series(1, 3000) j GROUP BY i;
SQL
$node->answer('CREATE TABLE many (id integer, ' . join(', ', map { "$_ smallint[]" } @columns) . ') WITH (toast_tuple_target = 128);'
	  . join('', map { "ALTER TABLE many ALTER $_ SET STORAGE EXTERNAL;" } @columns)
	  . 'INSERT INTO many SELECT i' . (', a' x @columns)
	  . ' FROM generate_series(1, 2000) i, (SELECT array_agg(j) FROM generate_series(1, 60) j) s(a)');
my $sum = 10 * 3000 * 3001 / 2;

# What a query fails with: its SQLSTATE, text and hint.
sub failure
{
	my ($session, $query, $limit) = @_;

	$session->ask($query, $limit // 30);
	return $session->{err} // 'no answer';
}

# --- the memory of gpuaggd
sub resident_kb
{
	my ($pid) = @_;

	return slurp_file("/proc/$pid/status") =~ /^RssAnon:\s*(\d+)/m ? $1 : die 'no memory';
}

# 40,000 arrays, of which the limit of 1 MB has space for some 13,000
$node->reload_with("gpuagg.cache_size = '12MB'", "gpuagg.staging_size = '24MB'");
my $pid = $node->with_faults('');
my $right = $node->answer("SET gpuagg.engine = cpu; SELECT gpu_sum(a) FROM $many");
$node->answer("SELECT gpu_sum(a) FROM $many WHERE id <= 200; SELECT gpuagg_cache_clear(), gpuagg_stat_reset()");
my $before = resident_kb($pid);
for my $part (0 .. 7)
{
	is( $node->answer("SELECT gpu_sum(a) FROM $many WHERE id % 8 = $part"),
		$right / 8, "part $part of many small arrays");
}
my ($used, $size, $evictions, $entries) =
  split /\|/, $node->answer('SELECT host_used, host_size, evictions, cache_entries FROM gpuagg_stat');
is($size, 1 << 20, 'a small cache has 1 MB for the list of its arrays');
cmp_ok($used, '<=', $size + (256 << 10), "which is the limit ($used bytes)");
cmp_ok($evictions, '>', 0, "some were evicted ($evictions)");
cmp_ok($entries, '>', 8000, "not more than necessary ($entries are resident)");
is($node->answer('SELECT gpuagg_cache_clear()'), $entries, 'all are removed');
cmp_ok($node->answer('SELECT host_used FROM gpuagg_stat'), '<', 512 << 10, 'nothing is counted any more');
SKIP:
{
	skip('sanitizers keep what was freed', 1) if is_sanitized();
	cmp_ok(resident_kb($pid), '<', $before + 1024, "and gpuaggd's memory is what it was");
}

# --- a removal takes as long as it takes: a request uses an array
$node->reload_with("gpuagg.cache_size = '64MB'");
$node->with_faults('');
is($node->answer('SELECT gpu_sum(a) FROM t'), $sum, 'resident arrays');
$pid = $node->with_faults('slow_launch=5000');
my ($user, $clearer) = map { $node->session } 1 .. 2;
# again, if gpuaggd did not answer in time and the CPU had the sum
within(60, sub { $user->ask('SELECT gpu_sum(a) FROM t', 60); $node->look('SELECT sum(entries) FROM gpuagg_cache') eq '10' });
is($user->{out}, $sum, 'arrays that are resident');
$user->begin('SELECT gpu_sum(a) FROM t');
$node->await_device($user);
$clearer->begin('SELECT gpuagg_cache_clear()');
ok( $node->poll_query_until('postgres',
		"SELECT wait_event_type = 'Extension' AND wait_event = CASE WHEN current_setting('server_version_num')::int >= 170000 "
		  . "THEN 'GpuaggCacheClear' ELSE 'Extension' END FROM pg_stat_activity WHERE pid = $clearer->{pid}"),
	'a removal waits, and says for what');
is($clearer->end(60), 10, 'until a request has finished that uses an array, and the memory is overwritten');
cmp_ok($clearer->{seconds}, '>', 2.1, 'though that takes longer than views wait');
is($user->end(60), $sum, 'whose sum is right');

# cancelled: the session is free at once
$node->answer('SELECT gpu_sum(a) FROM t');
$user->begin('SELECT gpu_sum(a) FROM t');
$node->await_device($user);
like(failure($clearer, "SET statement_timeout = '300ms'; SELECT gpuagg_cache_clear()"), qr/57014/, 'a removal is cancelled');
cmp_ok($clearer->{seconds}, '<', 3, 'at once');
is($user->end(60), $sum, 'the sum is right');
ok(within(30, sub { $node->answer('SELECT cache_entries FROM gpuagg_stat') eq '0' }), 'and gpuaggd goes on with it');
$clearer->ask('SET statement_timeout = 0');

# --- gpuaggd does not answer
my $answer = qr/ERROR:  55000: resident arrays were not removed.*HINT:  Try again\. If gpuaggd does not answer, end its process/s;

$node->answer('SELECT gpu_sum(a) FROM t');
$user->begin('SET client_min_messages = error; SELECT gpu_sum(a) FROM t');
$node->await_device($user);
$clearer->begin('SELECT gpuagg_cache_clear()');
within(3, sub { $node->look("SELECT wait_event_type FROM pg_stat_activity WHERE pid = $clearer->{pid}") eq 'Extension' });
kill 'KILL', $pid;
$clearer->end(30);
like($clearer->{err}, $answer, 'gpuaggd ends in the middle: an error');
is($user->end(60), $sum, 'the CPU has the sum');
$pid = $node->with_faults('');
is($node->answer('SELECT gpu_sum(a) FROM t'), $sum, 'arrays in the next one');
for my $call ('gpuagg_cache_clear()', "gpuagg_cache_clear('t')")
{
	$pid = $node->await_daemon;
	kill 'STOP', $pid;
	like(failure($clearer, "SELECT $call"), $answer, "$call with a gpuaggd that stands still: an error");
	kill 'CONT', $pid;
}
my $errors = '';
ok( within(
		10,
		sub {
			return 1 if $clearer->ask('SELECT gpuagg_cache_clear()') =~ /^\d+$/;
			$errors .= $clearer->{err};
			return 0;
		}),
	'and none when it goes on, or another one is up') or diag($errors);

# --- there is no gpuaggd, and nothing is resident
$node->reload_with("gpuagg.device = 'none'", 'gpuagg.engine = auto');
ok(within(10, sub { !$node->daemons }), 'gpuagg.device is none');
is($node->answer("SELECT gpuagg_cache_clear(), gpuagg_cache_clear('t')"), '0|0', 'nothing is removed');

$_->close foreach $user, $clearer;
$node->stop;
done_testing();
