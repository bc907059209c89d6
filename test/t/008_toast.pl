# 008_toast.pl: a large stored array does not evict all other buffers.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('toast');
$node->init;
$node->append_conf('postgresql.conf', <<'CONF');
shared_buffers = 8MB
max_parallel_workers_per_gather = 0
autovacuum = off
bgwriter_lru_maxpages = 0
gpuagg.engine = cpu
gpuagg.device = emulated
CONF
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION gpuagg;
	CREATE TABLE hot AS SELECT i, repeat('x', 1000) AS x FROM generate_series(1, 1600) i;
	CREATE TABLE cold (a float8[]);
	ALTER TABLE cold ALTER a SET STORAGE EXTERNAL;
	INSERT INTO cold SELECT array_fill(0.5::float8, ARRAY[5000000]);
	VACUUM hot, cold;
	CHECKPOINT});
$node->restart;

# Pages that a count of the small table, 1.8 MB, has to read from disk.
my $reads = q{EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF) SELECT count(*) FROM hot};
my $sum = 'SELECT gpu_array_sum(a) FROM cold';

$node->safe_psql('postgres', $reads) for 1 .. 3;
is($node->safe_psql('postgres', $sum), '2500000', 'an array of 40 MB with buffers of 8 MB');
unlike($node->safe_psql('postgres', $reads), qr/Seq Scan on hot.*shared[^\n]* read=/s,
	'the buffers of a small table are still there');

is($node->safe_psql('postgres', "$sum; $sum"), "2500000\n2500000", 'once more, twice');
unlike($node->safe_psql('postgres', $reads), qr/Seq Scan on hot.*shared[^\n]* read=/s,
	'... and they still are');

# Each relation has its own way of reading, also where arrays of several are loaded
# one after the other.
$node->safe_psql('postgres', q{
	CREATE TABLE little (a float8[]);
	ALTER TABLE little ALTER a SET STORAGE EXTERNAL;
	INSERT INTO little SELECT array_fill(0.5::float8, ARRAY[1000])});
$node->safe_psql('postgres', $reads) for 1 .. 3;
is($node->safe_psql('postgres', q{
	SET gpuagg.engine = gpu;
	SELECT gpu_sum(a) FROM (SELECT a FROM little UNION ALL SELECT a FROM cold) arrays;
	SELECT misses, streamed FROM gpuagg_stat}), "2500500\n2|0", 'a small array and the large one are loaded');
unlike($node->safe_psql('postgres', $reads), qr/Seq Scan on hot.*shared[^\n]* read=/s,
	'the buffers of the small table are still there');

# An array that was stored before the server crashed, and is read after.
$node->safe_psql('postgres', 'INSERT INTO cold SELECT array_fill(0.25::float8, ARRAY[100000])');
$node->stop('immediate');
$node->start;
is($node->safe_psql('postgres', 'SELECT gpu_sum(a) FROM cold'), '2525000', 'after a crash');

$node->stop;
done_testing();
