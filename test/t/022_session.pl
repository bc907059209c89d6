# 022_session.pl: a session's connection to gpuaggd, in the course of its life.

use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use GpuaggCluster qw(within);

my $node = GpuaggCluster->create('session');

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
$session->close;

$node->stop;
done_testing();
