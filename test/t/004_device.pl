# 004_device.pl: sessions and gpuaggd, and every way in which gpuaggd can fail.
#
# On the emulated device, which fails, hangs and crashes as gpuagg.emulated_faults
# says.  Whatever happens to gpuaggd, results stay right and other sessions go on.

use strict;
use warnings;

use FindBin;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

use lib $FindBin::RealBin;
use GpuaggCluster qw(crash within);

my $node = PostgreSQL::Test::Cluster->new('device');
$node->init;
$node->append_conf('postgresql.conf', <<'CONF');
gpuagg.device = 'emulated'
gpuagg.staging_size = '64MB'
gpuagg.request_timeout = '20s'
max_worker_processes = 8
restart_after_crash = on
CONF
$node->start;

sub answer
{
	return $node->safe_psql('postgres', $_[0]);
}

# Runs a query with the settings of a session; returns what psql wrote.
sub attempt
{
	my ($query, $settings) = @_;
	my ($out, $err) = ('', '');
	my $status = $node->psql('postgres', $query,
		stdout => \$out, stderr => \$err,
		extra_params => ['-v', 'VERBOSITY=verbose'],
		on_error_stop => 0);

	return ($status, $out, $err);
}

my ($n_sessions, $n_faults) = (0, 0);

# Starts a session that runs while the test goes on.
sub begin
{
	my ($query) = @_;
	my %session = (out => '', err => '', started => time);
	my $file = $node->basedir . '/session' . $n_sessions++ . '.sql';

	# from a file, since the test does something else meanwhile
	append_to_file($file, $query);
	$session{run} = IPC::Run::start(
		['psql', '-X', '-q', '-A', '-t', '-f', $file, '-d', $node->connstr('postgres')],
		'<', \undef, '>', \$session{out}, '2>', \$session{err},
		IPC::Run::timeout(120));
	return \%session;
}

sub finish
{
	my ($session) = @_;

	$session->{run}->finish;
	chomp $session->{out};
	return $session->{out};
}

# Waits until a query says t.
sub wait_until
{
	my ($query, $what) = @_;

	ok($node->poll_query_until('postgres', $query), $what);
}

sub daemon_pid
{
	return answer("SELECT max(pid) FROM gpuagg_devices WHERE state = 'up'");
}

# Returns the processes of gpuaggd of this cluster.
sub daemons
{
	my $data = $node->data_dir;

	return grep {
		my $exe = readlink("$_/exe") // '';
		my $cwd = readlink("$_/cwd") // '';
		$exe =~ m{/gpuaggd( \(deleted\))?$} && $cwd eq $data
	} glob('/proc/[0-9]*');
}

# Starts gpuaggd with these faults, and waits until it is up.
sub with_faults
{
	my ($faults) = @_;

	# another text than the last one, so that it is another gpuaggd
	$faults = join(',', $faults || (), $n_faults++ % 2 ? 'slow_launch=0' : ()) || 'hang_launch=0';
	$node->append_conf('postgresql.conf', "gpuagg.emulated_faults = '$faults'");
	$node->reload;
	for (1 .. 200)
	{
		# the first query of a session starts it if it does not run
		attempt('SET gpuagg.engine = gpu; SELECT 1 FROM gpu_cumsum(ARRAY[]::int[])');
		my $pid = daemon_pid() || 0;
		my $line = $pid ? (eval { slurp_file("/proc/$pid/cmdline") } // '') : '';
		return $pid if $line =~ /faults=\Q$faults\E\0/;
		usleep(50_000);
	}
	die "gpuaggd did not start with '$faults'";
}

my ($status, $out, $err);
my $fallbacks = q{SELECT coalesce(string_agg(reason || ' ' || arrays, ', ' ORDER BY reason), 'none')
	FROM gpuagg_session_stat WHERE engine = 'cpu' AND arrays > 0};
my $work = q{SELECT gpu_sum(x)::text || ' ' || count(*) FROM series};

# arrays that do not stay on the device
my $sent = q{SELECT gpu_sum(x || '{}')::text || ' ' || count(*) FROM series};

answer('CREATE EXTENSION gpuagg');
answer(q{CREATE TABLE series (id int, x float8[])});
answer(q{ALTER TABLE series ALTER x SET STORAGE external});
answer(q{INSERT INTO series SELECT g, (SELECT array_agg(sin(g * 1000.0 + i) * 10 ^ (i % 40 - 20)::float8)
	FROM generate_series(1, 5000) i) FROM generate_series(1, 200) g});
my $right = answer("SET gpuagg.engine = cpu; $work");
my $cumsum = q{SELECT md5(string_agg(gpu_array_cumsum(x)::text, ',' ORDER BY id)) FROM series};
my $right_totals = answer("SET gpuagg.engine = cpu; $cumsum");

# --- started on demand, without preloading
is(answer('SHOW shared_preload_libraries'), '', 'nothing is preloaded');
is(answer('SELECT state, device FROM gpuagg_devices'), 'none|', 'nothing runs before it is wanted');
is(answer("SET gpuagg.min_gpu_size = '1MB'; $work"), $right, 'auto without a device');
is(answer('SELECT state FROM gpuagg_devices'), 'none', 'and small arrays do not start it');

# ten at once
my @sessions = map { begin("SET gpuagg.engine = gpu; $work; $fallbacks;") } 1 .. 10;
is(finish($_), "$right\nnone", 'one of ten sessions that start it at once') for @sessions;
is(scalar(daemons()), 1, 'there is one gpuaggd');
is(answer('SELECT state, kind, restarts FROM gpuagg_devices'), 'up|emulated|0', 'and it is up');
like($sessions[0]{err}, qr/^$/, 'no session was told anything');

is(answer("SET gpuagg.engine = gpu; $cumsum"), $right_totals, 'running totals by the device');

# --- exclusive totals are the inclusive ones, moved on by one place: of arrays
# of several segments, sent and resident, with NULLs between the segments and
# without
answer(q{CREATE TABLE long (kind text, a int[])});
answer(q{ALTER TABLE long ALTER a SET STORAGE external});
answer(q{INSERT INTO long SELECT 'plain', array_agg(i % 1000 - 400 ORDER BY i) FROM generate_series(1, 300000) i
	UNION ALL SELECT 'with NULLs', array_agg(CASE WHEN i % 7 > 0 THEN i % 1000 - 400 END ORDER BY i)
		FROM generate_series(1, 300000) i});
for my $type (qw(smallint integer bigint real float8))
{
	my $shifted = qq{SELECT kind, e[1]::text || ' ' || (e[2:] = coalesced[:299999])::text || ' ' || md5(e::text)
		FROM (SELECT kind, gpu_array_cumsum(a::${type}[], true) AS e, ARRAY(SELECT coalesce(t, 0)
			FROM gpu_cumsum(a::${type}[]) WITH ORDINALITY u(t, o) ORDER BY o) AS coalesced FROM long) q ORDER BY kind};
	my $by_cpu = answer("SET gpuagg.engine = cpu; $shifted");

	like($by_cpu, qr/^plain\|0 true .*\nwith NULLs\|0 true /, "exclusive totals of $type by the CPU");
	is(answer("SET gpuagg.engine = gpu; $shifted; $fallbacks"), "$by_cpu\nnone", '... and by the device');
}
is( answer(q{SET gpuagg.engine = gpu; SELECT md5((gpu_array_cumsum(a, true))::text) FROM long ORDER BY kind}),
	answer(q{SET gpuagg.engine = cpu; SELECT md5((gpu_array_cumsum(a, true))::text) FROM long ORDER BY kind}),
	'... and of resident arrays');

# an overflow at the last element is none of an exclusive total's, in the last
# segment and at the end of the first
for my $n (65536, 65537, 100000, 300000)
{
	my $array = "array_fill(0::float8, ARRAY[$n - 2]) || ARRAY[1.5e308, 1.5e308]";

	is( answer("SET gpuagg.engine = gpu; SELECT (gpu_array_cumsum($array, true))[$n]; "
			. "SELECT t FROM gpu_cumsum($array, true) WITH ORDINALITY u(t, o) WHERE o = $n; $fallbacks"),
		"1.5e+308\n1.5e+308\nnone", "an overflow at the last of $n elements");
	like((attempt("SET gpuagg.engine = gpu; SELECT cardinality(gpu_array_cumsum(($array) || 0::float8, true))"))[2],
		qr/out of range/, '... which is an error one element later');
}
is( answer('SET gpuagg.engine = gpu; '
		. q{SELECT right(gpu_array_cumsum(array_fill(0::float8, ARRAY[99998]) || '{NaN,-Infinity,1}', true)::text, 10), }
		. q{right(gpu_array_cumsum(array_fill(0::float8, ARRAY[99998]) || '{Infinity,-Infinity,1}', true)::text, 15), }
		. q{left(gpu_array_cumsum('{-0,-0,-0}'::float8[] || array_fill(1::float8, ARRAY[99998]), true)::text, 12)}),
	'0,NaN,NaN}|0,Infinity,NaN}|{0,-0,-0,-0,', 'NaN, infinities and minus zeros behind the first segment');
is( answer("SET gpuagg.engine = gpu; $work; SELECT arrays, elements FROM gpuagg_session_stat WHERE engine = 'gpu'"),
	"$right\n200|1000000", 'all of it is counted');

# --- auto: by where an array is stored, and its size
is( answer("SET gpuagg.min_gpu_size = 0; $work; SELECT arrays FROM gpuagg_session_stat WHERE engine = 'gpu'"),
	"$right\n200", 'auto sends large stored arrays');
is( answer("SET gpuagg.min_gpu_size = '1MB'; $work; $fallbacks"),
	"$right\nsmaller than gpuagg.min_gpu_size 200", 'auto keeps small ones');
is( answer("SET gpuagg.min_gpu_size = 0; SELECT gpu_array_sum(ARRAY[1, 2, 3]); $fallbacks"),
	"6\nnot stored out of line 1", 'and those that are not stored');
is( answer("SET gpuagg.engine = cpu; $work; $fallbacks"),
	"$right\ngpuagg.engine is cpu 200", 'cpu is the CPU');

# --- CUDA is in no process of PostgreSQL
my $backend_maps = answer("SET gpuagg.engine = gpu; $work; SELECT pg_read_file('/proc/self/maps')");
unlike($backend_maps, qr/libcuda|nvidia/, 'no CUDA in a backend');
my ($parent) = slurp_file('/proc/' . daemon_pid() . '/status') =~ /^PPid:\s+(\d+)/m;
unlike(slurp_file("/proc/$parent/maps"), qr/libcuda|nvidia/, 'nor in the supervisor');

# --- leaks
# Sockets and shared memory of sessions, and all others: a lease that is used for
# the first time adds some of those.
sub descriptors
{
	my $pid = daemon_pid();
	usleep(300_000);    # gpuaggd may not have seen yet that a session has ended
	my @links = map { readlink // () } glob "/proc/$pid/fd/*";
	my $n = grep { /^socket:|memfd:/ } @links;
	return ($n, @links - $n);
}
my ($before, $others) = descriptors();
for (1 .. 50)
{
	answer("SET gpuagg.engine = gpu; $work");
}
wait_until('SELECT sessions = 0 FROM gpuagg_devices', 'sessions that ended are gone');
my ($after, $others_after) = descriptors();
is($after, $before, 'gpuaggd keeps no descriptors of theirs');
cmp_ok($others_after - $others, '<', 25, 'nor makes one for each');
is(answer('SELECT leases FROM gpuagg_devices'), '0', 'and no leases');

# --- what a session keeps, also when gpuaggd comes and goes
# Sockets, memory and events: the server opens files of relations as it likes.
my $keeps = "SELECT pg_backend_pid() AS pid \\gset\n\\setenv BACKEND :pid\n"
  . "\\! ls -l /proc/\$BACKEND/fd | grep -cE 'socket:|memfd:|anon_inode:'\n";
my $maps = q{SELECT count(*) FROM regexp_matches(pg_read_file('/proc/self/maps'), 'memfd:gpuagg', 'g'); };
my $cycle = "SELECT gpu_array_sum(ARRAY[1]) \\g /dev/null\nSELECT pg_terminate_backend(0) WHERE false;\n"
  . "\\! kill -KILL \$(sed -n 's/^daemon_pid //p' " . $node->data_dir . "/pg_stat_tmp/gpuagg.status)\n"
  . "SELECT pg_sleep(0.1) \\g /dev/null\nSELECT pg_reload_conf() \\g /dev/null\n";
my @kept = split /\n/, answer("SET gpuagg.engine = gpu; SET client_min_messages = error;\n"
	  . "SELECT gpu_array_sum(ARRAY[1]) \\g /dev/null\n$keeps\n$maps\n"
	  . $cycle x 5 . "SELECT gpu_array_sum(ARRAY[1]) \\g /dev/null\n$keeps\n$maps\n");
cmp_ok($kept[0], '>', 0, 'a session has descriptors');
is($kept[2], $kept[0], "a session keeps as many descriptors after five gpuaggds: $kept[0]");
is("$kept[1] $kept[3]", '5 5', 'and its lookup slots and a lease');

# --- a query is cancelled while requests are under way: its lease comes back
my $slow = with_faults('slow_launch=400');
($status, $out, $err) = attempt("SET gpuagg.engine = gpu; SET statement_timeout = '150ms'; $sent");
like($err, qr/canceling statement due to statement timeout/, 'a query is cancelled');
wait_until('SELECT leases = 0 AND sessions = 0 FROM gpuagg_devices', 'its lease comes back');
is(daemon_pid(), $slow, 'from the same gpuaggd');

# --- gpuaggd is killed in the middle of a request
my $pid = with_faults('hang_launch=3');
my $victim = begin("SET gpuagg.engine = gpu; $sent; $fallbacks;");
wait_until('SELECT leases >= 1 FROM gpuagg_devices', 'a session is at work');
# it waits for what hangs, so that the other session's request is not the third
wait_until(q{SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event IN ('GpuaggDevice', 'Extension') AND backend_type = 'client backend'},
	'and waits for the device');
usleep(300_000);
my $other = begin("SET gpuagg.engine = gpu; SELECT pg_sleep(3); SELECT gpu_array_sum(ARRAY[1, 2, 3]);");
wait_until(q{SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'}, 'another one is there');
kill 'KILL', $pid;
my $killed = time;
like(finish($victim), qr/^\Q$right\E\ngpuaggd went away \d+$/, 'its query gets the right answer from the CPU');
like($victim->{err}, qr/WARNING:  the CPU goes on with a query: gpuaggd went away/, 'and says so');
my $is_back = within(20, sub { my $now = daemon_pid(); $now && $now != $pid });
ok(defined $is_back, sprintf('it is back (%.2f s)', time - $killed));
is((split /\n/, finish($other))[-1], '6', 'another session goes on');

# --- it crashes
$pid = with_faults('crash_launch=2');
($status, $out, $err) = attempt("SET gpuagg.engine = gpu; $sent; $fallbacks");
like($out, qr/^\Q$right\E\ngpuaggd went away \d+$/, 'a crash of gpuaggd changes nothing');

# --- a launch fails, and memory
with_faults('fail_launch=2');
($status, $out, $err) = attempt("SET gpuagg.engine = gpu; $sent; $fallbacks");
like($out, qr/^\Q$right\E\n.*the device failed \d+/, 'nor does a launch that fails');
like($err, qr/WARNING:  58000: the CPU goes on with a query: the device failed/, 'with its SQLSTATE');
my @warnings = $err =~ /WARNING/g;
is(scalar @warnings, 1, 'which is said once');
with_faults('fail_launch=2');
($status, $out, $err) = attempt("SET gpuagg.engine = gpu; $cumsum;");
is($out, $right_totals, 'running totals go on behind the segments that were done');
with_faults('fail_allocation=1');
($status, $out, $err) = attempt("SET gpuagg.engine = gpu; $sent; $fallbacks");
like($out, qr/^\Q$right\E\nout of device memory \d+$/, 'nor does a lack of device memory');

# --- the device hangs
sub hang_with
{
	my ($settings, $query) = @_;

	with_faults('hang_launch=1');
	return begin("SET gpuagg.engine = gpu; $settings; $query;");
}

# Cancels the session that hangs; milliseconds until it is at rest.  The first
# turn cancels no session: it plans the queries.
sub cancel_hanging
{
	return answer(q{
		DO $$ DECLARE start timestamptz; who text; BEGIN
			FOREACH who IN ARRAY ARRAY['nobody', 'hangs'] LOOP
				start := clock_timestamp();
				PERFORM pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = who;
				WHILE EXISTS (SELECT FROM pg_stat_activity WHERE application_name = who AND state = 'active') LOOP
					PERFORM pg_stat_clear_snapshot(), pg_sleep(0.0005);
				END LOOP;
			END LOOP;
			PERFORM set_config('my.took', (extract(epoch FROM clock_timestamp() - start) * 1000)::text, false);
		END $$;
		SELECT current_setting('my.took')::float8;});
}

my $session = hang_with("SET statement_timeout = '300ms'", $work);
finish($session);
my $took = time - $session->{started};
like($session->{err}, qr/canceling statement due to statement timeout/, 'statement_timeout while the device hangs');
ok($took < 5, sprintf('at once (%.3f s)', $took));

# A processor that others use may be late, but not each time.
for (1 .. 10)
{
	$session = hang_with("SET application_name = 'hangs'", "$work; SELECT 'still here'");
	wait_until('SELECT leases >= 1 FROM gpuagg_devices', 'a session hangs');
	usleep(200_000);
	$took = cancel_hanging();
	last if $took < 10;
	finish($session);
}
ok($took < 10, sprintf('a cancellation is answered within 10 ms (%.1f ms)', $took));
like(finish($session), qr/still here/, 'and the session goes on');
like($session->{err}, qr/canceling statement due to user request/, 'after the error');

$session = hang_with("SET application_name = 'hangs'", $work);
wait_until('SELECT leases >= 1 FROM gpuagg_devices', 'a session hangs');
usleep(100_000);
answer("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'hangs'");
eval { finish($session) };
like($session->{err}, qr/terminating connection due to administrator command/, 'a session is terminated while it hangs');

$session = hang_with("SET gpuagg.request_timeout = '300ms'", "$work; $fallbacks");
like(finish($session), qr/^\Q$right\E\na request took too long \d+$/, 'request_timeout: the CPU does it');

# --- a backend dies in the middle
$session = hang_with("SET application_name = 'dies'", $work);
wait_until('SELECT leases >= 1 FROM gpuagg_devices', 'a session is at work');
crash($node, answer("SELECT pid FROM pg_stat_activity WHERE application_name = 'dies'"));
eval { finish($session) };
is(answer($work), $right, 'after a crash the server is there again');
with_faults('');
is(answer("SET gpuagg.engine = gpu; $work"), $right, 'and starts gpuaggd when it is wanted');
is(scalar(daemons()), 1, 'there is one');

# --- another version
with_faults('wrong_version=1');
($status, $out, $err) = attempt("SET gpuagg.engine = gpu; $work");
like($err, qr/ERROR:  58000: .*gpuaggd of another version/, 'another version is refused');
like($err, qr/HINT:  After an upgrade reconnect, and end the gpuaggd that ran before/, 'with a hint');
is( answer("SET gpuagg.min_gpu_size = 0; $work; $fallbacks"),
	"$right\ngpuaggd of another version 200", 'and auto takes the CPU');

# --- more sessions that move data than leases
$node->append_conf('postgresql.conf', "gpuagg.staging_size = '8MB'");
with_faults('hang_launch=1');
$session = begin("SET gpuagg.engine = gpu; SET application_name = 'hangs'; $sent;");
wait_until('SELECT leases = 1 FROM gpuagg_devices', 'one has the only lease');
is( answer("SET gpuagg.min_gpu_size = 0; $work; $fallbacks"),
	"$right\nno staging memory 200", 'auto waits for it for a moment');
is( answer("SET gpuagg.engine = gpu; SET gpuagg.request_timeout = '200ms'; $work; $fallbacks"),
	"$right\nno staging memory 200", 'gpu waits for a while');
cancel_hanging();
finish($session);
with_faults('');
@sessions = map { begin("SET gpuagg.engine = gpu; $work;") } 1 .. 6;
is(finish($_), $right, 'sessions take turns with one lease') for @sessions;

my $idle = begin("SET gpuagg.engine = gpu; SELECT gpu_array_cumsum(ARRAY[1, 2]); "
	  . "SELECT gpu_array_sum(ARRAY[]::int[]); SELECT pg_sleep(2);");
wait_until(q{SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'}, 'one is at rest');
is(answer('SELECT sessions, leases FROM gpuagg_devices'), '1|0', 'a session at rest keeps none of the last ones');
is(answer("SET gpuagg.min_gpu_size = 0; $work; $fallbacks"), "$right\nnone", 'so that others get it');
finish($idle);

# a session that is busy all the time, while gpuaggd is not there yet
with_faults('hang_launch=0');
kill 'KILL', daemon_pid();
kill 'KILL', daemon_pid() || ();
$session = begin("SET gpuagg.min_gpu_size = 0;\n"
	  . "SELECT gpu_sum(x) FROM series WHERE id < 3 \\g /dev/null\nSELECT pg_sleep(0.05) \\g /dev/null\n" x 60
	  . "SELECT arrays >= 40 FROM gpuagg_session_stat WHERE engine = 'gpu';");
is(finish($session), 't', 'a busy session comes back to the device');

# --- gpuagg.device is none, or another one after a reload
$node->append_conf('postgresql.conf', "gpuagg.device = 'none'");
$node->reload;
wait_until("SELECT state = 'off' FROM gpuagg_devices", 'device = none stops it');
($status, $out, $err) = attempt("SET gpuagg.engine = gpu; $work");
like($err, qr/ERROR:  58000: .*no device\nDETAIL:  gpuagg.device is none/, 'then gpu is an error');
is( answer("SET gpuagg.min_gpu_size = 0; $work; $fallbacks"),
	"$right\nno device 200", 'and auto is the CPU');

SKIP:
{
	skip 'there is a GPU', 4 if -e '/dev/nvidia0';
	$node->append_conf('postgresql.conf', "gpuagg.device = 'auto'");
	$node->reload;
	my $start = time;
	($status, $out, $err) = attempt("SET gpuagg.engine = gpu; $work");
	like($err, qr/ERROR:  58000: .*no device\nDETAIL: /, 'no driver: an error that says why');
	ok(time - $start < 5, 'soon');
	is( answer("SET gpuagg.min_gpu_size = 0; $work; SELECT sum(arrays) FROM gpuagg_session_stat WHERE engine = 'cpu'"),
		"$right\n200", 'auto goes on without');
	wait_until("SELECT state = 'absent' AND reason <> '' FROM gpuagg_devices", 'and the view says why');
}

# --- no worker slot
$node->append_conf('postgresql.conf', "gpuagg.device = 'emulated'\nmax_worker_processes = 0");
$node->restart;
($status, $out, $err) = attempt("SET gpuagg.engine = gpu; $work");
like($err, qr/ERROR:  58000: .*no background worker slot/, 'no worker slot: an error that says so');
is( answer("SET gpuagg.min_gpu_size = 0; $work; $fallbacks"),
	"$right\nno background worker slot 200", 'auto takes the CPU');

$node->stop;
is(scalar(daemons()), 0, 'nothing is left behind');
done_testing();
