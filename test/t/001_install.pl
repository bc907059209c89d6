# 001_install.pl: install, move, dump, restore and drop the extension.
#
# It installs into a schema of choice, moves with SET SCHEMA, leaves nothing
# when it is dropped, goes through pg_dump with a view on it, works in two
# databases, without and with preloading, and after a crash.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('install');
$node->init;
$node->start;

# Return a query's result as one string; psql stops at the first error.
sub answer
{
	my ($database, $query) = @_;

	return $node->safe_psql($database, $query);
}

# Rows in the catalogs that an extension can leave behind.
my $count_catalogs = join(
	' UNION ALL ',
	map { "SELECT '$_', count(*) FROM pg_catalog.$_" }
	  qw(pg_depend pg_description pg_proc pg_aggregate pg_type pg_class
	  pg_rewrite pg_extension pg_init_privs pg_namespace));

# 10.9 and its like are not exact in binary; the sum must be, to the last bit.
my $array = '{10.9,0.8,20.3,1.3,2.5,1e308,-1e308,0.1,0.1,0.1}';
my $exact = '36.1';

# Without preloading.
is(answer('postgres', 'SHOW shared_preload_libraries'), '', 'nothing is preloaded');
my $before = answer('postgres', $count_catalogs);

answer('postgres', 'CREATE SCHEMA "Odd place"');
my $with_schema = answer('postgres', $count_catalogs);
answer('postgres', 'CREATE EXTENSION gpuagg SCHEMA "Odd place"');
is( answer('postgres', qq(SELECT "Odd place".gpu_sum('$array'::float8[]))),
	$exact, 'installs in a schema of choice');
is( answer('postgres', qq{
		SELECT count(*) FROM pg_depend d JOIN pg_extension e ON d.refobjid = e.oid
		JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
		WHERE e.extname = 'gpuagg' AND d.deptype = 'e'
		AND p.pronamespace <> '"Odd place"'::regnamespace}),
	'0', 'every function is in that schema');

answer('postgres', 'CREATE SCHEMA new_place');
answer('postgres', 'CREATE TABLE series AS SELECT i AS id, '
	  . qq('$array'::float8[] AS x FROM generate_series(1, 10) i));
answer('postgres',
	'CREATE VIEW totals AS SELECT id, "Odd place".gpu_sum(x) AS total FROM series GROUP BY id');
answer('postgres', 'ALTER EXTENSION gpuagg SET SCHEMA new_place');
is( answer('postgres', qq(SELECT new_place.gpu_sum('$array'::float8[]))),
	$exact, 'moves to another schema');
is(answer('postgres', 'SELECT DISTINCT total FROM totals'),
	$exact, 'a view follows');
is( answer('postgres', 'SELECT count(*) > 0 FROM new_place.gpuagg_session_stat'),
	't', 'its own view follows');

# Dump and restore.
my $dump = $node->basedir . '/dump.sql';
$node->command_ok([ 'pg_dump', '-f', $dump, $node->connstr('postgres') ],
	'pg_dump');
like(slurp_file($dump), qr/^CREATE EXTENSION .*gpuagg/m,
	'the dump makes the extension');
unlike(slurp_file($dump), qr/^CREATE (FUNCTION|AGGREGATE)/m,
	'and none of its functions');
answer('postgres', 'CREATE DATABASE restored');
$node->command_ok(
	[ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $dump, $node->connstr('restored') ],
	'restore');
is(answer('restored', 'SELECT DISTINCT total FROM totals'),
	$exact, 'the restored view answers');
is( answer('restored', 'SELECT extnamespace::regnamespace FROM pg_extension '
		  . q(WHERE extname = 'gpuagg')),
	'new_place', 'the schema is restored');

# Dropping it, in one of the two databases.
my ($status, undef, $stderr) = $node->psql('postgres', 'DROP EXTENSION gpuagg');
isnt($status, 0, 'it is not dropped from under a view');
like($stderr, qr/view totals depends on/, 'and the error says so');
answer('postgres', 'DROP VIEW totals');
answer('postgres', 'DROP TABLE series');
answer('postgres', 'DROP EXTENSION gpuagg');
answer('postgres', 'DROP SCHEMA new_place');
is(answer('postgres', $count_catalogs), $with_schema, 'dropped, it leaves nothing');
answer('postgres', 'DROP SCHEMA "Odd place"');
is(answer('postgres', $count_catalogs), $before, 'neither do the schemas');
is(answer('restored', 'SELECT DISTINCT total FROM totals'),
	$exact, 'the other database keeps it');

# Every object has a comment.
answer('postgres', 'CREATE EXTENSION gpuagg');
is( answer('postgres', q{
		SELECT string_agg(pg_describe_object(d.classid, d.objid, 0), ', ')
		FROM pg_depend d JOIN pg_extension e ON d.refobjid = e.oid
		LEFT JOIN pg_description t ON t.objoid = d.objid
			AND t.classoid = d.classid AND t.objsubid = 0
		WHERE e.extname = 'gpuagg' AND d.deptype = 'e'
		AND d.classid IN ('pg_proc'::regclass, 'pg_class'::regclass)
		AND t.description IS NULL}),
	'', 'every function and view has a comment');

# Who may create functions in the extension's schema cannot have an aggregate call
# them: one with the very types of a call is preferred to a function of "any".
answer('postgres', 'CREATE DATABASE decoys');
answer('decoys', 'CREATE EXTENSION gpuagg; CREATE SCHEMA decoys');
answer('decoys', q{
	SELECT DISTINCT format('CREATE FUNCTION decoys.%I(%s, %s) RETURNS %2$s LANGUAGE sql AS $$SELECT $1$$',
		p.proname, a.aggtranstype::regtype, pg_get_function_arguments(a.aggfnoid))
	FROM pg_depend d JOIN pg_extension e ON d.refobjid = e.oid AND e.extname = 'gpuagg'
	JOIN pg_aggregate a ON d.classid = 'pg_proc'::regclass AND d.objid = a.aggfnoid
	JOIN pg_proc p ON p.oid IN (a.aggtransfn, a.aggminvtransfn)
	WHERE '"any"'::regtype = ANY (p.proargtypes)
	\gexec
});
is( answer('decoys', q{SELECT count(*) FROM pg_proc WHERE pronamespace = 'decoys'::regnamespace}),
	'2', 'aggregates have functions of "any"');
answer('decoys', 'DROP EXTENSION gpuagg; CREATE EXTENSION gpuagg SCHEMA decoys');
is( answer('decoys', 'SELECT decoys.gpu_count(x) FROM (VALUES (1.5), (2.5)) v(x)'),
	'2', 'no aggregate calls a function that was in its schema');

# A setting may stand in postgresql.conf before the library is there.
$node->append_conf('postgresql.conf', "gpuagg.cpu_engine = 'auto'");

# With preloading, for the server and for a session.
for my $setting (qw(shared_preload_libraries session_preload_libraries))
{
	$node->append_conf('postgresql.conf', "$setting = 'gpuagg'");
	$node->restart;
	is(answer('restored', "SHOW $setting"), 'gpuagg', "$setting is set");
	is(answer('restored', 'SELECT DISTINCT total FROM totals'),
		$exact, "same answer with $setting");
	like( answer('restored', 'SHOW gpuagg.cpu_engine'),
		qr/^auto$/, 'its settings are there at once');
	is(answer('template1', 'SELECT 1'),
		'1', 'a database without the extension works');
	$node->append_conf('postgresql.conf', "$setting = ''");
}

# A crash: the postmaster gets no time, and recovers on start.
answer('restored', 'CREATE TABLE later AS TABLE series');
$node->stop('immediate');
$node->start;
is(answer('restored', 'SELECT DISTINCT total FROM totals'),
	$exact, 'same answer after a crash');
is( answer('restored', 'SELECT DISTINCT new_place.gpu_array_sum(x) FROM later'),
	$exact, 'also over rows that recovery brought back');

$node->stop;
done_testing();
