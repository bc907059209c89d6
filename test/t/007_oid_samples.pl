# 007_oid_samples.pl: the supervisor sends gpuaggd samples of the OID counter.
#
# A script in the place of gpuaggd logs which samples came; how gpuaggd uses them
# is tested without a server.  The supervisor must go on whether the pipe is full
# or closed.

use strict;
use warnings;

use File::Copy;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time sleep);

my $pkglibdir = `$ENV{PG_CONFIG} --pkglibdir`;
chomp $pkglibdir;

# The script in the place of gpuaggd; --staging-size=MB chooses what it does.
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

# Wait up to so many seconds for a condition; true if it comes.
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

# Return the samples so far, each [milliseconds, oid, is a standby].
sub samples
{
	my ($node) = @_;

	return map { [ split ' ' ] }
	  slurp_file($node->logfile) =~ /LOG:  gpuaggd: sample (.*)$/mg;
}

# Have gpuaggd replaced, by another setting; its first sample follows at once.
sub start_other
{
	my ($node, $mb) = @_;
	my $before = status($node)->{daemon_pid};

	$node->append_conf('postgresql.conf', "gpuagg.staging_size = ${mb}MB");
	$node->reload;
	return comes(5,
		sub { my $now = status($node); $now->{state} eq 'up' && $now->{daemon_pid} != $before });
}

# Return what a process has open while it waits; between two waits it may have
# more or less for a moment.
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
ok(comes(5, sub { samples($node) > 0 }), 'a sample is sent when gpuaggd comes up');
is((samples($node))[0]->[2], 0, 'of a primary');

# Does the last sample have this counter?
sub last_is
{
	my ($node, $oid) = @_;

	return comes(5, sub { (samples($node))[-1]->[1] == $oid });
}

# The counter moves; the next sample has it, and that of a new gpuaggd.
$node->safe_psql('postgres', 'SELECT set_next_oid(3000000000)');
ok(last_is($node, 3000000000), 'the next sample has the new counter');
my $supervisor = status($node)->{supervisor_pid};
my $open = descriptors($supervisor);
my $n_before = samples($node);
ok(start_other($node, 33), 'a new gpuaggd');
ok(comes(5, sub { samples($node) > $n_before + 5 }), 'gets samples as well');
ok(last_is($node, 3000000000), 'of the counter');
$node->safe_psql('postgres', 'SELECT set_next_oid(4000000000); CREATE TABLE t (x int)');
my $next = $node->safe_psql('postgres', 'SELECT next_oid()');
cmp_ok($next, '>', 4000000000, 'the counter goes on');
ok(last_is($node, $next), 'and so do the samples');
my $begin = time;
$n_before = samples($node);
ok(comes(10, sub { samples($node) >= $n_before + 10 }), 'there are ten more');
cmp_ok(time - $begin, '>', 1.7, 'one after each period');
my ($first, $last) = (samples($node))[ $n_before, $n_before + 9 ];
my $ms = $last->[0] - $first->[0];
ok($ms >= 1700 && $ms < 10000, 'samples have the time when they were taken') or diag("$ms ms");

# Pipes that nobody reads.
foreach my $case ([ 65, 'closed' ], [ 66, 'full' ])
{
	ok(start_other($node, $case->[0]), "a pipe that is $case->[1]");
	sleep 0.3;
	is(status($node)->{supervisor_pid}, $supervisor, 'the supervisor goes on');
	is(kill(0, $supervisor), 1, 'its process exists');
}
like(slurp_file($node->logfile), qr/gpuaggd: the pipe is full$/m, 'it was full');
ok(start_other($node, 34), 'and then a pipe that is read');
is(descriptors($supervisor), $open, 'nothing was left open');

# The samples do not delay the supervisor's end.  A processor that others use may be
# late, but hardly five times.
my $took;
for my $turn (1 .. 5)
{
	$begin = time;
	kill 'TERM', $supervisor;
	$took = comes(5, sub { !kill 0, $supervisor }) ? time - $begin : 1e9;
	last if $took < 1 || $turn == 5;
	$node->restart;
	comes(10, sub { my $now = status($node); $now->{state} eq 'up' && $now->{supervisor_pid} != $supervisor });
	$supervisor = status($node)->{supervisor_pid};
}
cmp_ok($took, '<', 1, 'it stops within a second');

# Samples of a standby are marked, and have the primary's time.
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
is($is_standby, 1, 'are marked');
$next = $node->safe_psql('postgres', 'SELECT next_oid()');
ok($bound > $next && $bound <= $next + 8192, 'the bound is ahead, by 8192 at most')
  or diag("$next, bound $bound");
my $committed = $standby->safe_psql('postgres',
	q{SELECT floor((extract(epoch FROM pg_last_xact_replay_timestamp()) - 946684800) * 1000)});
is($replayed, $committed, 'the time is that of the last transaction');

# The bound goes back to the counter when the primary stops.
$node->stop;
ok(comes(5, sub { $standby->safe_psql('postgres', 'SELECT next_oid()') == $next }),
	'the bound goes back');
$standby->promote;
$standby->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()');
my $n = samples($standby);
ok(start_other($standby, 34) && comes(5, sub { samples($standby) > $n }), 'promoted');
is((samples($standby))[-1]->[2], 0, 'its samples are those of a primary');
$standby->stop;
done_testing();
