# 007_oid_feed.pl: gpuaggd hears of the OID counter while nobody asks anything.
#
# A script in the place of gpuaggd says which samples came; how gpuaggd takes
# them in is tested without a server.  The supervisor must mind neither a pipe
# that is full nor one that is closed.

use strict;
use warnings;

use File::Copy;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time sleep);

my $pkglibdir = `$ENV{PG_CONFIG} --pkglibdir`;
chomp $pkglibdir;

# The script, by what its only argument that matters says: --staging-size=MB.
my $script = <<'PERL';
use Fcntl;
my ($mb) = "@ARGV" =~ /--staging-size=(\d+)/;
close STDIN if $mb == 65;
if ($mb == 66)
{
	sysopen my $full, '/proc/self/fd/0', O_WRONLY | O_NONBLOCK or die $!;
	1 while syswrite $full, 'x' x 16;
	print "LOG: the pipe is full\n";
}
print "READY\n";
if ($mb < 65)
{
	while (sysread(STDIN, my $sample, 16) == 16)
	{
		print "LOG: sample ", join(' ', unpack 'q L L', $sample), "\n";
	}
	print "LOG: the feed ended\n";
}
sleep 60 while 1;
PERL

sub new_node
{
	my ($name) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	my $dir = $node->basedir . '/module';

	mkdir $dir;
	copy("$pkglibdir/gpuagg.so", $dir) or die "no gpuagg.so: $!";
	append_to_file("$dir/gpuaggd", "#!$^X\n\$| = 1;\n$script");
	chmod 0755, "$dir/gpuagg.so", "$dir/gpuaggd";
	return ($node, $dir);
}

sub status
{
	my ($node) = @_;

	open my $file, '<', $node->data_dir . '/pg_stat_tmp/gpuagg.status' or return {};
	return { map { /^(\w+) (.*)$/ ? ($1 => $2) : () } <$file> };
}

# Waits until something is so.
sub comes
{
	my ($seconds, $is_so) = @_;
	my $begin = time;

	while (time - $begin < $seconds)
	{
		return 1 if $is_so->();
		sleep 0.02;
	}
	return 0;
}

# What came so far: [milliseconds, oid, is a standby], one for each sample.
sub samples
{
	my ($node) = @_;

	return map { [ split ' ' ] }
	  slurp_file($node->logfile) =~ /LOG:  gpuaggd: sample (.*)$/mg;
}

# A new gpuaggd, by another setting; as it is up, its first sample is written.
sub start_other
{
	my ($node, $mb) = @_;
	my $before = status($node)->{daemon_pid};

	$node->append_conf('postgresql.conf', "gpuagg.staging_size = ${mb}MB");
	$node->reload;
	return comes(5,
		sub { my $now = status($node); $now->{state} eq 'up' && $now->{daemon_pid} != $before });
}

# What a process has open while it waits; it has less or more for a moment
# between two waits.
sub descriptors
{
	my ($pid) = @_;
	my ($now, $last, $n) = ('', '', 0);

	while ($n < 5)
	{
		$now = join ' ', sort map { (readlink($_) // '') =~ s/\d+//gr } glob "/proc/$pid/fd/*";
		$n = $now eq $last ? $n + 1 : 0;
		$last = $now;
		sleep 0.02;
	}
	return $now;
}

my ($node, $dir) = new_node('primary');
$node->init(allows_streaming => 1);
$node->append_conf('postgresql.conf', $_)
  foreach "shared_preload_libraries = 'gpuagg'", "gpuagg.device = 'emulated'",
  'gpuagg.staging_size = 32MB', 'autovacuum = off',
  "dynamic_library_path = '$dir:\$libdir'";
$node->start;
$node->safe_psql('postgres', <<SQL);
CREATE FUNCTION next_oid() RETURNS oid AS '$ENV{GPUAGG_TEST_MODULE}' LANGUAGE C STRICT;
CREATE FUNCTION set_next_oid(oid) RETURNS oid AS '$ENV{GPUAGG_TEST_MODULE}' LANGUAGE C STRICT;
SQL
ok(comes(5, sub { samples($node) == 1 }), 'a sample comes when gpuaggd does');
is((samples($node))[0]->[2], 0, 'a primary\'s');

# The counter moves; another gpuaggd hears of it, and later of its next move.
$node->safe_psql('postgres', 'SELECT set_next_oid(3000000000)');
my $supervisor = status($node)->{supervisor_pid};
my $open = descriptors($supervisor);
my $begin = time;
ok(start_other($node, 33), 'another gpuaggd');
ok(comes(5, sub { samples($node) == 2 }), 'gets a sample as well');
is((samples($node))[1]->[1], 3000000000, 'of the counter');
$node->safe_psql('postgres', 'SELECT set_next_oid(4000000000); CREATE TABLE t (x int)');
my $next = $node->safe_psql('postgres', 'SELECT next_oid()');
cmp_ok($next, '>', 4000000000, 'the counter goes on');
ok(comes(15, sub { samples($node) == 3 }), 'the next one comes');
cmp_ok(time - $begin, '>', 9, 'after a while');
is((samples($node))[2]->[1], $next, 'and has that');
my $ms = (samples($node))[2]->[0] - (samples($node))[1]->[0];
ok($ms >= 9900 && $ms < 14000, 'they tell when they were taken') or diag("$ms ms");

# Pipes that nobody reads.
foreach my $case ([ 65, 'closed' ], [ 66, 'full' ])
{
	ok(start_other($node, $case->[0]), "a pipe that is $case->[1]");
	sleep 0.3;
	is(status($node)->{supervisor_pid}, $supervisor, 'the supervisor minds it not');
	is(kill(0, $supervisor), 1, 'and lives');
}
like(slurp_file($node->logfile), qr/gpuaggd: the pipe is full$/m, 'it was full');
ok(start_other($node, 34), 'and then one that is read');
is(descriptors($supervisor), $open, 'nothing was left open');

# Its wake-ups do not keep it from leaving.
$begin = time;
kill 'TERM', $supervisor;
ok(comes(5, sub { !kill 0, $supervisor }) && time - $begin < 1, 'it stops within a second')
  or diag('it took ' . (time - $begin));

# A standby's are of another kind, and of the primary's time.
$node->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'backup', has_streaming => 1);
$standby->append_conf('postgresql.conf', 'gpuagg.staging_size = 32MB');
$standby->start;
$node->safe_psql('postgres', 'CREATE TABLE u (x int)');
$node->wait_for_catchup($standby);
ok(comes(5, sub { (status($standby)->{state} // '') eq 'up' }) && start_other($standby, 33) &&
	  comes(5, sub { samples($standby) >= 2 }), 'samples of a standby');
my ($replayed, $bound, $is_standby) = @{ (samples($standby))[-1] };
is($is_standby, 1, 'say so');
$next = $node->safe_psql('postgres', 'SELECT next_oid()');
ok($bound > $next && $bound <= $next + 8192, 'the bound is ahead, by 8192 at most')
  or diag("$next, bound $bound");
my $committed = $standby->safe_psql('postgres',
	q{SELECT floor((extract(epoch FROM pg_last_xact_replay_timestamp()) - 946684800) * 1000)});
is($replayed, $committed, 'the time is that of the last transaction');

# It goes back to the counter when the primary stops.
$node->stop;
ok(comes(5, sub { $standby->safe_psql('postgres', 'SELECT next_oid()') == $next }),
	'the bound goes back');
$standby->promote;
$standby->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()');
my $n = samples($standby);
ok(start_other($standby, 34) && comes(5, sub { samples($standby) > $n }), 'promoted');
is((samples($standby))[-1]->[2], 0, 'its samples are a primary\'s');
$standby->stop;
done_testing();
