# 009_resident.pl: what happens to stored arrays while they are resident.
#
# For each statement that changes a table, and each kind of plan: the sum by the
# device is that by the CPU and that of SUM() over unnest, and the counters say
# what was loaded.  All numbers are multiples of 1/8, so that SUM() is exact, too.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('resident');
$node->init;
$node->append_conf('postgresql.conf', <<'CONF');
gpuagg.device = 'emulated'
gpuagg.engine = gpu
gpuagg.cache_size = 64MB
gpuagg.staging_size = 64MB
gpuagg.request_timeout = 5s
autovacuum = off
max_parallel_workers_per_gather = 0
default_toast_compression = pglz
log_statement = none
CONF
$node->start;

sub answer
{
	my ($query, $database) = @_;

	return $node->safe_psql($database // 'postgres', $query);
}

# Runs $query by the device; returns its answer, and how many arrays were
# resident, and how many were not.
sub counted
{
	my ($query, $database) = @_;
	my @lines = split /\n/, answer("SELECT gpuagg_stat_reset() \\g /dev/null\n$query;\n" .
		'SELECT hits, misses FROM gpuagg_stat', $database);
	my ($hits, $misses) = split /\|/, pop @lines;

	return (join("\n", @lines), $hits, $misses);
}

# Sums column a of some rows in three ways, and checks that they agree.
sub agrees
{
	my ($rows, $what, $database, $sum) = @_;
	my $cpu = answer("SET gpuagg.engine = cpu; SELECT gpu_sum(a) FROM $rows", $database);
	my $server = answer("SELECT sum(x) FROM (SELECT a FROM $rows) r, unnest(a) x", $database);

	is("$sum $cpu", "$server $server", "$what: the sums");
}

# Checks that all of these arrays are resident, and nothing is loaded.
sub hits
{
	my ($n, $rows, $what, $database) = @_;
	my ($sum, $hits, $misses) = counted("SELECT gpu_sum(a) FROM $rows", $database);

	agrees($rows, $what, $database, $sum);
	is("$hits $misses", "$n 0", "$what: found");
}

# Checks that none of these arrays is resident; the next time, all are.
sub misses
{
	my ($n, $rows, $what, $database) = @_;
	my ($sum, $hits, $misses) = counted("SELECT gpu_sum(a) FROM $rows", $database);

	agrees($rows, $what, $database, $sum);
	is($misses, $n, "$what: loaded");
	hits($n, $rows, "$what, again", $database);
}

my $functions = <<SQL;
CREATE EXTENSION gpuagg;
CREATE FUNCTION next_oid() RETURNS oid AS '$ENV{GPUAGG_TEST_MODULE}' LANGUAGE C STRICT;
CREATE FUNCTION set_next_oid(oid) RETURNS oid AS '$ENV{GPUAGG_TEST_MODULE}' LANGUAGE C STRICT;
CREATE FUNCTION toast_spoil(anyarray, integer, text) RETURNS integer
	AS '$ENV{GPUAGG_TEST_MODULE}' LANGUAGE C STRICT;
CREATE FUNCTION numbers(id integer, n integer) RETURNS float8[] LANGUAGE sql AS
	'SELECT array_agg(id * 1000 + i / 8.0::float8 ORDER BY i) FROM generate_series(1, n) i';
SQL
answer($functions . <<'SQL');
CREATE TABLE t (id integer PRIMARY KEY, g integer, a float8[]);
ALTER TABLE t ALTER a SET STORAGE EXTERNAL;
INSERT INTO t SELECT i, i % 3, numbers(i, 2000 + i) FROM generate_series(1, 12) i;
SELECT gpu_array_sum('{1}'::int[]);
SQL
$node->poll_query_until('postgres', "SELECT state = 'up' FROM gpuagg_devices");

# --- events
misses(12, 't', 'a table that was made');
answer('VACUUM t');
hits(12, 't', 'VACUUM');
answer('VACUUM (FREEZE) t');
hits(12, 't', 'VACUUM (FREEZE)');
answer('VACUUM FULL t');
hits(12, 't', 'VACUUM FULL');
answer('CLUSTER t USING t_pkey');
hits(12, 't', 'CLUSTER');
answer('REINDEX TABLE t');
hits(12, 't', 'REINDEX');
answer('UPDATE t SET g = g + 1');
hits(12, 't', 'UPDATE of another column');
answer('UPDATE t SET a = a || 0.5::float8 WHERE id <= 5');
misses(5, 't WHERE id <= 5', 'UPDATE of the array');
hits(12, 't', 'the others');
answer('DELETE FROM t WHERE id = 12');
hits(11, 't', 'DELETE');
answer('BEGIN; UPDATE t SET a = numbers(0, 2500); SELECT gpu_sum(a) FROM t; ROLLBACK');
hits(11, 't', 'a transaction that was rolled back');
answer('ALTER TABLE t ALTER g TYPE bigint');
misses(11, 't', 'ALTER TABLE that rewrites');
answer('ALTER TABLE t SET UNLOGGED');
misses(11, 't', 'SET UNLOGGED');
answer('ALTER TABLE t SET LOGGED');
misses(11, 't', 'SET LOGGED');
answer('ALTER TABLE t ALTER a SET STORAGE EXTENDED, ALTER a SET COMPRESSION pglz');
hits(11, 't', 'SET STORAGE and SET COMPRESSION');
answer("INSERT INTO t SELECT 20, 0, array_agg(i % 2 / 8.0::float8) FROM generate_series(1, 90000) i");
misses(1, 't WHERE id = 20', 'a compressed array');
is(answer('SELECT pg_column_compression(a) FROM t WHERE id = 20'), 'pglz', 'which it is');
answer('VACUUM FULL t');
misses(11, 't WHERE id < 20', 'VACUUM FULL that compresses them');
answer('VACUUM FULL t');
hits(12, 't', 'VACUUM FULL of compressed arrays');
my $space = $node->basedir . '/space';
mkdir $space;
answer("CREATE TABLESPACE space LOCATION '$space'");
answer('ALTER TABLE t SET TABLESPACE space');
hits(12, 't', 'SET TABLESPACE');
answer('GRANT CREATE ON DATABASE postgres TO PUBLIC; ALTER DATABASE postgres CONNECTION LIMIT 90;
	ALTER DATABASE postgres SET TimeZone = UTC; REVOKE CREATE ON DATABASE postgres FROM PUBLIC');
hits(12, 't', 'GRANT ON DATABASE and ALTER DATABASE');
is(answer("SELECT entries FROM gpuagg_cache WHERE relation = 't'::regclass"), '23',
	'the view has the table once, with all arrays so far');
is(answer("SELECT gpuagg_cache_clear('t')"), '23', 'which a clear removes');
misses(12, 't', 'what was removed after ALTER DATABASE');
answer('CREATE MATERIALIZED VIEW m AS SELECT id, a FROM t WHERE id < 6');
misses(5, 'm', 'a materialized view');
answer('UPDATE t SET a = numbers(7, 2100) WHERE id = 2; REFRESH MATERIALIZED VIEW m');
misses(5, 'm', 'REFRESH MATERIALIZED VIEW');
misses(1, 't WHERE id = 2', 'the only array that changed');
answer('CREATE TABLE copy (id integer, a float8[]); INSERT INTO copy SELECT id, a FROM t WHERE id < 9');
misses(8, 'copy', 'another table with the same arrays');
answer("TRUNCATE copy; INSERT INTO copy VALUES (1, numbers(3, 2001))");
misses(1, 'copy', 'TRUNCATE');
is(answer('BEGIN; TRUNCATE copy; SELECT gpu_sum(a) FROM copy; ROLLBACK'), '', 'an empty table');
hits(1, 'copy', 'TRUNCATE that was rolled back');
answer("DROP TABLE copy; CREATE TABLE copy (id integer, a float8[]); INSERT INTO copy VALUES (1, numbers(4, 2001))");
misses(1, 'copy', 'DROP and CREATE');
answer('CREATE TABLE whole (id integer, a float8[]) PARTITION BY RANGE (id);
	CREATE TABLE part PARTITION OF whole FOR VALUES FROM (1) TO (100);
	INSERT INTO whole SELECT id, a FROM t WHERE id < 4');
misses(3, 'whole', 'a partitioned table');
answer('ALTER TABLE whole DETACH PARTITION part');
hits(3, 'part', 'a partition that was detached');

# --- databases that were copied: the same ids in TOAST relations of the same id
sub id_of
{
	my ($table, $database) = @_;

	return answer("SELECT chunk_id FROM pg_toast.pg_toast_" . answer("SELECT '$table'::regclass::oid", $database) .
		' WHERE chunk_seq = 0', $database);
}

# Puts another array into a table of one row, under an id that was used before.
sub put_under_id
{
	my ($id, $number, $database) = @_;

	answer('DELETE FROM s', $database);
	answer('VACUUM s', $database);
	answer("SELECT set_next_oid($id); INSERT INTO s VALUES (numbers($number, 3000))", $database);
	is(id_of('s', $database), $id, 'an array has the id that it should have');
}

answer('CREATE DATABASE mould');
answer($functions . 'CREATE TABLE s (a float8[]); ALTER TABLE s ALTER a SET STORAGE EXTERNAL', 'mould');
answer("CREATE DATABASE $_ TEMPLATE mould") for 'one', 'two';
my $id = 2000000;
put_under_id($id, 1, 'one');
put_under_id($id, 2, 'two');
is(answer("SELECT 's'::regclass::oid", 'one'), answer("SELECT 's'::regclass::oid", 'two'), 'two tables have one id');
misses(1, 's', 'an array of one database', 'one');
misses(1, 's', 'its double in another one', 'two');
hits(1, 's', 'which leaves the first one alone', 'one');
is( answer('SELECT string_agg(database || coalesce(relation::text, \'-\'), \' \' ORDER BY database)
		FROM gpuagg_cache WHERE database IN (\'one\', \'two\')', 'one'),
	'ones two-', 'the view tells them apart');
is(answer("SELECT gpuagg_cache_clear('s')", 'one'), '1', 'the one is removed');
hits(1, 's', 'not the other', 'two');
misses(1, 's', 'loaded once more', 'one');

# with PostgreSQL 15 a database can get the id of another one
my $oid = answer("SELECT oid FROM pg_database WHERE datname = 'one'");
answer('DROP DATABASE one');
answer("CREATE DATABASE one TEMPLATE mould OID = $oid");
put_under_id($id, 3, 'one');
misses(1, 's', 'a database with the id of one that was dropped', 'one');

# --- an id is used again
# A query in between tells gpuaggd how far the counter is, and that it moved on.
sub bring_round
{
	my ($to) = @_;
	my $from = answer('SELECT next_oid()');

	for my $step (1400000000, 2800000000)
	{
		answer('SELECT set_next_oid(' . ($from + $step) % 2**32 . ')');
		answer('SELECT gpu_sum(a) FROM copy');
	}
	answer("SELECT set_next_oid($to)");
}

answer('CREATE TABLE s (a float8[]); ALTER TABLE s ALTER a SET STORAGE EXTERNAL; SELECT gpuagg_cache_clear()');
misses(11, 't WHERE id < 20', 'all, once they were removed');
put_under_id(3000000, 11);
my $totals = q{SELECT md5(array_agg(c)::text) FROM (SELECT gpu_cumsum(a) c FROM s) q};
my $fallbacks = q{SELECT sum(arrays) FROM gpuagg_session_stat WHERE engine = 'cpu'};
for my $n (1, 0)
{
	my ($totals_and_fallbacks, undef, $misses) = counted("$totals; $fallbacks");
	is("$totals_and_fallbacks $misses", answer("SET gpuagg.engine = cpu; $totals") . "\n0 $n",
		'running totals by the device, which has the array then');
}
answer('DELETE FROM s');
answer('VACUUM s');
bring_round(3000000);
answer('INSERT INTO s VALUES (numbers(12, 3000))');
is(id_of('s'), '3000000', 'another one gets its id');
misses(1, 's', 'the new array, not the old one');
is(answer("SELECT entries FROM gpuagg_cache WHERE relation = 's'::regclass"), '1', 'which is not there any more');
hits(11, 't WHERE id < 20', 'arrays whose ids are in doubt are checked, not loaded');
hits(11, 't WHERE id < 20', 'once');

answer('VACUUM FULL t');
bring_round(4000000);
misses(11, 't WHERE id < 20', 'VACUUM FULL and a doubt');

# as long as the old one is there, dead or alive, no other array gets its id
bring_round(3000000);
answer('INSERT INTO s VALUES (numbers(13, 3000))');
like(id_of('s'), qr/^3000000\n3000001$/, 'the next one gets the next id');
my ($sum, $hits, $misses) = counted('SELECT gpu_sum(a) FROM s');
agrees('s', 'an old and a new array', 'postgres', $sum);
is($misses, 1, 'one is loaded');

# running totals ask for the same array
answer('DELETE FROM s');
answer('VACUUM s');
bring_round(3000000);
answer('INSERT INTO s VALUES (numbers(14, 3000))');
is( answer("$totals; $fallbacks"), answer("SET gpuagg.engine = cpu; $totals") . "\n0",
	'running totals of the new array');
hits(1, 's', 'which is the one that is resident now');

# --- plans: with the pointer they find the array, without they are right
answer('DELETE FROM t WHERE id = 20');
answer(q{
	CREATE TABLE joined AS SELECT i AS id, i % 4 AS k FROM generate_series(1, 30) i;
	CREATE FUNCTION same(float8[]) RETURNS float8[] LANGUAGE sql AS 'SELECT $1';
	CREATE FUNCTION of_t(integer) RETURNS SETOF float8[] LANGUAGE sql AS 'SELECT a FROM t WHERE id > $1';
	CREATE FUNCTION variable(integer) RETURNS float8 LANGUAGE plpgsql AS
		'DECLARE b float8[]; BEGIN SELECT a INTO b FROM t WHERE id = $1; RETURN gpu_array_sum(b); END';
	CREATE FUNCTION tried(integer) RETURNS float8 LANGUAGE plpgsql AS $$ BEGIN
		RETURN (SELECT gpu_sum(a) / (id - 3) FROM t WHERE id = $1 GROUP BY id);
		EXCEPTION WHEN division_by_zero THEN RETURN (SELECT gpu_sum(a) FROM t WHERE id < 3); END $$;
	CREATE VIEW seen AS SELECT id, a FROM t WHERE g >= 0;});
hits(11, 't', 'before plans');
my $spill = 'SET work_mem = 64; SET hash_mem_multiplier = 1;';
my @keeps = (
	[ 11, 'SELECT gpu_sum(a ORDER BY id DESC) FROM t', 'ORDER BY in the aggregate' ],
	[ 11, 'SELECT gpu_sum(DISTINCT a) FROM t', 'DISTINCT in it' ],
	[ 5, 'SELECT gpu_sum(a) FILTER (WHERE id <= 5) FROM t', 'FILTER' ],
	[ 11, 'SELECT gpu_sum(a) FROM (SELECT a FROM t ORDER BY id OFFSET 0) q', 'a sort' ],
	[ 11, "$spill SELECT gpu_sum(a) FROM (SELECT a, repeat('x', 9000) FROM t ORDER BY 2, id OFFSET 0) q", 'a sort that spills' ],
	[ 11, 'WITH w AS MATERIALIZED (SELECT a FROM t) SELECT gpu_sum(a) FROM w', 'a materialized CTE' ],
	[ 11, 'SET enable_mergejoin = off; SET enable_nestloop = off; SELECT gpu_sum(a) FROM t JOIN joined USING (id)', 'a hash join' ],
	[ 11, 'SET enable_hashjoin = off; SET enable_nestloop = off; SELECT gpu_sum(a) FROM t JOIN joined USING (id)', 'a merge join' ],
	[ 33, 'SELECT gpu_sum(a) FROM t, generate_series(1, 3)', 'each array three times' ],
	[ 11, 'SELECT k, gpu_sum(a) FROM t JOIN joined USING (id) GROUP BY k ORDER BY k', 'a hash aggregate' ],
	[ 11, "$spill SELECT id, gpu_sum(a) FROM t GROUP BY id ORDER BY id", 'one for each row' ],
	[ 11, 'SELECT g, gpu_sum(a) FROM t GROUP BY ROLLUP (g) ORDER BY g', 'ROLLUP', 22 ],
	[ 11, 'SELECT gpu_sum(a) FROM (SELECT a FROM t WHERE id < 4 UNION SELECT a FROM t WHERE id >= 4) q', 'UNION' ],
	[ 11, 'SELECT gpu_sum(a) FROM (SELECT a FROM t WHERE id < 4 UNION ALL SELECT a FROM t WHERE id >= 4) q', 'UNION ALL' ],
	[ 11, "SELECT gpu_sum(coalesce(a, '{}')) FROM t", 'COALESCE' ],
	[ 11, "SELECT gpu_sum(CASE WHEN id > 0 THEN a END) FROM t", 'CASE' ],
	[ 11, 'SELECT sum(gpu_array_sum((SELECT a FROM t u WHERE u.id = t.id))) FROM t', 'scalar subqueries' ],
	[ 11, 'SELECT gpu_sum(same(a)) FROM t', 'an SQL function' ],
	[ 11, 'SELECT gpu_sum(a) FROM of_t(0) a', 'one that returns rows' ],
	[ 11, 'SELECT gpu_sum(a) FROM seen', 'a view' ],
	[ 11, 'SELECT sum(gpu_array_sum(a)) FROM t', 'the function' ],
	[ 11, 'SELECT gpu_sum(gpu_array_sum(a)) FROM t', 'a sum of sums' ],
	[ 11, 'PREPARE p(integer) AS SELECT gpu_sum(a) FROM t WHERE id > $1; EXECUTE p(0)', 'a prepared statement' ],
	[ 11, 'SET plan_cache_mode = force_generic_plan; PREPARE p(integer) AS SELECT gpu_sum(a) FROM t WHERE id > $1; EXECUTE p(0)', 'with a generic plan' ],
	[ 11, 'BEGIN; DECLARE c CURSOR FOR SELECT id, gpu_array_sum(a) FROM t ORDER BY id; FETCH 3 FROM c; FETCH ALL FROM c; CLOSE c; COMMIT', 'a cursor', 'some' ],
	[ 11, 'BEGIN; WITH u AS (UPDATE t SET g = g RETURNING a) SELECT gpu_sum(a) FROM u; ROLLBACK', 'UPDATE RETURNING' ],
	[ 11, 'BEGIN; WITH u AS (DELETE FROM t RETURNING a) SELECT gpu_sum(a) FROM u; ROLLBACK', 'DELETE RETURNING' ],
	[ 11, 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
		SET max_parallel_workers_per_gather = 2; ALTER TABLE t SET (parallel_workers = 2); SELECT gpu_sum(a) FROM t', 'parallel workers' ],
	[ 11, 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
		SET max_parallel_workers_per_gather = 2; SELECT gpu_sum(a) FROM (SELECT a FROM t OFFSET 0) q', 'Gather' ],
	[ 11, 'SELECT gpu_cumsum(a) FROM t WHERE id = 1 LIMIT 3', 'totals that are abandoned', 'some' ],
	[ 11, 'SELECT max(c) FROM (SELECT gpu_cumsum(a) c FROM t WHERE id = 4) q', 'running totals', 'some' ],
	[ 11, 'SELECT id, gpu_sum(a) OVER (ORDER BY id ROWS 2 PRECEDING) FROM t ORDER BY id', 'a window frame', 'some' ],
	[ 11, 'SELECT gpu_sum(a), gpu_sum(a ORDER BY g), max(id), gpu_sum(a) FILTER (WHERE g = 1) FROM t', 'several sums', 'some' ],
	[ 11, 'SELECT tried(3)', 'an exception block', 'some' ],
);
for my $case (@keeps)
{
	my ($n, $query, $what, $n_hits) = @$case;
	my ($answer, $hits, $misses) = counted($query);

	is($answer, answer("SET gpuagg.engine = cpu; $query"), $what);
	$n_hits //= $n;
	($hits, $n_hits) = ($hits > 0, 1) if $n_hits eq 'some';
	is("$hits $misses", "$n_hits 0", "$what: found");
}
my @loses = (
	[ 'SELECT gpu_sum((r).a) FROM (SELECT r FROM t r OFFSET 0) q', 'a field of a record', 'any' ],
	[ 'SELECT gpu_sum((r).b) FROM (SELECT ROW(a)::boxed AS r FROM t OFFSET 0) q', 'ROW()' ],
	[ 'SELECT sum(variable(id)) FROM t', 'a variable of PL/pgSQL' ],
	[ 'SELECT gpu_sum(a[2:2900]) FROM t', 'slices' ],
	[ "SELECT gpu_sum(a || '{1}') FROM t", '||' ],
	[ 'DECLARE c CURSOR WITH HOLD FOR SELECT a FROM t; SELECT gpu_sum(a) FROM t WHERE false', 'WITH HOLD' ],
	[ "SELECT gpu_sum(a) FROM (SELECT numbers(id, 3000) a FROM t OFFSET 0) q", 'made by the query' ],
	[ 'SELECT gpu_sum(a::float4[]) FROM t', 'another type' ],
);
answer('CREATE TYPE boxed AS (b float8[])');
for my $case (@loses)
{
	my ($query, $what, $any) = @$case;
	my ($answer, $hits, $misses) = counted($query);

	is($answer, answer("SET gpuagg.engine = cpu; $query"), "$what: right");
	is("$hits $misses", '0 0', "$what: sent") unless $any;
}
($sum, $hits, $misses) = counted("BEGIN; INSERT INTO t VALUES (30, 1, numbers(30, 2222)); SELECT gpu_sum(a) FROM t; ROLLBACK");
is("$sum $misses", answer("SELECT (SELECT gpu_sum(a) FROM t) + gpu_array_sum(numbers(30, 2222))") . ' 1',
	'an insert of the same transaction');
($sum, $hits, $misses) = counted('CREATE TEMP TABLE p AS SELECT a FROM t WHERE id < 5; SELECT gpu_sum(a) FROM p; SELECT gpu_sum(a) FROM p');
is("$sum $misses", join("\n", (answer('SELECT gpu_sum(a) FROM t WHERE id < 5')) x 2) . ' 4', 'a temporary table');

# all types and NULLs in one query
my $types = 'SELECT gpu_sum(i2), gpu_sum(i4), gpu_sum(i8), gpu_sum(f4), gpu_sum(f8), count(*) FROM typed';
answer(q{
	CREATE TABLE typed AS SELECT i AS id, array_agg(x::int2) i2, array_agg(x) i4, array_agg(x * 10000000000::int8) i8,
		array_agg(x / 8.0::float4) f4, array_agg(x / 8.0::float8) f8
	FROM generate_series(1, 6) i, LATERAL (SELECT CASE WHEN j % 5 > 0 THEN (i * j * 7919) % 30000 - 15000 END AS x
		FROM generate_series(1, 8000) j) v GROUP BY i;
	INSERT INTO typed (id) VALUES (7)});
for my $n (30, 0)
{
	($sum, $hits, $misses) = counted($types);
	is("$sum $misses", answer("SET gpuagg.engine = cpu; $types") . " $n", 'five types and NULLs');
}
is((split /\|/, $sum)[2], answer('SELECT sum(x) FROM typed, unnest(i8) x'), 'as the server has it');

is(answer('SELECT count(*) FROM pg_stat_activity WHERE state <> \'idle\''), '1', 'no session is left at work');
is(join("\n", grep { /gpuaggd: a connection|WARNING:  the CPU goes on/ } split /\n/, slurp_file($node->logfile)),
	'', 'nothing broke a rule, or failed');
# So many bytes of arrays that they are asked for in several requests.  They do
# not pack: the emulated device would take long to decode them.
answer(<<'SQL');
CREATE TABLE large (a float8[]);
ALTER TABLE large ALTER a SET STORAGE EXTERNAL;
INSERT INTO large SELECT array_agg(sqrt(random())) FROM generate_series(1, 1000000);
SELECT gpu_sum(a) FROM large;
SQL
my $expected = answer('SET gpuagg.engine = cpu; SELECT gpu_sum(a) FROM large, generate_series(1, 600)');

# each request names 256 MB to 1 GB
is(answer(<<'SQL'), "$expected\nt|600|0", 'arrays of 4.8 GB: the sum, requests, hits, misses');
SELECT gpuagg_stat_reset() \g /dev/null
SELECT gpu_sum(a) FROM large, generate_series(1, 600);
SELECT requests BETWEEN 5 AND 19, hits, misses FROM gpuagg_stat;
SQL

$node->stop;
done_testing();
