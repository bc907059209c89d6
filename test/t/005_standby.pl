# 005_standby.pl: the device on a hot standby, and through its promotion.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Return a letter: Z is a process that has ended, and that init has not looked at
# yet.  Without a process there is none.
sub process_state
{
	my ($pid) = @_;

	open my $file, '<', "/proc/$pid/stat" or return '';
	return (<$file> // '') =~ /\) (\w) / ? $1 : '';
}

my $primary = PostgreSQL::Test::Cluster->new('primary');
$primary->init(allows_streaming => 1);
$primary->append_conf('postgresql.conf', "gpuagg.device = 'emulated'");
$primary->start;

my $work = 'SELECT gpu_sum(x) || \' \' || md5(string_agg(gpu_array_cumsum(x)::text, \',\' ORDER BY id)) FROM series';
my $counted = q{SELECT arrays FROM gpuagg_session_stat WHERE engine = 'gpu'};

$primary->safe_psql('postgres', <<'SQL');
CREATE EXTENSION gpuagg;
CREATE TABLE series AS SELECT g AS id, (SELECT array_agg(sin(g * 1000.0 + i) * 10 ^ (i % 40 - 20)::float8)
	FROM generate_series(1, 5000) i) AS x FROM generate_series(1, 20) g;
SQL
my $right = $primary->safe_psql('postgres', "SET gpuagg.engine = cpu; $work");

# while gpuaggd of the primary runs: the backup must not have its socket
is($primary->safe_psql('postgres', "SET gpuagg.engine = gpu; $work"), $right, 'the primary');
$primary->backup('backup');

my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'backup', has_streaming => 1);
ok(!-e $standby->data_dir . '/pg_stat_tmp/gpuagg.status', 'a base backup has nothing of gpuaggd');
$standby->start;
is($standby->safe_psql('postgres', 'SELECT pg_is_in_recovery()'), 't', 'a standby');
is($standby->safe_psql('postgres', 'SELECT state FROM gpuagg_devices'), 'none', 'has no gpuaggd yet');
is($standby->safe_psql('postgres', "SET gpuagg.engine = gpu; $work; $counted"), "$right\n40",
	'and starts its own when it is wanted');
my $of_primary = $primary->safe_psql('postgres', 'SELECT pid FROM gpuagg_devices');
my $of_standby = $standby->safe_psql('postgres', 'SELECT pid FROM gpuagg_devices');
isnt($of_standby, $of_primary, 'which is another process');

# replayed rows are seen
$primary->safe_psql('postgres', q{INSERT INTO series VALUES (21, '{1e300,1,-1e300}')});
$primary->wait_for_catchup($standby);
is($standby->safe_psql('postgres', "SET gpuagg.engine = gpu; $work"),
	$primary->safe_psql('postgres', "SET gpuagg.engine = cpu; $work"), 'rows that were replayed');

$standby->promote;
$standby->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()');
is($standby->safe_psql('postgres', 'SELECT pid FROM gpuagg_devices'), $of_standby, 'gpuaggd stays through promotion');
$standby->safe_psql('postgres', q{INSERT INTO series VALUES (22, '{0.1,0.2}')});
is($standby->safe_psql('postgres', "SET gpuagg.engine = gpu; $work"),
	$standby->safe_psql('postgres', "SET gpuagg.engine = cpu; $work"), 'and works after it');

$standby->stop;
$primary->stop('immediate');
ok(!-d "/proc/$of_standby", 'gpuaggd ends with its server') if $of_standby;
for (1 .. 100) { last if process_state($of_primary) =~ /^Z?$/; select undef, undef, undef, 0.1 }
like(process_state($of_primary), qr/^Z?$/, 'and so does the other, of a server that was stopped immediately');
done_testing();
