# 042_citus.pl: sums and variances over the shards of Citus, which are those of one
# node.
#
# Where Citus is installed: a coordinator and two workers, each with a gpuaggd of
# its own.  Every query runs over tables of the coordinator and over the same rows
# in 16 shards, and must give the same bytes.  Workers send states instead of
# arrays: of gpu_sum, gpu_stddev and others themselves, where Citus can combine
# aggregates whose state is internal (from 15 on), and of gpu_merge in every version.

use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use CitusNodes;
use GpuaggCluster qw(within);

chomp(my $sharedir = `$ENV{PG_CONFIG} --sharedir`);
plan skip_all => 'Citus is not installed' if !-e "$sharedir/extension/citus.control";

my ($coordinator, @workers) = CitusNodes::start();

# --- what workers send

my $sum_in_two_steps = 'SELECT gpu_merge(s)::float8 FROM (SELECT gpu_sum_state(x) AS s FROM series GROUP BY id) q';
my $sum_of_states = 'SELECT gpu_merge(gpu_array_state(x))::float8 FROM series';

my $deviation_in_two_steps = 'SELECT gpu_stddev_samp(gpu_merge(m)) FROM
	(SELECT gpu_moments_state(x) AS m FROM series GROUP BY id) q';
my $deviation_of_moments = 'SELECT gpu_stddev_samp(gpu_merge(gpu_array_moments_state(x))) FROM series';

# One state a shard: of gpu_merge in every version, and of gpu_sum and
# gpu_stddev_samp.
sub check_bytes
{
	my $internal = qr/gpu_\w+\(double precision\[\]\)/;

	foreach my $column (qw(x price))
	{
		my $sum = "SELECT gpu_sum($column) FROM series";
		my $deviation = "SELECT gpu_stddev_samp($column) FROM series";

		check_sent($_, $column, $sum, qr/gpu_merge\(\S*exactsum\)/) foreach $sum_in_two_steps, $sum_of_states;
		check_sent($_, $column, $deviation, qr/gpu_merge\(\S*exactmoments\)/)
		  foreach $deviation_in_two_steps, $deviation_of_moments;
		next if !combines_internal();
		check_sent($_, $column, $_, $internal) foreach $sum, $deviation;
	}
	# What it is compared with.
	my $bytes = bytes_of('SELECT gpu_sum(x ORDER BY id) FROM series');
	cmp_ok($bytes, '>', 1250 * 500 * 8, "arrays are $bytes bytes");
	return;
}

# Check that workers send states of an aggregate for a query, asked of a column,
# and that it gives what another query gives on one node.
sub check_sent
{
	my ($query, $column, $whole, $aggregate) = @_;

	$query =~ s/\bx\b/$column/g;
	my $plan = plan_of($query);

	is(rows_of('many', $query), rows_of('one', $whole), $query);
	like($plan, qr/SELECT worker_(?:binary_)?partial_agg\('(?:\w+\.)?$aggregate'/, '... workers send states');
	# Citus 13 cannot explain and run what sends states as text.
	return if $plan !~ /worker_binary_partial_agg/;
	my $bytes = bytes_of($query);
	cmp_ok($bytes, '<=', 10_000, "... $bytes bytes from 16 shards");
	return;
}

# --- queries

# A name, the query, and whether workers aggregate: in every version, where Citus
# combines internal states, or never.
my @queries = (
	[ 'several aggregates', 'SELECT gpu_sum(x), gpu_sum(price), gpu_sum(n), gpu_sum(weight), gpu_sum(id), gpu_count(n) FROM series', 'internal' ],
	[ 'GROUP BY the distribution column', 'SELECT id, gpu_sum(x), gpu_sum(n) FROM series GROUP BY id ORDER BY id', 'always' ],
	[ 'GROUP BY another column', 'SELECT place, gpu_sum(x), gpu_count(x) FROM series GROUP BY place ORDER BY place', 'internal' ],
	[ 'GROUP BY another column, in two steps', 'SELECT place, gpu_merge(s)::float8, gpu_count(gpu_merge(s)) FROM
		(SELECT place, gpu_sum_state(x) AS s FROM series GROUP BY id, place) q GROUP BY place ORDER BY place', 'always' ],
	[ 'a state of each group', 'SELECT place, gpu_sum_state(x) FROM series GROUP BY place ORDER BY place', 'internal' ],
	[ 'integers in two steps', 'SELECT sum(s) FROM (SELECT gpu_sum(n) AS s FROM series GROUP BY id) q', 'always' ],
	[ 'real in two steps', 'SELECT gpu_merge(s)::real FROM (SELECT gpu_sum_state(weight) AS s FROM series GROUP BY id) q', 'always' ],
	[ 'FILTER', 'SELECT gpu_sum(x) FILTER (WHERE place > 2), gpu_sum(x) FILTER (WHERE place > 9) FROM series', 'internal' ],
	[ 'FILTER in two steps', 'SELECT gpu_merge(s) FILTER (WHERE place > 2)::float8 FROM
		(SELECT place, gpu_sum_state(x) FILTER (WHERE weight > 0.2) AS s FROM series GROUP BY id, place) q', 'always' ],
	[ 'DISTINCT', 'SELECT gpu_sum(DISTINCT weight), gpu_sum(DISTINCT n) FROM series', 'never' ],
	[ 'DISTINCT within the distribution column', 'SELECT id, gpu_sum(DISTINCT x) FROM events GROUP BY id ORDER BY id', 'always' ],
	[ 'HAVING', 'SELECT place, gpu_sum(x) FROM series GROUP BY place HAVING gpu_sum(x) > 0 OR place = 0 ORDER BY place', 'internal' ],
	[ 'HAVING in two steps', 'SELECT place, gpu_merge(s)::float8 FROM (SELECT place, gpu_sum_state(x) AS s FROM series GROUP BY id, place) q
		GROUP BY place HAVING gpu_merge(s) > 0::float8::exactsum OR place = 0 ORDER BY place', 'always' ],
	[ 'a join of co-located tables', 'SELECT place, gpu_sum(s.x), gpu_sum(e.x) FROM series s JOIN events e USING (id)
		GROUP BY place ORDER BY place', 'internal' ],
	[ '... in two steps', 'SELECT place, gpu_merge(a)::float8, gpu_merge(b)::float8 FROM
		(SELECT place, gpu_sum_state(s.x) AS a, gpu_sum_state(e.x) AS b FROM series s JOIN events e USING (id)
		GROUP BY id, place) q GROUP BY place ORDER BY place', 'always' ],
	[ 'a join with a reference table', 'SELECT region, gpu_sum(x) FROM series JOIN places USING (place)
		GROUP BY region ORDER BY region', 'internal' ],
	[ '... in two steps', 'SELECT region, gpu_merge(s)::float8 FROM (SELECT id, region, gpu_sum_state(x) AS s FROM series
		JOIN places USING (place) GROUP BY id, region) q GROUP BY region ORDER BY region', 'always' ],
	[ 'ORDER BY in the aggregate', 'SELECT gpu_sum(x ORDER BY id DESC) FROM series', 'never' ],
	[ 'the sums of single rows', 'SELECT id, gpu_array_sum(x) FROM series ORDER BY gpu_array_sum(x) DESC, id LIMIT 20', 'always' ],
	[ 'special values', 'SELECT kind, gpu_sum(x), gpu_count(x) FROM special GROUP BY kind ORDER BY kind', 'internal' ],
	[ 'special values in two steps', 'SELECT kind, gpu_merge(s)::float8, gpu_merge(s) FROM (SELECT kind, gpu_sum_state(x) AS s FROM special
		GROUP BY id, kind) q GROUP BY kind ORDER BY kind', 'always' ],
	[ 'no rows', 'SELECT gpu_sum(x) IS NULL, gpu_count(x) FROM series WHERE id < 0', 'internal' ],
	[ 'no rows in two steps', 'SELECT gpu_merge(s) IS NULL FROM (SELECT gpu_sum_state(x) AS s FROM series WHERE id < 0 GROUP BY id) q', 'always' ],
	[ 'a part of the shards', 'SELECT gpu_sum(x) FROM series WHERE id IN (1, 2, 3)', 'internal' ],
	[ 'one shard', 'SELECT gpu_sum(x) FROM series WHERE id = 7', 'always' ],
	[ 'variances and means', 'SELECT gpu_var_samp(x), gpu_stddev_pop(price), gpu_var_pop(n), gpu_stddev_samp(weight), gpu_variance(id),
		gpu_avg(x), gpu_avg(n), gpu_moments_state(x) FROM series', 'internal' ],
	[ 'variances, GROUP BY the distribution column', 'SELECT id, gpu_var_samp(x), gpu_stddev_pop(n), gpu_moments_state(price)
		FROM series GROUP BY id ORDER BY id', 'always' ],
	[ 'variances, GROUP BY another column', 'SELECT place, gpu_var_samp(x), gpu_stddev_pop(n), gpu_avg(x), gpu_moments_state(x)
		FROM series GROUP BY place ORDER BY place', 'internal' ],
	[ '... in two steps', 'SELECT place, gpu_merge(m), gpu_var_samp(gpu_merge(m)), gpu_stddev_pop(gpu_merge(m)), gpu_avg(gpu_merge(m)),
		gpu_count(gpu_merge(m)) FROM (SELECT place, gpu_moments_state(x) AS m FROM series GROUP BY id, place) q
		GROUP BY place ORDER BY place', 'always' ],
	[ 'variances of integers in two steps', 'SELECT gpu_stddev(gpu_merge(m)), gpu_merge(m)::exactsum::numeric FROM
		(SELECT gpu_moments_state(n) AS m FROM series GROUP BY id) q', 'always' ],
	[ 'variances with FILTER', 'SELECT gpu_stddev_pop(x) FILTER (WHERE place > 2), gpu_stddev_pop(x) FILTER (WHERE place > 9),
		gpu_moments_state(x) FILTER (WHERE place > 9) FROM series', 'internal' ],
	[ '... in two steps', 'SELECT gpu_merge(m) FILTER (WHERE place > 2), gpu_merge(m) FILTER (WHERE place > 9) FROM
		(SELECT place, gpu_moments_state(x) FILTER (WHERE weight > 0.2) AS m FROM series GROUP BY id, place) q', 'always' ],
	[ 'variances with HAVING, in two steps', 'SELECT place, gpu_var_pop(gpu_merge(m)) FROM
		(SELECT place, gpu_moments_state(n) AS m FROM series GROUP BY id, place) q
		GROUP BY place HAVING gpu_count(gpu_merge(m)) > 357 ORDER BY place', 'always' ],
	[ 'deviations of special values', 'SELECT kind, gpu_stddev_samp(x), gpu_stddev_pop(x), gpu_moments_state(x) FROM special
		GROUP BY kind ORDER BY kind', 'internal' ],
	[ '... in two steps', 'SELECT kind, gpu_stddev_samp(gpu_merge(m)), gpu_stddev_pop(gpu_merge(m)), gpu_merge(m) FROM
		(SELECT kind, gpu_moments_state(x) AS m FROM special GROUP BY id, kind) q GROUP BY kind ORDER BY kind', 'always' ],
	[ 'moments of parts of arrays', 'SELECT gpu_moments_state(x, 2, 5), gpu_stddev(x, 2, 5), gpu_sum(x, 2, 5) FROM series', 'internal' ],
	[ 'moments of parts of arrays in two steps', 'SELECT gpu_merge(gpu_array_moments_state(x, 2, 5)) FROM series', 'always' ],
	[ 'minima and maxima of arrays', 'SELECT gpu_min(x), gpu_max(price), gpu_min(n) FROM series', 'internal' ],
	[ 'minima and maxima of columns', 'SELECT gpu_min(weight), gpu_max(weight), gpu_max(id) FROM series', 'always' ],
	[ 'variances of no rows', 'SELECT gpu_var_pop(x) IS NULL, gpu_moments_state(x) IS NULL FROM series WHERE id < 0', 'internal' ],
	[ '... in two steps', 'SELECT gpu_merge(m) IS NULL FROM (SELECT gpu_moments_state(x) AS m FROM series WHERE id < 0 GROUP BY id) q', 'always' ],
	[ 'running totals of one array', 'SELECT gpu_cumsum(x) FROM series WHERE id = 7', 'always' ],
	[ 'running totals within the distribution column', 'SELECT id, at, gpu_cumsum(x) OVER (PARTITION BY id ORDER BY at)
		FROM events ORDER BY id, at', 'always' ],
	[ 'running totals over all shards', 'SELECT id, at, gpu_cumsum(x) OVER (ORDER BY at) FROM events ORDER BY at', 'never' ]);

sub check_queries
{
	foreach (@queries)
	{
		my ($what, $query, $aggregates) = @$_;

		is_same($query, $what);
		is_pushed_down($query, $what, $aggregates ne 'always' && !($aggregates eq 'internal' && combines_internal()));
	}
	is($_->answer("SET search_path = many, public; $sum_in_two_steps"), rows_of('one', 'SELECT gpu_sum(x) FROM series'),
		'asked of ' . $_->name)
	  foreach @workers;
	is_same("SET citus.enable_binary_protocol = $_; SELECT gpu_sum(x), gpu_merge(gpu_array_state(x)), gpu_stddev(x),
		gpu_merge(gpu_array_moments_state(x)) FROM series",
		"citus.enable_binary_protocol = $_")
	  foreach qw(on off);
	foreach my $schema (qw(one many))
	{
		rows_of($schema, 'UPDATE series SET x = x || 0.1::float8 WHERE id % 3 = 0; DELETE FROM series WHERE id % 11 = 0');
	}
	is_same('SELECT place, gpu_sum(x), gpu_stddev(x) FROM series GROUP BY place ORDER BY place', 'after an update of resident arrays');
	check_columnar() if -e "$sharedir/extension/citus_columnar.control";
	return;
}

# Arrays that are not in a heap.
sub check_columnar
{
	$coordinator->answer('CREATE EXTENSION IF NOT EXISTS citus_columnar');
	rows_of('one', 'CREATE TABLE by_column USING columnar AS SELECT id, place, x FROM series');
	rows_of('many', q{CREATE TABLE by_column (LIKE one.by_column) USING columnar;
		SELECT create_distributed_table('by_column', 'id')});
	rows_of('many', 'INSERT INTO by_column SELECT * FROM one.by_column');
	is(rows_of($_, 'SELECT place, gpu_sum(x) FROM by_column GROUP BY place ORDER BY place'),
		rows_of('one', 'SELECT place, gpu_sum(x) FROM series GROUP BY place ORDER BY place'), "columnar storage, $_")
	  foreach qw(one many);
	like(rows_of('one', q{SELECT gpu_sum(x) FROM by_column; SELECT reason FROM gpuagg_session_stat WHERE arrays > 1000}),
		qr/\nnot stored out of line$/, '... is summed by the CPU');
	return;
}

# --- what reaches the workers

# Return what gpuaggds of the workers have computed since the last call.
sub arrays_on_devices
{
	my @arrays = map { $_->answer('SELECT arrays + hits + misses FROM gpuagg_stat') } @workers;

	$_->answer('SELECT gpuagg_stat_reset()') foreach @workers;
	return @arrays;
}

sub check_settings
{
	my $setting = q{SELECT DISTINCT current_setting('gpuagg.engine') FROM many.series};

	arrays_on_devices();
	rows_of('many', $sum_in_two_steps);
	cmp_ok($_, '>', 0, 'arrays of a worker went to its device') foreach arrays_on_devices();
	is(rows_of('many', "SET gpuagg.engine = cpu; $setting"), 'auto', 'SET on the coordinator stays there');
	is(rows_of('many', "SET citus.propagate_set_commands = local; BEGIN; SET LOCAL gpuagg.engine = cpu; $setting; COMMIT"),
		'cpu', 'SET LOCAL reaches workers, if Citus is told so');
	$coordinator->answer(q{ALTER DATABASE postgres SET gpuagg.engine = 'cpu'});
	is(rows_of('many', $setting), 'cpu', 'ALTER DATABASE SET reaches them');
	$coordinator->answer('ALTER DATABASE postgres RESET gpuagg.engine');
	return;
}

# An ordinary user needs no more rights than on one node.
sub check_roles
{
	$coordinator->answer('CREATE ROLE analyst LOGIN; GRANT USAGE ON SCHEMA one, many TO analyst;
		GRANT SELECT ON ALL TABLES IN SCHEMA one, many TO analyst');
	foreach my $query ('SELECT gpu_sum(x), gpu_stddev(x) FROM series', $sum_in_two_steps, $sum_of_states,
		$deviation_in_two_steps, $deviation_of_moments)
	{
		my ($one, $many) = map {
			$coordinator->safe_psql('postgres', "SET search_path = $_, public; $query", extra_params => [ '-U', 'analyst' ])
		} qw(one many);
		is($many, $one, "a user: $query");
	}
	return;
}

# Exact sums and moments in a table that is in shards itself.
sub check_rollup
{
	my $add = 'INSERT INTO totals SELECT place, gpu_sum_state(x), gpu_moments_state(x)
		FROM events JOIN (SELECT id, place FROM series) s USING (id)
		WHERE id % 2 = %d GROUP BY place
		ON CONFLICT (place) DO UPDATE SET s = totals.s + excluded.s, m = totals.m + excluded.m';
	my $merged = 'SELECT gpu_merge(s)::float8, gpu_merge(m), gpu_stddev(gpu_merge(m)) FROM totals';

	foreach my $schema (qw(one many))
	{
		rows_of($schema, "CREATE TABLE $schema.totals (place int PRIMARY KEY, s exactsum, m exactmoments)");
		rows_of($schema, q{SELECT create_distributed_table('totals', 'place')}) if $schema eq 'many';
		rows_of($schema, $add =~ s/%d/$_/r) foreach 0, 1;
	}
	is_same('SELECT place, s, s::float8, m, gpu_stddev(m) FROM totals ORDER BY place',
		'a table of exact sums and moments, added to ON CONFLICT');
	is(rows_of('many', $merged),
		rows_of('one', 'SELECT gpu_sum(e.x), gpu_moments_state(e.x), gpu_stddev(e.x) FROM events e JOIN series USING (id)'),
		'... merged');
	is_pushed_down($merged, '... merged');
	foreach (qw(s m))
	{
		my $type = $_ eq 's' ? 'exactsum' : 'exactmoments';

		rows_of('many', "CREATE TABLE by_$_ ($_ $type); SELECT create_distributed_table('by_$_', '$_')");
		rows_of('many', "INSERT INTO by_$_ SELECT $_ FROM totals");
		is(rows_of('many', "SELECT count(*) FROM by_$_ JOIN one.totals USING ($_)"), 7, "a table distributed by an $type");
	}
	return;
}

# --- faults of a worker

# Begin a query that takes seconds on a worker, and wait until it is there.
sub begin_slowly
{
	my ($worker, $query) = @_;
	my $session = $coordinator->session('SET search_path = many, public');

	$worker->with_faults('slow_launch=2000');
	$session->begin($query);
	ok(within(10, sub { running_on($worker) }), $worker->name . ' is at a query');
	return $session;
}

# Return the sessions of the coordinator that compute on a worker.
sub running_on
{
	my ($worker) = @_;

	return split /\n/, $worker->answer(q{SELECT pid FROM pg_stat_activity WHERE state = 'active'
		AND query ~ '(gpu_sum|x)' AND application_name ~ '^citus_internal'});
}

# Check that the query of a session ends with the sum, or with an error that
# says what happened.
sub ends_well
{
	my ($session, $right, $what) = @_;
	my $rows = $session->end(60);

	return is($rows, $right, "$what: the sum all the same") if $rows ne '';
	return like($session->{err}, qr/ERROR: .*(?:connection|terminat)/, "$what: a clear error");
}

sub check_faults
{
	my $worker = $workers[1];
	my $right = rows_of('one', $sum_in_two_steps);
	my $session = begin_slowly($worker, $sum_in_two_steps);

	$worker->signal_daemon('KILL');
	is($session->end(60), $right, 'gpuaggd of a worker is killed: the sum all the same');
	$session->close;
	$worker->await_daemon;

	$session = begin_slowly($worker, $sum_in_two_steps);
	kill 'KILL', (running_on($worker))[0];
	ends_well($session, $right, 'a session of a worker is killed');
	# a psql that cannot connect ends before a query is written to it
	GpuaggCluster::within(60, sub { system('pg_isready', '-q', '-d', $worker->connstr) == 0 }) or die;
	$worker->await_daemon;
	$worker->with_faults('');
	is($session->ask($sum_in_two_steps, 60), $right, '... then the same session gets the sum');
	$session->close;

	$session = begin_slowly($worker, $sum_in_two_steps);
	$worker->stop('immediate');
	ends_well($session, $right, 'a worker is stopped');
	$session->ask($sum_in_two_steps, 60);
	like($session->{err}, qr/ERROR: .*connect/, '... without it there is an error');
	$worker->start;
	$worker->with_faults('');
	is($session->ask($sum_in_two_steps, 60), $right, '... after it has come back the same session gets the sum');
	is(rows_of('many', $sum_in_two_steps), $right, '... and so does a new one');
	# The worker's server has inherited the pipe to the session, which has no end.
	$session->kill;
	return;
}

check_bytes();
check_queries();
check_settings();
check_roles();
check_rollup();
check_faults();
$_->stop foreach $coordinator, @workers;
done_testing();
