#!/usr/bin/perl
# load.pl LOAD: many sessions at once, for a while: what `make bench-load` runs.
#
# Runs under test/bin/with-cluster (see test/bin/bench-load).  Sessions send
# queries about arrays that are resident, arrays that are too many to be, queries
# that are cancelled and queries that fail.  LOAD (load.c) compares each result
# with that of the CPU engine, made before.  In the second half one more session
# reads a table that fits nowhere.  Meanwhile memory is sampled here: gpuaggd's,
# and what the sessions have for themselves.  It has to be flat: what is kept is
# filled before the load begins (warm_up).
#
# Prints tables in Markdown, and writes them to
# test/bench/results/<date>-<device>-load.md.  The exit status is that of LOAD, or
# 1 if memory grew.
use strict;
use warnings;
use FindBin;
use POSIX qw(ceil);
use Time::HiRes qw(sleep time);
use lib $FindBin::Bin;
use Bench;
use Page;

my ($load) = @ARGV;
my $size = $ENV{SIZE} || 1;
my $sessions = $ENV{SESSIONS} || 200;
my $seconds = $ENV{SECONDS_OF_LOAD} || 600;
my $length = 10000;    # float8 in an array
my $groups = 20;

use constant WARM_UP_SESSIONS => 32;

# What the median of memory may grow between the first quarter of the time and
# the last, in MB: gpuaggd's own, and a session's.
use constant GROWTH => (2, 0.25);

$Bench::settings .= "SET jit = off;\nSET search_path = load, public;\n";

# name => arrays
my %tables = (
	resident => scaled(2000),
	cold => scaled(20000),
	big => scaled(125000),
);

sub scaled { my ($n) = @_; return $groups * ceil($n * $size / $groups) }

sub make_tables
{
	my $n = machine()->{cores} || 1;
	my @inserts = ('') x $n;

	psql("CREATE SCHEMA load;\n" . join '', map {
		"CREATE UNLOGGED TABLE $_ (id integer, g integer, a float8[]);\nALTER TABLE $_ ALTER a SET STORAGE EXTERNAL;\n"
	} sort keys %tables);
	for my $name (sort keys %tables)
	{
		$inserts[ $_ - 1 ] .= "INSERT INTO $name SELECT i, i % $groups, random_array($length, i)\n"
		  . "\tFROM generate_series($_, $tables{$name}, $n) i;\n"
		  for 1 .. $n;
	}
	psql_all(@inserts);
	psql(join '', map { "CREATE INDEX ON $_ (g);\nVACUUM (ANALYZE, PROCESS_TOAST false) $_;\n" } sort keys %tables);
}

# --- queries: kind, weight, what the result must be, SQL

my @queries;

sub add
{
	my ($kind, $weight, $sql, $expected) = @_;

	$expected //= psql("SET gpuagg.engine = cpu;\n$sql;");
	push @queries, join("\t", $kind, $weight, $expected, $sql) . "\n";
}

sub make_queries
{
	my $sum = "SELECT encode(float8send(gpu_sum(a)), 'hex')";

	for my $g (0 .. $groups - 1)
	{
		add('resident', 60, "$sum FROM resident WHERE g = $g");
		add('resident', 10, "SELECT md5(string_agg(x::text, ' ')) FROM (SELECT gpu_array_cumsum(a) AS x FROM resident WHERE g = $g ORDER BY id LIMIT 2) q")
		  if $g % 4 == 0;
		add('cold', 10, "$sum FROM cold WHERE g = $g");
		add('cancelled', 10, "$sum FROM cold WHERE g = $g");
		# the last array's division by zero comes when others are under way
		my $id = psql("SELECT max(id) FROM resident WHERE g = $g");
		add('failing', 10, "SELECT gpu_sum(CASE WHEN id = $id THEN ARRAY[1 / (id - $id)] ELSE a END) FROM resident WHERE g = $g", '22012');
	}
	add('big', 0, "$sum FROM big");
}

# --- memory

sub slurp_file
{
	my ($file) = @_;
	open my $in, '<', $file or return '';
	local $/;
	return scalar(<$in>) // '';
}

# MB of a field of a file about a process.
sub memory_of
{
	my ($pid, $file, $field) = @_;

	return slurp_file("/proc/$pid/$file") =~ /^$field:\s+(\d+) kB/m ? $1 / 1024 : 0;
}

sub daemon_pid { return psql('SELECT DISTINCT pid FROM gpuagg_devices') }

# How many requests at a time gpuaggd has had so far: each has an eventfd, a queue
# and memory, which stay for later ones.
sub executed_at_once
{
	my ($pid) = @_;

	return scalar grep { (readlink($_) // '') eq 'anon_inode:[eventfd]' } glob "/proc/$pid/fd/*";
}

# Have what gpuaggd keeps until its end be used: staging memory, the requests at a
# time with their memory on the device, and the cache up to its size.
sub warm_up
{
	my $set = "SET gpuagg.engine = gpu;\n\\o /dev/null\n";

	psql_all(map { "${set}SELECT gpu_sum(a) FROM (SELECT a FROM big LIMIT 2000) q;\n" } 1 .. WARM_UP_SESSIONS);
	psql("${set}SELECT gpu_sum(a) FROM big;\nSELECT gpu_sum(a) FROM resident;\n");
}

# Samples of memory until a file is there: [seconds, gpuaggd's own MB, a
# session's, the most requests at a time].
sub sample_memory
{
	my ($file, $to) = @_;
	my $start = time;
	my $postmaster = (split /\n/, slurp_file(psql('SHOW data_directory') . '/postmaster.pid'))[0];
	my $daemon = daemon_pid();

	open my $out, '>', $to or die "$to: $!";
	until (-e $file)
	{
		my @backends = grep { slurp_file("/proc/$_/cmdline") =~ /\[local\]/ }
		  split ' ', slurp_file("/proc/$postmaster/task/$postmaster/children");
		my ($sum, $n) = (0, 0);
		for my $pid (@backends[ grep { $_ % ceil(@backends / 40) == 0 } 0 .. $#backends ])
		{
			$sum += memory_of($pid, 'status', 'RssAnon');
			$n++;
		}
		printf $out "%.1f\t%.1f\t%.3f\t%d\n", time - $start, memory_of($daemon, 'status', 'RssAnon'),
		  $n ? $sum / $n : 0, executed_at_once($daemon);
		sleep($seconds / 40 > 1 ? $seconds / 40 : 1);
	}
	close $out;
}

# The medians of a column in the first quarter of the time, and in the last.
sub quarters
{
	my ($column, @samples) = @_;
	my ($first, $last) = ([], []);

	for (@samples)
	{
		push @$first, $_->[$column] if $_->[0] <= $seconds / 4;
		push @$last, $_->[$column] if $_->[0] > $seconds * 3 / 4 && $_->[0] <= $seconds;
	}
	return map { @$_ ? median(@$_) : 0 } $first, $last;
}

# What grew too much, in words.
sub growth
{
	my ($what, $most, $first, $last) = @_;

	return sprintf('%s grew from %.2f to %.2f MB', $what, $first, $last) if !$last || $last > $first + $most;
	return;
}

# --- all of it

sub run_load
{
	my $tmp = $ENV{GPUAGG_TMP};

	open my $out, '>', "$tmp/queries" or die;
	print $out @queries;
	close $out;
	my $sampler = fork // die "fork: $!";
	if ($sampler == 0)
	{
		sample_memory("$tmp/load.done", "$tmp/memory.tsv");
		POSIX::_exit(0);
	}
	my $status = system("PGOPTIONS='-c max_parallel_workers_per_gather=0 -c jit=off -c client_min_messages=error -c search_path=load,public -c gpuagg.min_gpu_size=0' "
		. "$load $sessions $seconds <$tmp/queries >$tmp/load.tsv") >> 8;
	open my $done, '>', "$tmp/load.done" or die;
	waitpid $sampler, 0;
	die "load.pl: the load did not run\n" if $status > 1;
	return ($status, [ map { [ split /\t/ ] } split /\n/, slurp_file("$tmp/load.tsv") ],
		[ map { [ split /\t/ ] } split /\n/, slurp_file("$tmp/memory.tsv") ]);
}

my $began = time;
psql("CREATE TABLE IF NOT EXISTS public.nothing ()");
make_tables();
my $device = device();
make_queries();
my $daemon = daemon_pid();
my $made = time - $began;
warm_up();
my ($status, $rows, $samples) = run_load();
my ($stat) = psql("SELECT requests || ' requests, ' || hits || ' hits, ' || misses || ' misses, ' || evictions || ' evictions' FROM gpuagg_stat");
my $wrong = 0;
my $n = 0;
my $table = "| queries | number | wrong | cancelled | median | 95 % | 99 % | longest |\n|" . ' --- |' x 8 . "\n";
for (@$rows)
{
	my ($kind, @values) = @$_;
	$table .= "| $kind | " . join(' | ', map({ commas($_) } @values[ 0 .. 2 ]), map { "$_ ms" } @values[ 3 .. 6 ]) . " |\n";
	next if $kind =~ / /;
	$n += $values[0];
	$wrong += $values[1];
}
my @daemon_mb = quarters(1, @$samples);
my @session_mb = quarters(2, @$samples);
my @at_once = quarters(3, @$samples);
my @grows = (growth('the memory of gpuaggd', (GROWTH)[0], @daemon_mb), growth('the memory of a session', (GROWTH)[1], @session_mb));
my $lives = daemon_pid() eq $daemon ? 'the same at the end' : 'ANOTHER at the end';
my $machine = machine();
my $text = "# `make bench-load`, " . date() . "\n\n"
  . "$device; $machine->{name} ($machine->{cores} cores, $machine->{memory_gb} GB); PostgreSQL " . psql('SHOW server_version') . ".\n"
  . "$sessions sessions for $seconds s, SIZE=$size: arrays of " . commas($length) . ' float8, '
  . join(', ', map { commas($tables{$_}) . " $_" } qw(resident cold big)) . sprintf("; %.0f s to make them and the expected results.\n", $made)
  . "Each result was compared with the CPU engine's, by bits. In the second half one more session reads all of the big table.\n\n"
  . $table . "\n"
  . sprintf("%s queries, %d wrong. gpuaggd: %s, %s.\n\n", commas($n), $wrong, $lives, $stat)
  . "Memory is " . (@grows ? '**NOT** flat' : 'flat') . sprintf(", after many sessions filled the cache at once: it may grow by %s MB and %s MB.\n\n", GROWTH)
  . "| memory | first quarter | last quarter |\n| --- | --- | --- |\n"
  . sprintf("| gpuaggd, its own | %.2f MB | %.2f MB |\n", @daemon_mb)
  . sprintf("| a session, its own | %.2f MB | %.2f MB |\n", @session_mb)
  . sprintf("| the most requests at a time so far | %d | %d |\n", @at_once);
print $text;
my $kind = $device =~ /^emulated/i ? 'emulated' : lc($device =~ s/,.*//sr) =~ s/[^a-z0-9]+/-/gr;
my $file = results_folder() . '/' . date() . "-$kind-load.md";
write_file($file, $text);
print "\n$file\n";
print STDERR map { "load.pl: $_\n" } @grows;
exit($status || @grows || $lives =~ /ANOTHER/ ? 1 : 0);
