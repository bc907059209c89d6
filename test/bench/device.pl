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
use FindBin;
use IPC::Run;
use lib $FindBin::Bin;
use Bench;

my $request_program = shift or die "usage: device.pl REQUEST_PROGRAM\n";
my $rounds = $ENV{ROUNDS} || 11;
my $gpu = -e '/dev/nvidia0';
my $remark = '';

psql(<<'SQL');
CREATE TABLE IF NOT EXISTS arrays_8k (a float8[]);
ALTER TABLE arrays_8k ALTER a SET STORAGE PLAIN;
INSERT INTO arrays_8k
	SELECT (SELECT array_agg(random()) FROM generate_series(1, 1000) WHERE g > 0)
	FROM generate_series(1, 100000) g WHERE NOT EXISTS (SELECT FROM arrays_8k);
VACUUM ANALYZE arrays_8k;
SQL

server_setting('gpuagg.staging_size', '1GB');    # for a hundred sessions
my $kind = device();

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
my @ratio = map { $_->[1] / $_->[0] } @rows;
report('staged sum of 125M float8 (1 GB) in memory, of the rate at which one core copies it into staging memory',
	'>= 0.80', sprintf('%.2f', median(@ratio)), median(@ratio) >= 0.8,
	'sum ' . spread('ms', map { $_->[0] } @rows) . ', copy ' . spread('ms', map { $_->[1] } @rows)
	  . ', CPU engine ' . spread('ms', map { $_->[2] } @rows) . ', ratio ' . spread('', @ratio));

# --- many arrays: are the round trips hidden?
my $many = 'SELECT gpu_sum(a) FROM arrays_8k';
my ($device, $cpu) = take_turns($rounds, "SET gpuagg.engine = gpu; $many", "SET gpuagg.engine = cpu; $many");
@ratio = ratios($device, $cpu);
report('100,000 arrays of 1,000 float8, engine=gpu against engine=cpu, time', '<= 1.5',
	sprintf('%.2f', median(@ratio)), median(@ratio) <= 1.5,
	'gpu ' . spread('ms', @$device) . ', cpu ' . spread('ms', @$cpu) . ', ratio ' . spread('', @ratio));

# --- the first query of a session
my @first;
for (1 .. $rounds)
{
	my $query = "SELECT gpu_array_sum('{1}'::float8[])";
	my ($first, @later) = first_and_later("$query;\nSET gpuagg.engine = gpu;", $query, 12);
	push @first, $first - median(@later);
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
	return ($used, $clients, $contexts);
}
my ($used_1) = sessions(1);
my ($used_100, $clients, $contexts) = sessions(100);
my $staging = psql('SHOW gpuagg.staging_size');
if ($gpu)
{
	my $more = $used_100 - $used_1;
	report('100 sessions at once: device memory more than with one', "<= their staging ($staging in all)",
		"$more MB", $more <= 1024 * 1.1, "$clients sessions, $used_1 MB with one, $used_100 MB with all; "
		  . "compute processes seen by nvidia-smi: $contexts");
}
else
{
	$remark = "* 100 sessions at once: $clients were connected\n";
}

# --- auto where there is no device, against cpu
server_setting('gpuagg.device', 'none');
for my $query ('SELECT gpu_sum(a) FROM arrays_8k', 'SELECT gpu_sum(x) FROM rows_10m',
	'SELECT gpu_sum(a) FROM arrays_1m', 'SELECT sum(gpu_array_sum(a)) FROM arrays_100',
	'SELECT cardinality(gpu_array_cumsum(a)) FROM array_10m',
	'SELECT max(s) FROM (SELECT gpu_cumsum(x) OVER (ROWS UNBOUNDED PRECEDING) AS s FROM rows_1m) q')
{
	my @sides = ("SET gpuagg.engine = auto; SET gpuagg.min_gpu_size = 0; $query", "SET gpuagg.engine = cpu; $query");
	my ($probe) = take_turns(1, @sides);
	my $n = 5000 / $probe->[0];
	my ($auto, $cpu) = take_turns($n < $rounds ? $rounds : $n > 301 ? 301 : int $n, @sides);
	my @r = ratios($auto, $cpu);
	report("`$query`, engine=auto without a device against engine=cpu, time", '0.97 to 1.03',
		sprintf('%.3f', median(@r)), median(@r) <= 1.03,
		scalar(@r) . ' rounds, auto ' . spread('ms', @$auto) . ', cpu ' . spread('ms', @$cpu) . ', ratio ' . spread('', @r));
}

server_setting('gpuagg.device');

my $text = "# `make bench`, queries on the device, " . date() . "\n\n"
  . "$kind; " . machine()->{name} . '; PostgreSQL ' . psql('SHOW server_version') . ".\n"
  . "Medians of $rounds rounds in which the sides took turns; in brackets the 10th to the 90th percentile.\n\n"
  . figures() . "\n" . details() . $remark;
print $text;
write_results((split /,/, $kind)[0], '-sql.md', $text);
