# 044_exactsum.pl: stored exact sums leave a database and come back: COPY in both
# formats, pg_dump, logical replication.  Bytes that are damaged on the way are
# refused, and nothing is lost.

use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use GpuaggCluster qw(within);

my $node = GpuaggCluster->create('publisher', preload => 0, streaming => 1, settings => [ 'wal_level = logical' ]);
my $tmp = PostgreSQL::Test::Utils::tempdir();

# Sums of every kind: the vectors, and random ones of more limbs.
my $csv = slurp_file('test/data/exactsum.csv');
my $values = join ', ', map { "('\\x$_')" } $csv =~ /,([0-9a-f]{90,}),/g;
$node->answer("CREATE TABLE sums (id serial PRIMARY KEY, s exactsum);
	INSERT INTO sums (s) VALUES $values, (NULL);
	INSERT INTO sums (s) SELECT gpu_sum_state(random() * power(2::float8, floor((random() - 0.5) * 2000)))
		FROM generate_series(1, 200) g, generate_series(1, 20) i GROUP BY g;
	CREATE INDEX ON sums (s)");
my $checksum = q{SELECT count(s), md5(string_agg(s::text, ',' ORDER BY id)) FROM sums};
my $right = $node->answer($checksum);

like($right, qr/^2\d\d\|/, 'sums');

foreach my $format ('text', 'binary', 'csv')
{
	my $file = "$tmp/sums.$format";

	is($node->answer("COPY sums TO '$file' (FORMAT $format);
		CREATE TEMP TABLE back (LIKE sums);
		COPY back FROM '$file' (FORMAT $format);
		SELECT count(*) FROM back JOIN sums USING (id) WHERE back.s IS NOT DISTINCT FROM sums.s"),
		$node->answer('SELECT count(*) FROM sums'), "COPY in the format $format");
}

# Moments, too.
$node->answer("CREATE TABLE moments AS
	SELECT id, gpu_moments_state(x) AS m FROM generate_series(1, 100) id,
		LATERAL (SELECT (id % 7 - 3) * power(10::float8, i % 300 - 150) AS x FROM generate_series(1, id) i) q GROUP BY id");
foreach my $format ('text', 'binary', 'csv')
{
	my $file = "$tmp/moments.$format";

	is($node->answer("COPY moments TO '$file' (FORMAT $format);
		CREATE TEMP TABLE back (LIKE moments);
		COPY back FROM '$file' (FORMAT $format);
		SELECT count(*) FROM back JOIN moments USING (id) WHERE back.m::text = moments.m::text"),
		100, "COPY of moments in the format $format");
}

# Each byte of a sum changed in the binary file: an error, or another sum.
$node->answer("CREATE TABLE one (s exactsum); CREATE TABLE copied (LIKE one);
	INSERT INTO one SELECT gpu_sum_state(x) FROM unnest('{1e300,1,-1e-300,NaN,-0}'::float8[]) x;
	COPY one TO '$tmp/one' (FORMAT binary)");
my $bytes = slurp_file("$tmp/one");
my $n = $node->answer('SELECT octet_length(exactsum_send(s)) FROM one');
my $begin = length($bytes) - 2 - $n;
my $script = '';
foreach my $at (0 .. $n - 1)
{
	my $damaged = $bytes;

	substr($damaged, $begin + $at, 1) ^= chr(0x81);
	unlink "$tmp/damaged.$at";
	append_to_file("$tmp/damaged.$at", $damaged);
	$script .= "COPY copied FROM '$tmp/damaged.$at' (FORMAT binary);\n";
}
my ($out, $err);
$node->psql('postgres', "\\set VERBOSITY verbose\n$script", on_error_stop => 0, stderr => \$err);
my @states = $err =~ /ERROR:  (\w{5}):/g;
is(join(',', grep { $_ ne '22P03' } @states), '', 'damaged bytes are refused with their code');
cmp_ok(scalar @states, '>', 30, 'those of the head, most of them');
like($err, qr/exactsum of an unknown version/, 'another version is named');
is($node->answer('SELECT count(*) FROM copied WHERE s::text::exactsum <> s'), '0', 'what is accepted is a sum');

# pg_dump, and the type with all that belongs to it
$node->PostgreSQL::Test::Cluster::command_ok([ 'pg_dump', '-Fc', '-f', "$tmp/dump", 'postgres' ], 'pg_dump');
$node->answer('CREATE DATABASE restored');
$node->PostgreSQL::Test::Cluster::command_ok([ 'pg_restore', '-d', 'restored', "$tmp/dump" ], 'pg_restore');
is($node->answer($checksum, 'restored'), $right, 'the same sums');
is($node->answer("SET enable_seqscan = off; SELECT id FROM sums WHERE s = (SELECT s FROM sums WHERE id = 7)", 'restored'),
	$node->answer('SELECT id FROM sums WHERE s = (SELECT s FROM sums WHERE id = 7)'), 'by the index');

# logical replication, in both formats
my $subscriber = GpuaggCluster->create('subscriber', preload => 0);
$subscriber->answer('CREATE TABLE sums (id int PRIMARY KEY, s exactsum)');
$node->answer('CREATE PUBLICATION all_sums FOR TABLE sums');
my $connstr = $node->connstr('postgres') =~ s/'/''/gr;
$subscriber->answer("CREATE SUBSCRIPTION here CONNECTION '$connstr' PUBLICATION all_sums WITH (binary = true)");
$subscriber->wait_for_subscription_sync($node, 'here');
is($subscriber->answer($checksum), $right, 'what was there');
$node->answer("UPDATE sums SET s = s + '0.1' WHERE id % 3 = 0; DELETE FROM sums WHERE id % 7 = 0; INSERT INTO sums (s) VALUES ('1e-300')");
$node->wait_for_catchup('here');
is($subscriber->answer($checksum), $node->answer($checksum), 'changes, binary');
$subscriber->answer('ALTER SUBSCRIPTION here SET (binary = false)');
$node->answer("UPDATE sums SET s = s - '0.1' WHERE id % 3 = 0");
$node->wait_for_catchup('here');
is($subscriber->answer($checksum), $node->answer($checksum), 'changes, text');
$subscriber->answer('DROP SUBSCRIPTION here');

$_->stop foreach $subscriber, $node;
done_testing();
