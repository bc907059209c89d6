# 052_ahead_under_way.pl: sums and buckets of further arrays, which are asked for
# while a query uses those that it has.
#
# A request is under way between two calls of a function.  However its query ends,
# the session goes on, with the bits of the CPU, and other sessions get slots.

use strict;
use warnings;

use FindBin;
use Test::More;
use Time::HiRes qw(sleep);

use lib $FindBin::RealBin;
use GpuaggCluster qw(within waiting is_cuda);

my $node = GpuaggCluster->create('under_way',
	settings => [ 'gpuagg.min_gpu_size = 0', 'gpuagg.engine = gpu', 'max_parallel_workers_per_gather = 0', "gpuagg.request_timeout = '20s'" ]);

# 300 arrays of 1,000 elements; as many of lengths that differ, some of which have
# NULLs, or a bucket that the device has no value of; some of zeros but for the first
# element, and some of which one has a sum that overflows.
$node->answer(<<'SQL');
CREATE TABLE even (i int, a float8[], b int4[]);
CREATE TABLE odd (i int, a float8[]);
CREATE TABLE sparse (i int, a float8[]);
CREATE TABLE great (i int, a float8[]);
ALTER TABLE even ALTER a SET STORAGE EXTERNAL, ALTER b SET STORAGE EXTERNAL;
ALTER TABLE odd ALTER a SET STORAGE EXTERNAL;
ALTER TABLE sparse ALTER a SET STORAGE EXTERNAL;
ALTER TABLE great ALTER a SET STORAGE EXTERNAL;
SELECT setseed(0.5);
INSERT INTO even SELECT i, array_agg(x), array_agg((x * 1e6)::int4)
	FROM (SELECT i, random() - 0.5 AS x FROM generate_series(1, 300) i, generate_series(1, 1000)) q GROUP BY i ORDER BY i;
INSERT INTO odd SELECT i, CASE WHEN i % 100 = 77 THEN a || NULL::float8 WHEN i % 100 = 91 THEN a || 'NaN'::float8 ELSE a[1 : 1000 - i % 5 * 100] END
	FROM even;
INSERT INTO sparse SELECT i, i::float8 || array_fill(0::float8, ARRAY[999]) FROM generate_series(1, 60) i;
INSERT INTO great SELECT i, array_fill(CASE WHEN i = 40 THEN 1e308 ELSE i END::float8, ARRAY[1000]) FROM generate_series(1, 60) i;
SQL
my $load =
  'SELECT gpu_sum(a), gpu_sum(b) FROM even; SELECT gpu_sum(a) FROM odd; SELECT gpu_sum(a) FROM sparse; SELECT gpu_max(a) FROM great';
# A query that calls a function of each array, and of the CPU its rows, and their
# digest; one that fails in the middle; and one that fetches 11 rows from a cursor.
my ($sums, @right, $all, $right, $fail, $cursor);

sub use_function
{
	my ($call) = @_;

	$sums = "SELECT $call\::text FROM even ORDER BY i";
	@right = split /\n/, right($sums);
	$all = "SELECT md5(string_agg(b, ' ')) FROM ($sums) q (b)";
	$right = right($all);
	$fail = "SELECT count($call), count(1 / (40 - i)) FROM (SELECT * FROM even ORDER BY i) r";
	$cursor = "DECLARE c CURSOR FOR $sums; FETCH 11 FROM c \\g /dev/null\n";
	return;
}

# A session with all arrays resident; or with these faults, and those of one column.
sub begin
{
	my ($faults, $settings) = @_;

	$node->with_faults($faults) if defined $faults;
	my $session = $node->session('SET client_min_messages = error; ' . ($settings // ''));
	$session->ask(defined $faults ? 'SELECT gpu_sum(a) FROM even' : $load);
	return $session;
}

# What a query returns, with the engine cpu.
sub right
{
	return $node->answer("SET gpuagg.engine = cpu; $_[0]");
}

# Fetch rows from the session's cursor, of which this is the first.
sub fetch
{
	my ($session, $from, $n, $what) = @_;

	is($session->ask("FETCH $n FROM c"), join("\n", @right[ $from .. $from + $n - 1 ]), $what);
}

# How many requests gpuaggd got since the last reset.
sub requests
{
	return $node->look('SELECT requests FROM gpuagg_stat');
}

# Does gpuaggd get so many requests?  In a moment it has replied to them.
sub gets
{
	my ($n, $what) = @_;

	within(5, sub { requests() == $n });
	is(requests(), $n, $what);
	sleep 0.2;
	return;
}

# Queries that use few arrays: if they are several, the next one begins with few.
sub use_few
{
	my ($session, $n) = @_;

	is($session->ask("$sums LIMIT 2"), join("\n", @right[ 0 .. 1 ]), 'few rows') foreach 1 .. $n;
	return;
}

# Begin a cursor, of which 11 rows are fetched: a request is under way for the rows
# from 25 on.  That is so after some queries of few rows, or in a new session.
sub begin_cursor
{
	my ($session, $is_new) = @_;

	use_few($session, $is_new ? 1 : 6);
	$node->answer('SELECT gpuagg_stat_reset()');
	$session->ask("BEGIN; DECLARE c CURSOR FOR $sums");
	fetch($session, 0, 11, 'a cursor');
	return;
}

# The sockets that a session's process has: its client's, and gpuaggd's.
sub sockets
{
	my ($session) = @_;
	my $pid = $session->ask('SELECT pg_backend_pid()');

	return join ' ', sort grep { /^socket/ } map { readlink($_) // '' } glob "/proc/$pid/fd/*";
}

# Requests are sent before their results are asked for, as soon as the first result
# of the last one is used; none is sent when nothing follows.
sub check_order
{
	my ($session) = @_;

	use_few($session, 6);
	$node->answer('SELECT gpuagg_stat_reset()');
	$session->ask("BEGIN; DECLARE c CURSOR FOR $sums");
	fetch($session, 0, 10, 'a cursor');
	gets(3, '... asks when it waits');
	fetch($session, 10, 1, '... goes on');
	gets(4, '... and asks when it does not');
	is($node->answer('SELECT hits FROM gpuagg_stat'), 52, '... about the arrays up to the 52nd, each counted once');
	fetch($session, 11, 13, '... goes on');
	gets(4, '... without another request');
	fetch($session, 24, 1, '... takes what was under way');
	gets(5, '... and asks at once');
	fetch($session, 25, 28, '... goes on');
	gets(6, '... asks at once again');
	fetch($session, 53, 56, '... goes on');
	gets(7, '... and for the last time');
	fetch($session, 109, 191, '... to the end');
	gets(7, '... behind which is nothing');
	$session->ask('COMMIT');
	return;
}

# A query that is expected to use many asks at once for its first array and 7 more,
# and for a sixteenth of as many as the last one of its relation used, or 14.  Behind
# one of a row it is not expected to.
sub check_again
{
	my ($session) = @_;

	# if the first request is answered before the other one is sent, that one has
	# twice as many
	foreach my $case ([ 0, 26, 44 ], [ 1, 1, 1 ])
	{
		my ($n_before, $n, $or) = @$case;

		# as many as make up for those of few rows before
		$session->ask($_) foreach ($all) x 5, ("$sums LIMIT 1") x $n_before;
		$node->answer('SELECT gpuagg_stat_reset()');
		$session->ask("BEGIN; DECLARE c CURSOR FOR $sums");
		fetch($session, 0, 1, "the first row, behind $n_before");
		gets($n == 1 ? 1 : 2, '... asks at once');
		my $hits = $node->answer('SELECT hits FROM gpuagg_stat');
		ok($hits == $n || $hits == $or, "... about $n arrays, or $or: $hits");
		fetch($session, 1, 299, '... goes on');
		cmp_ok(requests(), '<=', 12, '... by few requests');
		cmp_ok($node->answer('SELECT hits FROM gpuagg_stat'), '<=', 301, '... about each array once, or the last one again');
		$session->ask('COMMIT');
	}
	return;
}

# A result is of use only if its array's id cannot have been given to another one
# since the request was sent, not since its reply was taken.
sub check_ids
{
	my ($session) = @_;
	my ($low, $high) = split /\|/, $node->answer(
		'SELECT min(chunk_id)::int8 - 10, max(chunk_id)::int8 + 10 FROM ' . $node->answer(q{SELECT reltoastrelid::regclass FROM pg_class WHERE relname = 'even'}));

	my $next = $node->answer("SELECT set_next_oid($low)");
	begin_cursor($session);
	gets(4, '... with a request under way');
	fetch($session, 11, 13, '... goes on');
	$node->answer("SELECT set_next_oid($high)");
	fetch($session, 24, 2, '... whose results are of no use when ids may be others\'');
	gets(6, '... so that they are asked for');
	fetch($session, 26, 274, '... to the end');
	$session->ask('ROLLBACK');
	$node->answer("SELECT set_next_oid($next)");
	return;
}

# Queries that end early.  The session goes on, within the transaction and behind it.
sub check_early_ends
{
	my ($session) = @_;

	foreach my $case (
		[ "SELECT count(b) FROM ($sums LIMIT 30) q (b)", 'LIMIT' ],
		[ "$cursor CLOSE c", 'a cursor is closed' ],
		[ "$cursor SELECT 1", 'a cursor is left' ],
		[ "SAVEPOINT s; $cursor ROLLBACK TO s", 'a savepoint' ],
		[ "$cursor SAVEPOINT s; $fail; ROLLBACK TO s; FETCH 30 FROM c \\g /dev/null\n", 'an error beside a cursor' ],
		[ "SAVEPOINT s; $fail; ROLLBACK TO s", 'an error' ],
		[ "DO \$\$ BEGIN PERFORM * FROM ($fail) q; EXCEPTION WHEN division_by_zero THEN END \$\$", 'an error that is caught' ],
		[ "$cursor SET LOCAL gpuagg.engine = cpu; FETCH 30 FROM c \\g /dev/null\nSET LOCAL gpuagg.engine = gpu", 'another engine' ])
	{
		my ($queries, $what) = @$case;

		like($session->ask("BEGIN; $queries; $all; COMMIT; $all"), qr/\b\Q$right\E\n\Q$right\E$/, "$what, and the session goes on");
	}

	# What is under way when a transaction ends is taken, if it comes soon.
	my ($before, $after);
	for (1 .. 5)
	{
		$session->ask($all);
		$before = sockets($session);
		$session->ask("SELECT count(b) FROM ($sums LIMIT 30) q (b)");
		$after = sockets($session);
		last if $after eq $before;
	}
	is($after, $before, 'LIMIT, and the session keeps its connection');

	# Others use the memory that the query had.
	my $others = q{SELECT md5(string_agg(x, ' ')) FROM (SELECT repeat(chr(60 + i % 60), 2000 + i) x FROM generate_series(1, 2000) i ORDER BY 1) q};
	my $totals = "$others; SELECT gpu_array_cumsum(a, 1, 2) FROM even WHERE i < 3";
	my $right_totals = right($totals);
	like($session->ask("BEGIN; $cursor CLOSE c; $totals; COMMIT"), qr/\Q$right_totals\E$/, 'a query that ended, whose memory others use') foreach 1 .. 3;

	$session->ask("BEGIN; $fail; ROLLBACK");
	like($session->{err}, qr/22012/, 'an error ends a transaction');
	is($session->ask($all), $right, '... and the session goes on');
	is($session->ask(q{SELECT count(*) FROM gpuagg_session_stat WHERE engine = 'cpu' AND reason ~ 'went away|failed|staging' AND arrays > 0}),
		0, '... with the device');
	return;
}

# Arrays that are changed, removed and cleared while a request is under way.
sub check_changes
{
	my ($session) = @_;

	foreach my $change ('UPDATE even SET a = a[1:100] || a[1:900]', 'DELETE FROM even WHERE i > 150', 'SELECT gpuagg_cache_clear()')
	{
		begin_cursor($session);
		$session->ask($change);
		fetch($session, 11, 30, "... with $change");
		$session->ask($change);
		fetch($session, 41, 259, '... and once more');
		$session->ask('ROLLBACK');
		# without chunks that are in doubt
		$node->answer('VACUUM FULL even');
		$session->ask($load);
		is($session->ask($all), $right, '... and behind it');
	}
	return;
}

# The device is at work while the session is: each request takes 0.4 s.  A processor
# that others use may be late, but not each time.
sub check_overlap
{
	my $took;

	for (1 .. 5)
	{
		my $session = begin('slow_launch=400');
		begin_cursor($session, 1);
		sleep 0.6;
		my $waited = waiting($session->processes);
		fetch($session, 11, 14, '... takes what was made meanwhile');
		$took = $session->{seconds} - (waiting($session->processes) - $waited);
		$session->close;
		last if $took < 0.3;
	}
	cmp_ok($took, '<', 0.3, "... without waiting, in $took s");
	return;
}

# When half of a reply is used, and a request is under way, another one is sent for
# the arrays behind that one's: rows 17 on, of those from 11 to 24.
sub check_two
{
	my $session = begin('slow_launch=500');

	begin_cursor($session, 1);
	fetch($session, 11, 5, '... with a request under way');
	is(requests(), 4, '... and no other one');
	fetch($session, 16, 1, '... at half of a reply');
	is(requests(), 5, '... and another one behind it');
	fetch($session, 17, 7, '... to the end of it');
	is(requests(), 5, '... without a third');
	fetch($session, 24, 276, '... to the end');
	cmp_ok(requests(), '<=', 12, '... by few requests');
	$session->close;
	$session = $node->session;
	begin_cursor($session, 1);
	fetch($session, 11, 6, '... with two under way');
	$session->ask('CLOSE c');
	is($session->ask($all), $right, '... which nobody waits for');
	$session->ask('COMMIT');
	$session->close;
	return;
}

# A query is cancelled while it waits for a request that is under way.
sub check_cancel
{
	my $session = begin('slow_launch=2000');

	begin_cursor($session, 1);
	$session->begin('FETCH ALL FROM c');
	$node->cancel($session);
	$session->end(20);
	like($session->{err}, qr/ERROR:  57014: /, 'a query is cancelled');
	$session->ask('ROLLBACK');
	is($session->ask($all), $right, '... and the session goes on');
	$session->close;
	$session = $node->session;
	begin_cursor($session, 1);
	$session->begin("SAVEPOINT s; $all; ROLLBACK TO s; FETCH 30 FROM c");
	$node->cancel($session);
	$session->end(30);
	is($session->{out}, join("\n", @right[ 11 .. 40 ]), '... and so does a cursor');
	$session->ask('ROLLBACK');
	$session->close;
	return;
}

# gpuaggd ends, or fails, while a request is under way.
sub check_losses
{
	foreach my $how ('KILL', 'TERM')
	{
		my $session = begin('slow_launch=100', 'SET gpuagg.engine = auto;');
		begin_cursor($session, 1);
		$node->await_daemon($node->signal_daemon($how));
		fetch($session, 11, 289, "... of a gpuaggd that ends by $how");
		$session->ask('COMMIT');
		is($session->ask($all), $right, '... and the session goes on');
		$session->close;
	}
	foreach my $fault (map { ("crash_launch=$_", "fail_launch=$_", "refuse_launch=$_") } 4 .. 7)
	{
		# the first launch sums the arrays, and the fifth is the first that is not waited for
		$node->with_faults($fault);
		my $session = $node->session('SET client_min_messages = error; SET gpuagg.engine = auto; SELECT gpu_sum(a) FROM even');
		is($session->ask($all), $right, $fault);
		is($session->ask($all), $right, '... and the session goes on');
		$session->close;
	}
	return;
}

# Arrays are on several devices.
sub check_devices
{
	my $session = begin('slow_launch=1');

	is($session->ask($all), $right, 'several devices');
	$node->answer('SELECT gpuagg_stat_reset()');
	is($session->ask($all), $right, '... again');
	cmp_ok(requests(), '<=', 100, '... by few requests');
	$session->close;
	return;
}

$node->answer("CREATE FUNCTION set_next_oid(oid) RETURNS oid AS '$ENV{GPUAGG_TEST_MODULE}' LANGUAGE C STRICT");
my $session = begin();

# The whole of it, by few requests.
foreach my $case (
	[ 'sum', 'a', 'even' ], [ 'avg', 'a', 'even' ], [ 'max', 'b', 'even' ], [ 'sum', 'a', 'odd' ], [ 'min', 'a', 'odd' ])
{
	my ($f, $column, $table) = @$case;
	my $query = "SELECT md5(string_agg(b::text, ' ')) FROM (SELECT gpu_array_bucket_$f($column, 30) b FROM $table ORDER BY i) q";
	my ($right, $arrays) = (right($query), 'SELECT sum(arrays) FROM gpuagg_session_stat');

	$node->answer('SELECT gpuagg_stat_reset()');
	my $before = $session->ask($arrays);
	is($session->ask($query), $right, "$f of $column, $table");
	is($session->ask($arrays) - $before, 300, '... each array is counted once');
	# about 1, 1 + 7, 1 + 14, 1 + 28, 1 + 56, 1 + 112 and 1 + 82 arrays, perhaps 1 behind them; where
	# 300 are expected, 1 + 7, 1 + 18, 1 + 36, three times 1 + 64, and 1 + 46
	cmp_ok(requests(), '<=', 12, '... by few requests') if $table eq 'even';
}

# Several functions, a query that is run again and again, and one within another.
foreach my $case (
	[ q{SELECT md5(string_agg(concat(gpu_array_bucket_sum(a, 50), gpu_array_bucket_max(a, 20), gpu_array_bucket_sum(b, 50)), ' ' ORDER BY i)),
		gpu_sum(a), md5(string_agg(gpu_array_sum(a)::text, ' ' ORDER BY i)) FROM even}, 'several functions' ],
	[ q{SELECT md5(string_agg(s.b, ' ' ORDER BY k, s.i)) FROM generate_series(1, 3) k,
		LATERAL (SELECT i, gpu_array_bucket_sum(a, 50 * k)::text AS b FROM even ORDER BY i LIMIT 100 - k) s}, 'a query that is run again' ],
	[ q{SELECT md5(string_agg(s.b, ' ' ORDER BY k, s.i)) FROM generate_series(1, 3) k,
		LATERAL (SELECT i, gpu_array_bucket_sum(a, 50)::text AS b FROM even WHERE i > k - k % 2 ORDER BY i LIMIT 40) s}, 'with the same width' ],
	[ q{SELECT md5(string_agg(gpu_array_bucket_sum(a, 50)::text
		|| (SELECT string_agg(gpu_array_bucket_sum(s.a, 100)::text, ' ' ORDER BY s.i) FROM even s WHERE s.i BETWEEN r.i AND r.i + 20),
		' ' ORDER BY i)) FROM even r WHERE i < 60}, 'a query within a query' ],
	[ q{SELECT md5(string_agg(gpu_array_bucket_sum(a, 50)::text || gpu_array_cumsum(a, 1, 3)::text || gpu_array_moving_avg(a, 5)::text,
		' ' ORDER BY i)) FROM even}, 'functions that use the same slots' ],
	[ q{SELECT string_agg(gpu_array_bucket_sum(a, CASE WHEN i < 12 THEN 20 ELSE 50 END)::text, ' ') FROM (SELECT * FROM sparse WHERE i < 12 OR i > 24 ORDER BY i) r},
		'greater buckets' ],
	[ q{SELECT string_agg(gpu_array_bucket_sum(a, CASE WHEN i < 12 THEN 50 ELSE 20 END)::text, ' ') FROM (SELECT * FROM sparse WHERE i < 12 OR i > 24 ORDER BY i) r},
		'smaller buckets' ])
{
	my ($query, $what) = @$case;

	is($session->ask($query), right($query), $what);
}

# What the device has no value of, among arrays that were asked for.
$session->ask(q{SELECT gpu_array_bucket_sum(a, 50) FROM great ORDER BY i});
like($session->{err}, qr/ERROR:  22003: /, 'a bucket that overflows');

my @calls = ('gpu_array_bucket_sum(a, 50)', 'gpu_array_sum(a)');
foreach my $call (@calls)
{
	note($call);
	use_function($call);
	check_order($session);
	check_again($session);
	check_ids($session);
	check_early_ends($session);
}
foreach my $call (@calls)
{
	use_function($call);
	check_changes($session);
}
$session->close;

SKIP:
{
	skip 'what follows is of emulated devices', 1 if is_cuda();

	foreach my $call (@calls)
	{
		note($call);
		use_function($call);
		check_overlap();
		check_two();
		check_cancel();
		check_losses();
	}
	$node->configure("gpuagg.device = 'emulated:3'");
	foreach my $call (@calls)
	{
		use_function($call);
		check_devices();
	}

	use_function($calls[0]);
	# There is one lease, which sessions have in turn: a query leaves it to others
	# between two requests, and at its end.  One that loads arrays has a part of it.
	$node->configure("gpuagg.device = 'emulated'");
	$node->configure("gpuagg.staging_size = '8MB'");
	begin('slow_launch=20')->close;
	my $session = $node->session('SET client_min_messages = error');
	my $other = $node->session('SET client_min_messages = error');
	my $by = q{SELECT string_agg(coalesce(reason, engine), ', ') FROM gpuagg_session_stat WHERE arrays > 0};
	foreach my $early ("SELECT count(b) FROM ($sums LIMIT 30) q (b)", "BEGIN; DECLARE c CURSOR FOR $sums; FETCH 11 FROM c; COMMIT", $fail)
	{
		$session->ask($early);
		is($other->ask($all), $right, 'a session has the lease that another one had');
		is($other->ask($by), 'gpu', '... and the device');
	}
	$session->begin(q{SELECT count(gpu_array_bucket_sum(a, 50)) FROM (SELECT * FROM even ORDER BY md5(i::text)) r});
	sleep 0.2;
	is($other->ask($all), $right, 'a session has the lease of a query that goes on');
	ok(!$session->has_ended, '... which does not wait for its end');
	is($other->ask($by), 'gpu', '... and the device');
	is($session->end(60), 300, '... which ends, too');
	is($session->ask($by), 'gpu', '... with the device');
	$_->close foreach $session, $other;
	begin('slow_launch=800')->close;
	$session = $node->session('SET client_min_messages = error');
	$other = $node->session('SET client_min_messages = error');
	$node->answer('SELECT gpuagg_stat_reset()');
	$session->begin($all);
	ok(within(20, sub { requests() >= 3 }), 'a query has more than one request');
	is($other->ask('SELECT gpu_array_bucket_sum(a, 50)::text FROM even WHERE i = 1'), $right[0], 'likewise, of one that does not wait for each reply');
	ok(!$session->has_ended, '... which does not wait for its end, either');
	is($other->ask($by), 'gpu', '... and the device');
	is($session->end(60), $right, '... and ends');
}

$node->stop;
done_testing();
