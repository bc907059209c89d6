# Bench.pm: what the scripts of the benchmark share: sessions of psql, queries
# that take turns, and the table of figures with the file that it goes to.
#
# They run under test/bin/with-cluster (see test/bin/bench), which made a server.
package Bench;

use strict;
use warnings;
use Exporter 'import';
use FindBin;
use POSIX qw(strftime);
use lib $FindBin::Bin;
use Page;

our @EXPORT = qw(psql psql_all has take_turns first_and_later server_setting
	median percentile ratios number spread met
	part has_part failed_parts report report_ratios report_most figures details keep kept
	machine device date command write_results);

# What each session begins with: one process, memory for the largest hash table.
our $settings = "SET max_parallel_workers_per_gather = 0;\nSET work_mem = '2GB';\n";

my (@figures, @details, @kept, @failed);

# --- sessions

# What a script of SQL prints.  Dies where psql does.
sub psql
{
	my ($input) = @_;
	my $file = "$ENV{GPUAGG_TMP}/bench.$$.sql";

	open my $out, '>', $file or die "$file: $!";
	print $out "$settings$input";
	close $out;
	my $result = `psql -X -q -A -t -v ON_ERROR_STOP=1 -f $file`;
	die "psql failed\n" if $?;
	unlink $file;
	chomp $result;
	return $result;
}

# Runs scripts of SQL side by side, each in a session.
sub psql_all
{
	my @pids;

	for my $script (@_)
	{
		my $pid = fork // die "fork: $!";
		POSIX::_exit(eval { psql($script); 1 } ? 0 : 1) if $pid == 0;
		push @pids, $pid;
	}
	my $failed = grep { waitpid($_, 0); $? } @pids;
	die "psql failed\n" if $failed;
}

# Is there a function or relation of that name?
sub has
{
	my ($name) = @_;

	return psql("SELECT EXISTS (SELECT FROM pg_proc WHERE proname = '$name') OR to_regclass('$name') IS NOT NULL") eq 't';
}

# How long each of some queries takes, in turns, with another first each time,
# in one session: lists of ms.  Of a query of several statements the last one
# counts.  A command of psql that prints a time may be a side, too.  A hash
# instead of n has { rounds => n, finally => sql to run at the end of the session,
# cold => 1 for no round to warm up, fixed => 1 for the same order each time }.
sub take_turns
{
	my ($how, @queries) = @_;
	my %how = (finally => '', ref $how ? %$how : (rounds => $how));
	my $finally = $how{finally};
	my $script = "\\timing on\n\\o /dev/null\n";
	my @lists = map { [] } @queries;

	for my $round (($how{cold} ? 1 : 0) .. $how{rounds})
	{
		my @order = $round % 2 || $how{fixed} ? 0 .. $#queries : reverse 0 .. $#queries;
		$script .= "\\echo round $round $_\n$queries[$_]" . ($queries[$_] =~ /^\\/ ? '' : ';') . "\n" for @order;
	}
	my ($round, $which);
	for (split /\n/, psql("$script\\timing off\n$finally\n"))
	{
		($round, $which) = ($1, $2) if /^round (\d+) (\d+)/;
		# the last of a query's times is its own; settings come before
		$lists[$which][$round] = $1 if /^Time: ([0-9.]+) ms/ && defined $which;
	}
	shift @$_ for @lists;    # the warm-up, or what a first round would have been
	die "a side of a figure printed no time\n" if grep { !defined } map { @$_ } @lists;
	return @lists;
}

# What a query takes first in a new session, and a list of what it takes later, in
# ms.  Of the preparation no time is taken.
sub first_and_later
{
	my ($preparation, $query, $n) = @_;

	return psql("\\o /dev/null\n$preparation\n\\timing on\n" . "$query;\n" x $n) =~ /^Time: ([0-9.]+) ms/mg;
}

# Gives a setting a value in the whole server, or without one its default again.
sub server_setting
{
	my ($name, $value) = @_;
	my $change = defined $value ? "SET $name = '$value'" : "RESET $name";

	psql("LOAD 'gpuagg';\nALTER SYSTEM $change;\nSELECT pg_reload_conf() \\g /dev/null\nSELECT pg_sleep(1) \\g /dev/null\n");
}

# --- numbers

sub sorted { return sort { $a <=> $b } @_ }

# The middle one, or the mean of the two in the middle.
sub median { my @s = sorted(@_); return ($s[$#s / 2] + $s[@s / 2]) / 2 }

# The value below which a part of all lies, 0.99 for the 99th percentile.
sub percentile { my ($part, @values) = @_; my @s = sorted(@values); return $s[int($part * $#s)] }

# Of two lists that took turns.
sub ratios { my ($x, $y) = @_; return map { $x->[$_] / $y->[$_] } 0 .. $#$x }

# Four digits, and no exponent where they are more.
sub number { my ($x) = @_; return sprintf(abs $x >= 1000 ? '%.0f' : '%.4g', $x) }

# The middle, and the 10th and 90th percentiles, in a unit.
sub spread
{
	my ($unit, @values) = @_;
	my @s = sorted(@values);
	my $high = int(0.9 * @s) - (0.9 * @s == int(0.9 * @s) ? 1 : 0);

	$unit = " $unit" if $unit ne '';
	return sprintf('%s%s (%s to %s)', number(median(@s)), $unit,
		number($s[int(0.1 * @s)]), number($s[$high]));
}

# Is a number within a goal such as "<= 1.3 times" or ">= 5,000 times faster"?
sub met
{
	my ($x, $goal) = @_;
	my ($how, $limit) = $goal =~ /^(<=|>=) ([\d.,]+)/ or die "goal: $goal\n";

	$limit =~ tr/,//d;
	return $how eq '<=' ? $x <= $limit : $x >= $limit;
}

# --- the table

# A row of the table, and what lies behind it.
sub report
{
	my ($figure, $goal, $value, $met, $detail) = @_;

	push @figures, sprintf("| %s | %s | %s | %s |\n", $figure, $goal, $value, $met ? 'yes' : 'NO');
	push @details, "* $figure: $detail\n" if defined $detail;
	print STDERR $figures[-1];
	print STDERR $details[-1] if defined $detail;
}

# A figure that is the median of ratios.
sub report_ratios
{
	my ($figure, $goal, $detail, @r) = @_;

	report($figure, $goal, number(median(@r)), met(median(@r), $goal), "$detail, ratio " . spread('', @r));
}

# A figure that is the median of values in the unit of its goal.
sub report_most
{
	my ($figure, $goal, $unit, $detail, @values) = @_;

	report($figure, $goal, number(median(@values)) . " $unit", met(median(@values), $goal), spread($unit, @values) . $detail);
}

# Is a part of a script measured?  Unless PARTS names others.
sub has_part
{
	my ($name) = @_;

	return !$ENV{PARTS} || grep { $_ eq $name } split /[ ,]+/, $ENV{PARTS};
}

# A part of a script, if it is measured.  Where it fails, that is a row of
# the table, and the other parts are measured all the same.
sub part
{
	my ($name, $code) = @_;

	return if !has_part($name);
	print STDERR "bench: $name\n";
	my $start = time;
	return print STDERR "bench: $name took " . (time - $start) . " s\n" if eval { $code->(); 1 };
	my $why = $@ =~ s/\n/ /gr;
	push @failed, $name;
	report("the part `$name`", 'to be measured', "failed: $why", 0);
}

sub failed_parts { return @failed }

# Values for the file of times, by a name; without values all rows of that file.
sub keep { my ($name, @values) = @_; push @kept, [$name, @values] }
sub kept { return join '', map { join("\t", @$_) . "\n" } @kept }

sub figures { return join '', "| figure | goal | measured | met |\n| --- | --- | --- | --- |\n", @figures }
sub details { return join '', @details }

# The processor's name, its model, how many there are, and GB of memory.
sub machine
{
	my %m = (name => 'unknown processor', model => '', cores => 0, memory_gb => 0);

	for my $file ('/proc/cpuinfo', '/proc/meminfo')
	{
		open my $in, '<', $file or next;
		while (<$in>)
		{
			$m{model} = $1 if /^model\s*:\s*(\d+)/;
			$m{name} = $1 if /^model name\s*:\s*(.*\S)/;
			$m{cores}++ if /^processor\s*:/;
			$m{memory_gb} = int($1 / 2**20 + 0.5) if /^MemTotal:\s*(\d+) kB/;
		}
	}
	return \%m;
}

# The device, which this brings up: its name, and more after a comma.
sub device
{
	return psql(<<'SQL');
SET gpuagg.engine = gpu;
SELECT gpu_array_sum('{1}'::int[]) \g /dev/null
SELECT name || coalesce(', compute capability ' || compute_capability, '') ||
	coalesce(', driver for CUDA ' || driver_cuda || ', runtime ' || runtime_cuda, '')
	FROM gpuagg_devices;
SQL
}

# The command that measures a part again.
sub command
{
	my ($part) = @_;

	return join ' ', "make bench ONLY=$part", map { "$_='$ENV{$_}'" =~ s/'([\w.,]*)'/$1/r } grep { $ENV{$_} } qw(DEVICE SIZE ROUNDS PARTS CARDS PRELOAD);
}

sub date { return strftime('%Y-%m-%d', gmtime) }

# Writes a file of results, called after the date and what was measured, and
# returns its name.  RESULTS names another folder than test/bench/results.
sub write_results
{
	my ($what, $suffix, $text) = @_;
	my $file = results_folder() . '/' . result_name(date(), $what) . $suffix;

	write_file($file, $text);
	return $file;
}

1;
