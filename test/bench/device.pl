#!/usr/bin/perl
# device.pl: measures queries on the device against the CPU engine.
#
# Runs under test/bin/with-cluster (see test/bin/bench), which made a server,
# after bench.pl made its tables.  The sides of a figure take turns; medians
# are compared.  Prints a table in Markdown, and writes it to
# test/bench/results/<date>-<device>-sql.md.  ROUNDS sets how often; the first
# argument is the program that times requests (test/bench/request.c).
use strict;
use warnings;
use IPC::Run;
use POSIX qw(strftime);

my $request_program = shift or die "usage: device.pl REQUEST_PROGRAM\n";
my $rounds = $ENV{ROUNDS} || 11;
my $gpu = -e '/dev/nvidia0';
my (@table, @details);

sub sorted { return sort { $a <=> $b } @_ }
sub median { my @s = sorted(@_); return $s[int(@s / 2)] }

# The middle, and the 10th and 90th percentiles, in a unit.
sub spread
{
	my ($unit, @values) = @_;
	my @s = sorted(@values);

	return sprintf('%.4g %s (%.4g to %.4g)', median(@s), $unit,
		$s[int(0.1 * @s)], $s[int(0.9 * @s) - (0.9 * @s == int(0.9 * @s) ? 1 : 0)]);
}

sub psql
{
	my ($input) = @_;
	my $file = "$ENV{GPUAGG_TMP}/device.sql";

	open my $out, '>', $file or die "$file: $!";
	print $out "SET max_parallel_workers_per_gather = 0;\n$input";
	close $out;
	my $result = `psql -X -q -A -t -v ON_ERROR_STOP=1 -f $file`;
	die "psql failed\n" if $?;
	return $result;
}

# How long each of some queries takes, in turns, with another first each time,
# in one session: lists of ms.
sub take_turns
{
	my ($n, @queries) = @_;
	my $script = "\\timing on\n\\o /dev/null\n";
	my @lists = map { [] } @queries;

	for my $round (0 .. $n)
	{
		my @order = $round % 2 ? 0 .. $#queries : reverse 0 .. $#queries;
		$script .= "\\echo round $round $_\n$queries[$_];\n" for @order;
	}
	my ($round, $which);
	for (split /\n/, psql($script))
	{
		($round, $which) = ($1, $2) if /^round (\d+) (\d+)/;
		# the last of a query's times is its own; settings come before
		$lists[$which][$round] = $1 if /^Time: ([0-9.]+) ms/ && defined $which;
	}
	shift @$_ for @lists;    # a warm-up
	return @lists;
}

sub report
{
	my ($figure, $goal, $value, $met, $detail) = @_;

	push @table, sprintf('| %s | %s | %s | %s |', $figure, $goal, $value, $met ? 'yes' : 'NO');
	push @details, "* $figure: $detail";
	print STDERR "$table[-1]\n$details[-1]\n";
}

psql(<<'SQL');
DROP FUNCTION IF EXISTS staging_copy_ms(float8[]);
\getenv test_module GPUAGG_TEST_MODULE
CREATE FUNCTION staging_copy_ms(float8[]) RETURNS float8
	AS :'test_module', 'staging_copy_ms' LANGUAGE C STRICT;
CREATE TABLE IF NOT EXISTS arrays_8k (a float8[]);
ALTER TABLE arrays_8k ALTER a SET STORAGE PLAIN;
INSERT INTO arrays_8k
	SELECT (SELECT array_agg(random()) FROM generate_series(1, 1000) WHERE g > 0)
	FROM generate_series(1, 100000) g WHERE NOT EXISTS (SELECT FROM arrays_8k);
VACUUM ANALYZE arrays_8k;
SQL

my $kind = psql(<<'SQL');
SET gpuagg.engine = gpu;
SELECT gpu_array_sum('{1}'::int[]) \g /dev/null
SELECT name || coalesce(', compute capability ' || compute_capability, '') ||
	coalesce(', driver for CUDA ' || driver_cuda || ', runtime ' || runtime_cuda, '')
	FROM gpuagg_devices;
SQL
chomp $kind;

# --- a large array in memory: through staging, against only copying it there
my @rows = map { [split /\|/] } grep { /\|/ } split /\n/, psql(<<"SQL");
SET gpuagg.engine = gpu;
DO \$\$
DECLARE
	a float8[] := array_fill(1.25::float8, ARRAY[125000000]);
	start timestamptz;
	total float8;
	copied float8;
BEGIN
	CREATE TEMP TABLE times (sum_ms float8, copy_ms float8, cpu_ms float8);
	FOR i IN 0 .. $rounds LOOP
		copied := staging_copy_ms(a);
		start := clock_timestamp();
		total := gpu_array_sum(a);
		INSERT INTO times VALUES (extract(epoch FROM clock_timestamp() - start) * 1000, copied);
		IF total <> 156250000 THEN RAISE EXCEPTION 'wrong: %', total; END IF;
		SET LOCAL gpuagg.engine = cpu;
		start := clock_timestamp();
		total := gpu_array_sum(a);
		UPDATE times SET cpu_ms = extract(epoch FROM clock_timestamp() - start) * 1000 WHERE cpu_ms IS NULL;
		SET LOCAL gpuagg.engine = gpu;
		IF i = 0 THEN DELETE FROM times; END IF;
	END LOOP;
END \$\$;
SELECT * FROM times;
SQL
my @ratios = map { $_->[1] / $_->[0] } @rows;
report('staged sum of 125M float8 (1 GB) in memory, of the rate at which one core copies it into staging memory',
	'>= 0.80', sprintf('%.2f', median(@ratios)), median(@ratios) >= 0.8,
	'sum ' . spread('ms', map { $_->[0] } @rows) . ', copy ' . spread('ms', map { $_->[1] } @rows)
	  . ', CPU engine ' . spread('ms', map { $_->[2] } @rows) . ', ratio ' . spread('', @ratios));

# --- many arrays: are the round trips hidden?
my $many = 'SELECT gpu_sum(a) FROM arrays_8k';
my ($device, $cpu) = take_turns($rounds, "SET gpuagg.engine = gpu; $many", "SET gpuagg.engine = cpu; $many");
@ratios = map { $device->[$_] / $cpu->[$_] } 0 .. $#$device;
report('100,000 arrays of 1,000 float8, engine=gpu against engine=cpu, time', '<= 1.5',
	sprintf('%.2f', median(@ratios)), median(@ratios) <= 1.5,
	'gpu ' . spread('ms', @$device) . ', cpu ' . spread('ms', @$cpu) . ', ratio ' . spread('', @ratios));

# --- the first query of a session
my @first;
for (1 .. $rounds)
{
	my @ms = psql("SELECT gpu_array_sum('{1}'::float8[]) \\g /dev/null\nSET gpuagg.engine = gpu;\n\\o /dev/null\n\\timing on\n"
		  . "SELECT gpu_array_sum('{1}'::float8[]);\n" x 12) =~ /^Time: ([0-9.]+) ms/mg;
	my $first = shift @ms;
	push @first, $first - median(@ms);
}
report('first GPU query of a new session, over later ones', '<= 5 ms', sprintf('%.2f ms', median(@first)),
	median(@first) <= 5, spread('ms', @first));

# --- the smallest request
my @us = split /\s+/, `$request_program 3000`;
die "the requests failed\n" if $? || !@us;
report('smallest request, socket to answer', '<= 30 µs', sprintf('%.1f µs', median(@us)),
	median(@us) <= 30, spread('µs', @us));

# --- a hundred sessions
sub used_mb
{
	my $used = $gpu ? `nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits` : 0;
	return (split /\n/, $used)[0];
}

sub sessions
{
	my ($n) = @_;
	my @runs;

	my $file = "$ENV{GPUAGG_TMP}/session.sql";
	open my $out, '>', $file or die "$file: $!";
	print $out "SET gpuagg.engine = gpu;\n"
	  . "SELECT gpu_sum(a) FROM (SELECT a FROM arrays_8k LIMIT 2000) q;\nSELECT pg_sleep(5);\n";
	close $out;
	for my $i (1 .. $n)
	{
		my ($answer, $error) = ('', '');
		push @runs, IPC::Run::start(['psql', '-X', '-q', '-A', '-t', '-f', $file],
			'<', \undef, '>', \$answer, '2>', \$error);
	}
	sleep 4;
	my $used = used_mb();
	my $clients = psql('SELECT sessions FROM gpuagg_devices LIMIT 1');
	my $contexts = $gpu ? () = `nvidia-smi --query-compute-apps=pid --format=csv,noheader` =~ /\d+/g : 0;
	$_->finish for @runs;
	chomp $clients;
	return ($used, $clients, $contexts);
}
my ($used_1) = sessions(1);
my ($used_100, $clients, $contexts) = sessions(100);
my $staging = psql('SHOW gpuagg.staging_size');
chomp $staging;
if ($gpu)
{
	my $more = $used_100 - $used_1;
	report('100 sessions at once: device memory more than with one', "<= their staging ($staging in all)",
		"$more MB", $more <= 1024 * 1.1, "$clients sessions, $used_1 MB with one, $used_100 MB with all; "
		  . "compute processes seen by nvidia-smi: $contexts");
}
else
{
	push @details, "* 100 sessions at once: $clients were connected";
}

# --- auto where there is no device, against cpu
psql(<<'SQL');
LOAD 'gpuagg';
ALTER SYSTEM SET gpuagg.device = 'none';
SELECT pg_reload_conf() \g /dev/null
SELECT pg_sleep(1) \g /dev/null
SQL
for my $query ('SELECT gpu_sum(a) FROM arrays_8k', 'SELECT gpu_sum(x) FROM rows_10m',
	'SELECT gpu_sum(a) FROM arrays_1m', 'SELECT sum(gpu_array_sum(a)) FROM arrays_100',
	'SELECT cardinality(gpu_array_cumsum(a)) FROM array_10m',
	'SELECT max(s) FROM (SELECT gpu_cumsum(x) OVER (ROWS UNBOUNDED PRECEDING) AS s FROM rows_1m) q')
{
	my @sides = ("SET gpuagg.engine = auto; SET gpuagg.min_gpu_size = 0; $query", "SET gpuagg.engine = cpu; $query");
	my ($probe) = take_turns(1, @sides);
	my $n = 5000 / $probe->[0];
	my ($auto, $cpu) = take_turns($n < $rounds ? $rounds : $n > 301 ? 301 : int $n, @sides);
	my @r = map { $auto->[$_] / $cpu->[$_] } 0 .. $#$auto;
	report("`$query`, engine=auto without a device against engine=cpu, time", '0.97 to 1.03',
		sprintf('%.3f', median(@r)), median(@r) <= 1.03,
		scalar(@r) . ' rounds, auto ' . spread('ms', @$auto) . ', cpu ' . spread('ms', @$cpu) . ', ratio ' . spread('', @r));
}

my $version = psql('SHOW server_version');
chomp $version;
my ($processor) = eval { open my $f, '<', '/proc/cpuinfo' or die; local $/; <$f> =~ /model name\s*: (.*)/ };
my $date = strftime('%Y-%m-%d', gmtime);
my $text = "# `make bench`, queries on the device, $date\n\n"
  . "$kind; " . ($processor // 'unknown processor') . "; PostgreSQL $version.\n"
  . "Medians of $rounds rounds in which the sides took turns; in brackets the 10th to the 90th percentile.\n\n"
  . "| figure | goal | measured | met |\n| --- | --- | --- | --- |\n"
  . join("\n", @table) . "\n\n" . join("\n", @details) . "\n";
print $text;
my $name = lc((split /,/, $kind)[0]);
$name =~ s/[^a-z0-9]+/-/g;
open my $file, '>', "test/bench/results/$date-$name-sql.md" or die "results: $!";
print $file $text;
close $file;
