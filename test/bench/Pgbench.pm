# Pgbench.pm: sessions of pgbench that ask for resident arrays: queries a second
# and latencies.
package Pgbench;

use strict;
use warnings;
use Exporter 'import';
use FindBin;
use lib $FindBin::Bin;
use Arrays;
use Bench;

our @EXPORT = qw(pgbench pgbench_log latencies differences report_more_us random_one assert_session);

# Each session's settings.
our $options = '-c gpuagg.engine=auto -c gpuagg.min_gpu_size=0 -c jit=off -c search_path=arrays,public';

# The part of all queries that is logged.
use constant SAMPLING_RATE => 0.1;

# Sums one of the n arrays of a table, the first one or a random one.
sub random_one
{
	my ($table) = @_;
	$table //= $big_table;

	return '\set id random(1, ' . n_arrays($table) . ")\nSELECT gpu_array_sum(a) FROM $table WHERE id = :id;\n";
}

# Fails in a session in which the CPU did anything, or the device nothing.
sub assert_session
{
	return "SELECT 1 / (sum(arrays) FILTER (WHERE engine = 'gpu') > 0\n"
	  . "\tAND coalesce(sum(arrays) FILTER (WHERE engine = 'cpu'), 0) = 0)::integer FROM gpuagg_session_stat;\n";
}

# Runs a script with prepared statements: { tps, seconds, output }.
sub pgbench
{
	my ($script, @arguments) = @_;
	my $file = "$ENV{GPUAGG_TMP}/pgbench.$$.sql";

	open my $out, '>', $file or die "$file: $!";
	print $out $script;
	close $out;
	local $ENV{PGOPTIONS} = $options;
	my $output = `pgbench -n -M prepared -f $file @arguments 2>&1`;
	die "pgbench failed (it comes with PostgreSQL's server or contrib package):\n$output" if $?;
	my ($tps) = $output =~ /^tps = ([\d.]+)/m;
	my ($n) = $output =~ /^number of transactions actually processed: (\d+)/m or die "no number in what pgbench says:\n$output";
	return { tps => $tps // 0, seconds => $tps ? $n / $tps : 0, output => $output };
}

# The latencies in µs of queries that take turns in so many rounds of a second: a
# list for each.  A session begins with the first query, and has to pass `assert`.
sub latencies
{
	my ($rounds, $assert, @queries) = @_;
	my @scripts = map { "$_;\n" } @queries;
	my @us = map { [] } @scripts;

	pgbench($scripts[0] . $assert, '-t', 20);
	for my $round (1 .. $rounds)
	{
		my @order = $round % 2 ? 0 .. $#scripts : reverse 0 .. $#scripts;
		push @{ $us[$_] }, 1e6 / pgbench($scripts[$_], '-T', 1)->{tps} for @order;
	}
	return @us;
}

# Of two lists that took turns.
sub differences { my ($x, $y) = @_; return map { $x->[$_] - $y->[$_] } 0 .. $#$x }

# A figure: what a query takes more than SELECT 1, whose latencies these are.
sub report_more_us
{
	my ($what, $goal, $query_us, $one_us, $detail) = @_;
	my @more = differences($query_us, $one_us);

	report_most("$what, more than `SELECT 1`, prepared", $goal, 'µs',
		'; the query ' . spread('µs', @$query_us) . ', SELECT 1 ' . spread('µs', @$one_us) . "$detail; averages of a second each", @more);
}

# Lines of pgbench's log: [when a query ended, its ms].
sub read_log
{
	my ($prefix) = @_;
	my @lines;

	for my $file (glob "$prefix.*")
	{
		open my $in, '<', $file or die "$file: $!";
		while (<$in>)
		{
			my ($us, $s, $s_us) = (split)[ 2, 4, 5 ];
			push @lines, [$s + $s_us / 1e6, $us / 1000];
		}
		close $in;
		unlink $file;
	}
	return sort { $a->[0] <=> $b->[0] } @lines;
}

# The same for so many sessions and seconds, after a time to warm up in which
# sessions begin, longer where it was too short: { tps => queries a second, ms =>
# latencies of a sample of the queries }.
sub pgbench_log
{
	my ($script, $sessions, $seconds, $warm_up) = @_;
	my $cores = machine()->{cores} || 1;
	my $threads = $sessions < $cores ? $sessions : $cores;
	my $prefix = "$ENV{GPUAGG_TMP}/pgbench_log.$$";

	# pgbench counts the time to connect, too
	my $connecting = int($sessions / 250);
	$warm_up ||= 1 + $connecting;
	my $run = pgbench($script, '-c', $sessions, '-j', $threads, '-T', $seconds + $warm_up + $connecting,
		'-P', $warm_up, '-l', '--sampling-rate', SAMPLING_RATE, '--log-prefix', $prefix);
	my @lines = read_log($prefix);
	my ($warm_s, $warm_tps) = $run->{output} =~ /^progress: ([\d.]+) s, ([\d.]+) tps/m;
	my $measured_s = $run->{seconds} - ($warm_s // 0);
	if (!@lines || !$warm_tps || $measured_s < 0.7 * $seconds)
	{
		die "sessions do not begin:\n$run->{output}" if $warm_up > 30;
		return pgbench_log($script, $sessions, $seconds, 2 * $warm_up);
	}
	my $begin = $lines[-1][0] - $measured_s;
	return {
		tps => ($run->{tps} * $run->{seconds} - $warm_tps * $warm_s) / $measured_s,
		ms => [ map { $_->[1] } grep { $_->[0] > $begin } @lines ],
	};
}

1;
