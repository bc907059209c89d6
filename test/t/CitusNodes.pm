# CitusNodes.pm: a cluster of Citus, and the same rows on one node and in shards.
#
#	my ($coordinator, @workers) = CitusNodes::start();
#	is_same($query, 'name');			# as over one node, by the byte
#	is_pushed_down($query, 'name');		# workers aggregate
#
# Every server has a gpuaggd of its own.  Schema one has tables of the coordinator,
# schema many the same rows in 16 shards.
package CitusNodes;

use strict;
use warnings;

use Exporter qw(import);
use FindBin;
use Test::More;

use lib $FindBin::RealBin;
use GpuaggCluster;

our @EXPORT = qw(combines_internal rows_of plan_of is_same is_pushed_down bytes_of);

my ($coordinator, $combines_internal, @workers);

# Return the coordinator and the workers, with gpuagg and rows.
sub start
{
	($coordinator, @workers) = map { node($_) } qw(coordinator worker_1 worker_2);
	$combines_internal = $coordinator->answer(
		q{SELECT current_setting('citus.allow_aggregate_worker_combine_on_internal_types', true)}) eq 'on';
	note('Citus ', $coordinator->answer(q{SELECT extversion FROM pg_extension WHERE extname = 'citus'}), ' ',
		$combines_internal ? 'combines' : 'does not combine', ' internal states');
	join_nodes();
	load_rows();
	return ($coordinator, @workers);
}

# Can Citus combine aggregates whose state is internal?
sub combines_internal
{
	return $combines_internal;
}

# Return a server with both libraries; only Citus' extension is created.
sub node
{
	my ($name) = @_;
	my $node = GpuaggCluster->create($name, start => 0, preload => 0,
		settings => [ "shared_preload_libraries = 'citus, gpuagg'", 'max_connections = 100',
			'max_worker_processes = 32', 'gpuagg.min_gpu_size = 0' ]);

	$node->configure("citus.local_hostname = '" . $node->host . "'");
	$node->start;
	$node->answer('CREATE EXTENSION citus');
	$node->await_daemon;
	return $node;
}

# Return a server's address as arguments of Citus' functions.
sub address
{
	my ($node) = @_;

	return "'" . $node->host . "', " . $node->port;
}

# Make one cluster of the servers, and create gpuagg once.
sub join_nodes
{
	$coordinator->answer('SELECT citus_set_coordinator_host(' . address($coordinator) . ')');
	$coordinator->answer('SELECT citus_add_node(' . address($_) . ')') foreach @workers;
	$coordinator->answer('CREATE EXTENSION gpuagg');
	is($_->answer(q{SELECT count(*) FROM pg_extension WHERE extname = 'gpuagg'}),
		1, 'CREATE EXTENSION on the coordinator creates it on ' . $_->name)
	  foreach @workers;
}

# Fill the tables of the coordinator (schema one), and copy them to tables in
# shards (schema many).
sub load_rows
{
	$coordinator->answer(<<'SQL');
CREATE SCHEMA one;
CREATE TABLE one.series (id bigint, place int, x float8[], price float8[], n int[], weight real);
INSERT INTO one.series SELECT g, g % 7,
	(SELECT array_agg(sin(g * 1000.0 + i) * 10 ^ (i % 40 - 20)::float8) FROM generate_series(1, 500) i),
	(SELECT array_agg(round((100 + g % 50 + sin(g + i))::numeric, 2)) FROM generate_series(1, 2000) i),
	ARRAY[g, 2147483647, NULL], g % 10 / 10.0
	FROM generate_series(1, 1250) g;
CREATE TABLE one.events (id bigint, at int, x float8);
INSERT INTO one.events SELECT g % 100, g, sin(g) * 10 ^ (g % 30 - 15)::float8 FROM generate_series(1, 5000) g;
CREATE TABLE one.places AS SELECT p AS place, 'region ' || p % 2 AS region FROM generate_series(0, 6) p;
CREATE TABLE one.special (id bigint, kind text, x float8[]);
INSERT INTO one.special SELECT g, kind, x::float8[] FROM generate_series(1, 20) g, (VALUES ('null', NULL),
	('empty', '{}'), ('negative zero', '{-0,NULL}'), ('infinity', '{1,Infinity}'), ('nan', '{NaN,1}'),
	('both', '{Infinity,-Infinity}'), ('large', '{1e308,1e308,-1e308,-1e308,5e-324}')) v(kind, x);

SET citus.shard_count = 16;
CREATE SCHEMA many;
CREATE TABLE many.series (LIKE one.series);
ALTER TABLE many.series ALTER x SET STORAGE external, ALTER price SET STORAGE external;
CREATE TABLE many.events (LIKE one.events);
CREATE TABLE many.places (LIKE one.places);
CREATE TABLE many.special (LIKE one.special);
SELECT create_distributed_table('many.series', 'id');
SELECT create_distributed_table('many.events', 'id', colocate_with => 'many.series');
SELECT create_distributed_table('many.special', 'id');
SELECT create_reference_table('many.places');
INSERT INTO many.series SELECT * FROM one.series;
INSERT INTO many.events SELECT * FROM one.events;
INSERT INTO many.special SELECT * FROM one.special;
INSERT INTO many.places SELECT * FROM one.places;
SQL
}

# --- what is compared

# Return what a query gives over the tables of the coordinator, or over shards.
sub rows_of
{
	my ($schema, $query) = @_;

	return $coordinator->answer("SET search_path = $schema, public; $query");
}

sub plan_of
{
	my ($query) = @_;

	return rows_of('many', "EXPLAIN (VERBOSE, COSTS OFF) $query");
}

# Check that a query gives the same bytes as over one node, and some.
sub is_same
{
	my ($query, $what) = @_;
	my $right = rows_of('one', $query);

	die "no rows: $query" if $right eq '';
	return is(rows_of('many', $query), $right, $what);
}

# Check that workers aggregate, so that no array leaves its shard; or that they
# send rows.
sub is_pushed_down
{
	my ($query, $what, $is_not) = @_;
	my $of_rows = qr/gpu_\w+\((?:DISTINCT )?\(?remote_scan/;

	return like(plan_of($query), $of_rows, "$what: workers send rows") if $is_not;
	return unlike(plan_of($query), $of_rows, "$what: workers aggregate");
}

# Return the bytes that workers send for a query.
sub bytes_of
{
	my ($query) = @_;
	my $plan = rows_of('many', "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) $query");
	my ($n, $unit) = $plan =~ /Tuple data received from nodes: (\d+) (bytes|kB|MB)/ or die "no bytes in $plan";

	return $n * { bytes => 1, kB => 1024, MB => 1 << 20 }->{$unit};
}

1;
