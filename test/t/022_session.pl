# 022_session.pl: a session's connection to gpuaggd, in the course of its life.

use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use GpuaggCluster qw(within);

# One lease of staging memory, which sessions have in turn.
my $node = GpuaggCluster->create('session',
	settings => [ "gpuagg.staging_size = '8MB'", 'max_prepared_transactions = 1' ]);

$node->answer(q{
	CREATE TABLE t (a float8[]);
	ALTER TABLE t ALTER a SET STORAGE EXTERNAL;
	INSERT INTO t SELECT array_fill(i / 8.0::float8, ARRAY[20000]) FROM generate_series(1, 20) i;
	CREATE VIEW fallbacks AS SELECT coalesce(sum(arrays), 0) AS n FROM gpuagg_session_stat WHERE engine = 'cpu'});

# A gpuaggd that was replaced while the session was idle is no failure: the next
# query connects to the new one.
my $session = $node->session('SET gpuagg.min_gpu_size = 0');
is($session->ask('SELECT gpu_sum(a) FROM t'), '525000', 'a session uses gpuaggd');
my $old = $node->signal_daemon('KILL');
$node->await_daemon($old);
is($session->ask('SELECT gpu_sum(a), (SELECT n FROM fallbacks) FROM t'), '525000|0', 'and the next one, after a while without queries');
is($session->{err}, '', 'without a warning');

# What an error cancelled is not asked for any more, while its transaction goes on.
$node->answer('CREATE TABLE other AS SELECT array_fill(0.5::float8, ARRAY[20000]) AS a');
is( $session->ask(qq{BEGIN;
		SELECT gpu_sum(a) FROM t;
		SELECT hits AS before FROM gpuagg_cache WHERE relation = 't'::regclass \\gset
		DO \$\$ BEGIN
			PERFORM gpu_sum(a) FILTER (WHERE 1 / (20 - i) IS NOT NULL) FROM (SELECT row_number() OVER () AS i, a FROM t) q;
		EXCEPTION WHEN division_by_zero THEN END \$\$;
		SELECT gpu_sum(a) FROM other;
		SELECT hits - :before FROM gpuagg_cache WHERE relation = 't'::regclass;
		COMMIT}),
	"525000\n10000\n0", 'arrays of a query that failed are not asked for');

# Each connection of a view is given back to the server's count of descriptors.
is( $session->ask(q{DO $$ BEGIN FOR i IN 1..1000 LOOP PERFORM * FROM gpuagg_stat; END LOOP; END $$;
		SELECT count(*) FROM gpuagg_stat}),
	'1', 'a view can be asked a thousand times');

# What a session waits for has a name, where the server has names for modules.
my $named = $node->answer("SELECT current_setting('server_version_num')::int >= 170000") eq 't';
$node->with_faults('slow_launch=3000');
$session->begin('SELECT gpu_sum(a) FROM t');
ok( $node->poll_query_until('postgres',
		"SELECT wait_event = '" . ($named ? 'GpuaggDevice' : 'Extension') . "' FROM pg_stat_activity WHERE pid = $session->{pid}"),
	'a session waits for the device');
is($session->end, '525000', 'and gets its sum');
ok( $node->poll_query_until('postgres',
		"SELECT wait_event = '" . ($named ? 'GpuaggMain' : 'Extension') . "' FROM pg_stat_activity WHERE backend_type LIKE 'gpuagg%'"),
	'the supervisor waits for something to do');
$node->with_faults('');

# A prepared transaction has no session, and the session no lease for it.
$session->ask(q{BEGIN; SELECT gpu_sum(a) FROM t; PREPARE TRANSACTION 'p'});
is($node->answer('SET gpuagg.min_gpu_size = 0; SELECT gpu_sum(a), (SELECT n FROM fallbacks) FROM t'),
	'525000|0', 'PREPARE TRANSACTION releases the lease');
$node->answer(q{ROLLBACK PREPARED 'p'});
$session->close;

$node->stop;
done_testing();
