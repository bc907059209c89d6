# 024_descriptors.pl: a limit of descriptors that is lower than the sessions.
#
# gpuaggd may have 32 more of them than it has with one session, of which it keeps
# 16 for requests.  Sessions beyond that use the CPU at once, and know why; the
# others go on; and when some end, there is capacity again.

use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use GpuaggCluster qw(within);

my $node = GpuaggCluster->create('descriptors', preload => 0,
	settings => [ 'gpuagg.min_gpu_size = 0', "gpuagg.request_timeout = '5s'" ]);
my $log = $node->log_end;

$node->answer(q{
	CREATE TABLE t (a float8[]);
	ALTER TABLE t ALTER a SET STORAGE EXTERNAL;
	INSERT INTO t SELECT array_fill(i / 8.0::float8, ARRAY[20000]) FROM generate_series(1, 20) i;
	CREATE VIEW engines AS SELECT string_agg(coalesce(reason, 'device'), ', ' ORDER BY reason)
		FROM gpuagg_session_stat WHERE arrays > 0;
	SET gpuagg.engine = gpu;
	SELECT gpu_array_sum('{1}'::int[])});
my $daemon = $node->await_daemon;
my ($last) = sort { $b <=> $a } map { /(\d+)$/ } glob "/proc/$daemon/fd/*";
my $limit = $last + 32;
system('prlimit', "--pid=$daemon", "--nofile=$limit:$limit") == 0 or die 'prlimit';
my $query = 'SELECT gpu_sum(a) FROM t; SELECT * FROM engines';
my @sessions = map { $node->session } 1 .. 40;
my @answers = map { $_->ask($query) } @sessions;
my @by_cpu = grep { $answers[$_] =~ /too many sessions/ } 0 .. $#sessions;

is(join("\n", grep { !/^525000\n(device|gpuaggd has too many sessions)$/ } @answers), '', 'every session has its sum');
cmp_ok(scalar @by_cpu, '>', 10, 'many by the CPU, since there are too many');
cmp_ok(scalar @by_cpu, '<', 35, 'and some by the device');
my ($quickest) = sort { $a <=> $b } map { $sessions[$_]{seconds} } @by_cpu;
cmp_ok($quickest, '<', 0.5, sprintf('without waiting (%.3f s)', $quickest));
is(join('', map { $_->{err} } @sessions), '', 'and without a warning');
ok($node->log_since($log, qr/WARNING:  gpuaggd: connections are refused: \d+ sessions, and the limit of descriptors .* is $limit/),
	'the log says why');
is($sessions[0]->ask($query), "525000\ndevice", 'the first one goes on');
my $refused = $sessions[ $by_cpu[0] ];
$sessions[$_]->close foreach grep { $_ < $by_cpu[0] } 0 .. $#sessions;
ok(within(20, sub { $refused->ask($query) =~ /device/ }), 'one that was refused gets the place of one that ended');
$_->close foreach @sessions[ $by_cpu[0] .. $#sessions ];

$node->stop;
done_testing();
