# 026_upgrade.pl: from each released version to this one.
#
# Their install scripts are installed, too.  With the new library, sums work before ALTER EXTENSION UPDATE; a view whose columns changed
# says what to do.  After it, the extension is what a fresh installation is, object
# for object, and views on its functions and what a DBA granted are still there.

use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use GpuaggCluster;

my $node = GpuaggCluster->create('upgrade');
my $version = $node->safe_psql('postgres', "SELECT default_version FROM pg_available_extensions WHERE name = 'gpuagg'");
my @released = split /\n/, $node->safe_psql('postgres',
	"SELECT version FROM pg_available_extension_versions WHERE name = 'gpuagg' AND version <> '$version' ORDER BY 1");

# All about the extension's objects in a database.
sub catalog
{
	my ($database) = @_;

	return $node->safe_psql($database, slurp_file("$FindBin::RealBin/../data/catalog.sql"));
}

# The lines of a text that another one has not.
sub only_in
{
	my ($text, $other) = @_;
	my %other = map { $_ => 1 } split /\n/, $other;

	return grep { !$other{$_} } split /\n/, $text;
}

my $fresh = catalog('postgres');
like($fresh, qr/gpu_sum\(double precision\[\]\)/, 'the catalog of a fresh installation');

is($released[0], '0.1.0', 'the first release can be installed');

for my $old (@released)
{
	$node->safe_psql('postgres', 'CREATE DATABASE old');
	my $session = $node->session(undef, 'old');
	my $ask = sub { return $session->ask($_[0]) };
	$ask->("CREATE EXTENSION gpuagg VERSION '$old'");
	$ask->('CREATE TABLE series AS SELECT i AS id, ARRAY[0.1, 0.2, i]::float8[] AS x FROM generate_series(1, 10000) i');
	$ask->('CREATE VIEW totals AS SELECT id % 2 AS odd, gpu_sum(x) AS total FROM series GROUP BY 1');
	$ask->('CREATE ROLE reader; GRANT EXECUTE ON FUNCTION gpuagg_cache_clear() TO reader');

	my @queries = (
		'SELECT * FROM totals ORDER BY 1',
		'SELECT gpu_cumsum(gpu_array_sum(x)) OVER (ORDER BY id) FROM series ORDER BY id LIMIT 3',
		'SELECT gpu_array_cumsum(x, true), gpu_array_sum(x) FROM series WHERE id = 7',
		'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;'
		  . ' SELECT gpu_sum(id), gpu_sum(x) FROM series',
		'SELECT sum(s) FROM (SELECT gpu_sum(id) OVER (ORDER BY id ROWS 3 PRECEDING) AS s FROM series) q');
	my @before = map { $ask->($_) } @queries;
	is($before[0], "0|25006500\n1|25001500", "$old: sums, with the library of $version");

	my (undef, undef, $error) = $node->psql('old', "\\set VERBOSITY verbose\nTABLE gpuagg_session_stat");
	like($error, qr/ERROR:  55000: .* different versions.*DETAIL:  The library is of version \Q$version\E.*HINT:  Run ALTER EXTENSION gpuagg UPDATE/s,
		"$old: a view with other columns says what to do");

	$ask->('CREATE VIEW mine AS SELECT * FROM gpuagg_stat');
	(undef, undef, $error) = $node->psql('old', 'ALTER EXTENSION gpuagg UPDATE');
	like($error, qr/cannot drop view gpuagg_stat because other objects depend on it/, "$old: a view on it is not dropped");
	$ask->('DROP VIEW mine');
	$ask->('ALTER EXTENSION gpuagg UPDATE');
	is($ask->("SELECT extversion FROM pg_extension WHERE extname = 'gpuagg'"), $version, "$old: upgraded");
	is_deeply([ map { $ask->($_) } @queries ], \@before, "$old: the same bits in the same session");
	is($ask->('SELECT gpu_count(x), gpu_count(id) FROM series'), '30000|10000', "$old: what is new works");
	is($ask->("SELECT count(*) FROM gpuagg_session_stat WHERE arrays > 0 AND bytes IS NOT NULL") > 0, 1, "$old: and the view");
	is($ask->("SELECT has_function_privilege('reader', 'gpuagg_cache_clear()', 'EXECUTE')"), 't', "$old: a grant is kept");
	$ask->('REVOKE EXECUTE ON FUNCTION gpuagg_cache_clear() FROM reader');

	my $upgraded = catalog('old');
	is(join("\n", only_in($upgraded, $fresh)), '', "$old: the upgraded installation has nothing else than a fresh one");
	is(join("\n", only_in($fresh, $upgraded)), '', "$old: and nothing less");
	$session->close;
	$node->safe_psql('postgres', $_) foreach 'DROP DATABASE old', 'DROP ROLE reader';
}

# A supervisor of another version still runs, and writes a file with other lines.
my $file = $node->data_dir . '/pg_stat_tmp/gpuagg.status';
my $status = slurp_file($file);
my ($supervisor) = $node->supervisors;
unlink $file;
append_to_file($file, $status =~ s/^(?:reload|checked) .*\n//mgr);
like(
	$node->answer('SELECT state, reason, hint, supervisor_pid FROM gpuagg_devices'),
	qr/^unknown\|the supervisor, process $supervisor, is of another version\|.*set gpuagg\.device to none.*\|$supervisor$/,
	'the view says of the supervisor that it is of another version, and what to do');
$node->reload_with("gpuagg.device = 'none'");
ok(defined $node->all_gone(10), 'which ends it');
$node->reload_with("gpuagg.device = '" . GpuaggCluster::device() . "'");
is($node->answer("SET gpuagg.engine = gpu; SELECT gpu_array_sum('{1,2}'::int[])"), '3', 'and the next query starts the new one');

$node->stop;
done_testing();
