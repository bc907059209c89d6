#!/usr/bin/perl
# crowd.pl: measures many sessions at once: of resident arrays, beside a session
# that loads, and all of them loading.
#
# Runs under test/bin/with-cluster (see test/bin/bench), whose shared buffers hold
# the tables (Arrays.pm).  Numbers of sessions take turns; medians are compared.
# The CPU has to do none of it, which the counters of the server tell.
#
# Prints tables in Markdown, and writes them to
# test/bench/results/<date>-<device>-crowd.md, and the figures beside it, as .tsv.
# SIZE=0.001 has a thousandth of the data; ROUNDS says how often; PARTS=loader
# measures that part alone (resident, loader, cold).  A part that fails is a row,
# and the exit status is 1.
use strict;
use warnings;
use FindBin;
use POSIX ();
use lib $FindBin::Bin;
use Arrays;
use Bench;
use Page;
use Pgbench;

my $rounds = $ENV{ROUNDS} || 3;
my $seconds = 2;    # of a number of sessions in a round
my @sessions = (1, 8, 32, 64, 128, 200, 500);
my $base = 32;      # what more sessions are compared with

use_tables(['arrays_10gb'], arrays_hot => [scaled(100), 1000000, 'random_array', 'out of line']);

my $big = content($big_table);
my $tables = '';

sub in_order { my ($round, @list) = @_; return $round % 2 ? @list : reverse @list }

# Runs something, and counts what the device and the CPU did in its time:
# { %result, done }.
sub counted
{
	my ($run) = @_;
	my ($done, $result) = done_by($run);

	return { %$result, done => $done };
}

# The lists of what was measured by number of sessions, or whatever names them.
sub of { my ($measured, $which, $field) = @_; return map { $_->{$field} } @{ $measured->{$which} } }

# "none", or the part of the arrays that the CPU did in all rounds, by reason.
sub by_cpu
{
	my ($measured, $which) = @_;
	my ($all, %n) = 0;

	for my $done (of($measured, $which, 'done'))
	{
		$n{$_} += $done->{$_} for keys %$done;
	}
	$all += $_ for values %n;
	delete $n{gpu};
	return join(', ', map { sprintf '%.1f %%: %s', 100 * $n{$_} / $all, $_ } sort keys %n) || 'none';
}

# That the CPU did none of it, as a figure.
sub report_cpu
{
	my ($what, $measured) = @_;
	my @some = grep { by_cpu($measured, $_) ne 'none' } sort { $a <=> $b } keys %$measured;

	report("$what: arrays that the CPU summed", 'none', @some ? 'some' : 'none', !@some,
		@some ? join('; ', map { "$_ sessions: " . by_cpu($measured, $_) } @some) : 'by gpuagg_server_stat');
}

# A row of a table about sessions: latencies of all rounds are one sample.
sub latency_row
{
	my ($measured, $which) = @_;
	my @ms = map { @$_ } of($measured, $which, 'ms');

	return row($which, spread('', of($measured, $which, 'tps')),
		map({ digits(percentile($_, @ms)) } 0.5, 0.95, 0.99), by_cpu($measured, $which));
}

my @latency_columns = ('queries a second', 'median, ms', '95 %, ms', '99 %, ms', 'by the CPU');

# --- resident arrays

# Queries a second of sessions that take the same rows, and no array of them:
# what the server does without gpuagg.
sub without_gpuagg { my ($n) = @_; return pgbench_log(random_one() =~ s/gpu_array_sum\(a\)/g/r, $n, $seconds) }

sub resident
{
	my (%measured, %without);

	check_query(n_arrays($big_table), "SELECT gpu_sum(a) FROM $big_table");
	my $misses = misses();
	for my $round (1 .. $rounds)
	{
		for my $n (in_order($round, @sessions))
		{
			push @{ $measured{$n} }, counted(sub { pgbench_log(random_one(), $n, $seconds) });
			print STDERR "bench: $n sessions: " . number($measured{$n}[-1]{tps}) . " queries/s\n";
			push @{ $without{$n} }, without_gpuagg($n) if $n == $base || $n == $sessions[-1];
		}
	}
	die "a resident array was loaded again\n" if misses() > $misses;
	for my $n (grep { $_ > $base } @sessions)
	{
		report_ratios("queries a second, $n sessions against $base, each summing a random one of $big, resident", '>= 0.9 times',
			"$base " . spread('/s', of(\%measured, $base, 'tps')) . ", $n " . spread('/s', of(\%measured, $n, 'tps'))
			  . '; 99 % of the queries within ' . digits(percentile(0.99, map { @$_ } of(\%measured, $n, 'ms'))) . ' ms'
			  . ($without{$n} ? "; of the same rows without gpuagg, $base " . spread('/s', of(\%without, $base, 'tps')) . ", $n " . spread('/s', of(\%without, $n, 'tps')) : ''),
			ratios([of(\%measured, $n, 'tps')], [of(\%measured, $base, 'tps')]));
	}
	report_cpu('resident arrays', \%measured);
	$tables .= "\n## Resident arrays\n\nOne array of 1,000,000 float8 a query, prepared; $seconds s a round, after one to warm up.\n\n"
	  . head_row('sessions', @latency_columns) . join('', map { latency_row(\%measured, $_) } @sessions);
	keep_all('resident', \%measured, @sessions);
}

sub keep_all
{
	my ($name, $measured, @which) = @_;

	for my $which (@which)
	{
		my $suffix = $which =~ s/\W+/_/gr;
		keep("${name}_tps_$suffix", map { number($_) } of($measured, $which, 'tps'));
		keep("${name}_p99_ms_$suffix", map { percentile(0.99, @$_) } of($measured, $which, 'ms'));
	}
}

# --- beside a session that loads

# Has one more session load the big table, again and again, while something runs:
# { %result, loads }.  With helpers, or undef for no such session.
sub beside_loader
{
	my ($n_helpers, $run) = @_;
	return { %{ $run->() }, loads => 0 } unless defined $n_helpers;
	my $stop = "$ENV{GPUAGG_TMP}/loader.stop";
	my $loads = "$ENV{GPUAGG_TMP}/loader.loads";

	unlink $stop, $loads;
	my $pid = fork // die "fork: $!";
	if ($pid == 0)
	{
		until (-e $stop)
		{
			my $ok = eval { psql(helpers($n_helpers) . "\n$gpu\n\\o /dev/null\nSELECT gpuagg_cache_clear('$big_table');\nSELECT gpu_sum(a) FROM $big_table;\n"); 1 };
			POSIX::_exit(1) unless $ok;
			open my $out, '>>', $loads;
			print $out "x\n";
		}
		POSIX::_exit(0);
	}
	my $result = eval { $run->() };
	my $error = $@;
	open my $out, '>', $stop;
	close $out;
	waitpid $pid, 0;
	die $error if $error;
	die "the session that loads failed\n" if $?;
	return { %$result, loads => -s $loads ? (-s $loads) / 2 : 0 };
}

sub loader
{
	my %measured;
	my $s = 4;
	my %helpers = ('none' => undef, 'one, 2 helpers' => 2, 'one, 15 helpers' => 15);
	my @which = ('none', 'one, 2 helpers', 'one, 15 helpers');

	check_query(n_arrays('arrays_hot'), 'SELECT gpu_sum(a) FROM arrays_hot');
	for my $round (1 .. $rounds)
	{
		for my $which (in_order($round, @which))
		{
			push @{ $measured{$which} }, counted(sub { beside_loader($helpers{$which}, sub { pgbench_log(random_one('arrays_hot'), 16, $s) }) });
		}
	}
	for my $which (@which[ 1, 2 ])
	{
		my @p99 = map { percentile(0.99, @$_) } of(\%measured, $which, 'ms');
		my @alone = map { percentile(0.99, @$_) } of(\%measured, 'none', 'ms');
		report_most("16 sessions of resident queries, $which loading $big cold all the time: 99 % of the queries within" =~ s/one, (\d+ helpers) loading/one more (with $1) loading/r,
			'<= 2 ms', 'ms', '; without it ' . spread('ms', @alone) . '; tables loaded in a round: ' . join(', ', of(\%measured, $which, 'loads')), @p99);
	}
	$tables .= "\n## Beside a session that loads\n\n16 sessions, one of " . content('arrays_hot') . ", resident, a query; $s s a round, after one to warm up.\n"
	  . "The other session's query is not prepared; what the CPU did counts its arrays, too.\n\n"
	  . head_row('loading session', @latency_columns) . join('', map { latency_row(\%measured, $_) } @which);
	keep_all('loader', \%measured, @which);
}

# --- all of them load

# GB a second of n sessions that load all arrays, each its own part.
sub load_all
{
	my ($n) = @_;
	my $cores = machine()->{cores} || 1;

	psql('SELECT gpuagg_cache_clear()');
	my $run = pgbench("SELECT gpu_sum(a) FROM $big_table WHERE id % $n = :client_id;\n", '-c', $n, '-j', $n < $cores ? $n : $cores, '-t', 1);
	return { gb_s => n_elements($big_table) * 8 / 1e9 / $run->{seconds} };
}

sub cold
{
	my %measured;
	my @n = (1, 16, 64);

	for my $round (1 .. $rounds)
	{
		push @{ $measured{$_} }, counted(sub { load_all($_) }) for in_order($round, @n);
	}
	report_ratios("GB a second, 64 sessions that load $big, each its part, against 16", '>= 0.9 times',
		join(', ', map { "$_ " . spread('GB/s', of(\%measured, $_, 'gb_s')) } @n), ratios([of(\%measured, 64, 'gb_s')], [of(\%measured, 16, 'gb_s')]));
	$tables .= "\n## All sessions load\n\n$big in all, each session its part, in one query; by default a query may have 2 helpers.\n\n" . head_row('sessions', 'GB/s', 'by the CPU')
	  . join('', map { row($_, spread('', of(\%measured, $_, 'gb_s')), by_cpu(\%measured, $_)) } @n);
	keep("cold_gb_s_$_", of(\%measured, $_, 'gb_s')) for @n;
}

bring_up('gpuagg.staging_size');    # as it is by default
part('resident', \&resident);
part('loader', \&loader);
part('cold', \&cold);
write_page('crowd', 'many sessions', "`gpuagg.staging_size` is " . psql("LOAD 'gpuagg'; SHOW gpuagg.staging_size") . ", the default.\n"
	  . "Medians of $rounds rounds in which the sides took turns; in brackets the 10th to the 90th percentile.\n", $tables);
exit(failed_parts() ? 1 : 0);
