#!/usr/bin/perl
# kernels.pl: what `make bench-kernels` runs: measures the kernels, and writes
# down the figures and whether they are enough.
#
#	kernels.pl PROGRAM [OPTION...]	run it with these options
#	kernels.pl --from=FILE			read what it printed before
#
# Writes test/bench/results/<date>-<card>-kernels.md, and what the program
# printed beside it (.tsv); RESULTS in the environment is another folder.  Then
# the table between the marks in doc/kernels-figures.md, doc/kernels.svg and
# doc/kernels-packed.svg.
# After a run with --quick or --only there is nothing but standard output.  An
# answer that was wrong ends it without figures; kernels.tsv, beside the program,
# has what it printed.
use strict;
use warnings;
use File::Basename;
use File::Copy;
use FindBin;
use lib $FindBin::Bin;
use PackedPlot;
use Page;
use Plot;

# rows (their names without the size), what our speed over the other's has to
# be at least, and what they are
my @goals = (
	['sum/float8', 1, 'exact sum of float8 against CUB'],
	['sum/float8-normal', 1, 'exact sum of normally distributed float8 against CUB'],
	['sum/float8-whole-range', 0.25, 'exponents over the whole range against uniform data in [-1, 1)'],
	['sum/int4', 1, 'sum of int4 against CUB'],
	['sum/int8', 1, 'sum of int8, in 128 bits, against CUB, in 64'],
	['sum/float4', 1, 'exact sum of float4 against CUB'],
	['min/float8', 1, 'least element of float8 against CUB'],
	['max/float8', 1, 'largest element of float8 against CUB'],
	['max/float4', 1, 'largest element of float4 against CUB'],
	['max/int2', 1, 'largest element of int2 against CUB'],
	['max/int4', 1, 'largest element of int4 against CUB'],
	['max/int8', 1, 'largest element of int8 against CUB'],
	['moments/float8', 0.77, 'exact sum and sum of squares of float8 against our sum alone'],
	['moments/float4', undef, 'exact sum and sum of squares of float4 against our sum alone'],
	['moments/int4', 0.77, 'sum and sum of squares of int4 against our sum alone'],
	['moments/int8', 0.77, 'sum and sum of squares of int8 against our sum alone'],
	['dot/float8', undef, 'exact products alone of two arrays of float8 against our sum of as many bytes'],
	['products/float8', 0.85, 'exact products of two arrays of float8 against our sum of as many bytes'],
	['packed-sum/prices', 3, 'exact sum of packed prices against CUB on plain ones'],
	['packed-sum/walk', 3, 'exact sum of a packed walk against CUB on a plain one'],
	['packed-sum/temperatures', 3, 'exact sum of packed temperatures against CUB on plain ones'],
	['packed-sum/rain', 10, 'exact sum of packed rain against CUB on plain rain'],
	['packed-sum/outliers', undef, 'exact sum of packed outliers against CUB on plain ones'],
	['packed-sum/million', 3, 'sum of packed int8 below 10^6 against CUB on plain ones'],
	['packed-sum/31-bits', undef, 'sum of packed int8 below 2^31 against CUB on plain ones'],
	['packed-sum/thousand', 2.8, 'sum of packed int4 below 1,000 against CUB on plain ones'],
	['packed-max/prices', undef, 'largest element of packed prices against CUB on plain ones'],
	['packed-moments/prices', undef, 'exact sum and sum of squares of packed prices against those of plain ones'],
	['packed-dot/prices', undef, 'exact products of packed prices and themselves against those of plain ones'],
	['packed-elem/prices', undef, 'sums by position of packed prices, in arrays of 65,536, against those of plain ones'],
	['packed-scan/prices', 1.3, 'running totals of packed prices against CUB on plain ones'],
	['packing/prices', undef, 'packing prices against a copy; bytes are those of the packed array'],
	['packing/walk', undef, 'packing a walk against a copy'],
	['packing/temperatures', undef, 'packing temperatures against a copy'],
	['packing/rain', undef, 'packing rain against a copy'],
	['packing/outliers', undef, 'packing outliers against a copy'],
	['packing/uniform', undef, 'a survey of uniform float8, which do not pack, against a copy'],
	['packing/million', undef, 'packing int8 below 10^6 against a copy'],
	['packing/31-bits', undef, 'packing int8 below 2^31 against a copy'],
	['packing/thousand', undef, 'packing int4 below 1,000 against a copy'],
	['latency/float8', 1, 'from submit to result, float8, against CUB'],
	['latency/int4', 1, 'from submit to result, int4, against CUB'],
	['latency/int8', 1, 'from submit to result, int8, against CUB'],
	['scan/float8', 1, 'exact running totals of float8 against CUB'],
	['scan/float8-normal', 1, 'exact running totals of normally distributed float8 against CUB'],
	['scan/int4', 1, 'running totals of int4 against CUB'],
	['scan/int8', 1, 'running totals of int8 as int8 against CUB'],
	['scan/int8-int128', undef, 'running totals of int8 in 128 bits against CUB'],
	['scan/float4', 1, 'exact running totals of float4 against CUB'],
	['many-sum/10000', 0.8, '10,000 arrays of 1,000 to 10,000 float8 against one array of all'],
	['many-sum/1000000', 0.5, '1,000,000 arrays of 100 float8 against one array of all'],
	['many-sum-wall/10000', undef, '10,000 arrays, from submit to all results on the host'],
	['many-sum-wall/1000000', undef, '1,000,000 arrays, from submit to all results on the host'],
	['elem/float8', 0.8, 'sums by position of 1,024 arrays of 65,536 float8 against one sum of all'],
	['elem/float8-few', undef, 'sums by position of 4,096 arrays of 1,024 float8 against one sum of all'],
	['buckets/float8-1000', 0.5, 'a sum for every 1,000 float8 against one of all'],
	['buckets/float8-100', undef, 'a sum for every 100 float8 against one of all'],
	['buckets/float8-10', undef, 'a sum for every 10 float8 against one of all'],
	['moving/float8-10', undef, 'moving sums of 10 float8, copied to the host, against running totals, which are not'],
	['moving/float8-100', undef, 'moving sums of 100 float8, copied to the host, against running totals, which are not'],
	['moving/float8-1000', undef, 'moving sums of 1,000 float8, copied to the host, against running totals, which are not'],
);
my %goal = map { $_->[0] => $_->[1] } @goals;

my (%about, @rows);

# Read what the program printed: kernels_row.c says what that is.
sub read_rows
{
	my ($file) = @_;
	my ($about, $all) = read_figures($file, 'gpuagg kernels');

	%about = %$about;
	@rows = @$all;
	$_->{group} = $_->{name} =~ s{/2\^\d+$}{}r for @rows;
}

# Run it; returns the file with what it printed.
sub run_program
{
	my ($program, @options) = @_;
	my $file = dirname($program) . '/kernels.tsv';

	open my $from, '-|', $program, @options or die "$program: $!\n";
	open my $to, '>', $file or die "$file: $!\n";
	$to->autoflush(1);
	print $to $_ while <$from>;
	close $from;
	my $failed = $?;
	close $to or die "$file: $!\n";
	die "$program failed, or an answer was wrong: no figures are written; see $file\n"
		if $failed;
	return $file;
}

# Times in the unit that suits the row.
sub times_of
{
	my ($row, @fields) = @_;
	my ($scale, $unit) = $row->{ours_ms} < 0.1 ? (1000, 'µs') : (1, 'ms');

	return '' if $row->{ $fields[0] } eq '-';
	return join(' to ', map { sprintf '%.4g', $scale * $row->{$_} } @fields) . " $unit";
}

sub value
{
	my ($format, $value) = @_;
	return $value eq '-' ? '' : sprintf $format, $value;
}

# Is the goal met?  Empty if there is none.
sub verdict
{
	my ($row) = @_;
	my $goal = $goal{ $row->{group} };

	return '' if !defined $goal || $row->{ratio} eq '-';
	return $row->{ratio} >= $goal ? 'yes' : 'NO';
}

sub size_of
{
	my ($row) = @_;
	return $row->{name} =~ m{/(2\^\d+)$} ? " at $1" : '';
}

# A line for each goal: the lowest and the highest ratio of its sizes.
sub goal_table
{
	my $text = "| figure | goal | lowest | highest | met |\n| --- | --- | --- | --- | --- |\n";

	for (@goals)
	{
		my ($group, $goal, $what) = @$_;
		my @of = sort { $a->{ratio} <=> $b->{ratio} }
			grep { $_->{group} eq $group && $_->{ratio} ne '-' } @rows;
		my $met = grep { verdict($_) eq 'yes' } @of;
		my $all = @of;
		my @range = $all ? map { sprintf('%.3f', $_->{ratio}) . size_of($_) } $of[0], $of[-1]
			: ('not measured', '');
		my $verdict = !$all || !defined $goal ? ''
			: $met == $all ? 'yes'
			: $all == 1 ? 'NO'
			: "NO: $met of $all";

		$text .= '| ' . join(' | ', $what, defined $goal ? sprintf('>= %.2f', $goal) : '',
			@range, $verdict) . " |\n";
	}
	return $text;
}

sub row_table
{
	my $text = "| row | ours | 10th to 90th percentile | the other | its time | 10th to 90th | ratio | 10th to 90th | GB/s | of a copy | met |\n"
		. "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";

	for my $row (@rows)
	{
		my $spread = $row->{ratio} eq '-' ? ''
			: sprintf '%.3f to %.3f', @$row{qw(ratio_p10 ratio_p90)};

		$text .= '| ' . join(' | ', $row->{name},
			times_of($row, 'ours_ms'), times_of($row, qw(ours_p10 ours_p90)),
			value('%s', $row->{other}), times_of($row, 'other_ms'),
			times_of($row, qw(other_p10 other_p90)),
			value('%.3f', $row->{ratio}), $spread,
			value('%.0f', $row->{gb_per_s}),
			value('%.3f', $row->{copy_share}), verdict($row)) . " |\n";
	}
	return $text;
}

# One paragraph: what was measured where.
sub circumstances
{
	my ($copy) = grep { $_->{name} =~ m{^copy/} } @rows;

	return sprintf "%s (%d multiprocessors, %.0f GB), driver for CUDA %s (%s),\n"
		. "CUDA runtime %s, %s.\n%s",
		$about{card}, $about{multiprocessors}, $about{memory_bytes} / 1e9,
		version($about{driver}), nvidia_driver($about{module}),
		version($about{runtime}),
		$about{processor},
		$copy ? sprintf("A copy of 2 GB within the device moves %.0f GB/s, bytes read and written.\n",
			$copy->{gb_per_s}) : '';
}

# The plot: two panels, each a list of [series, class, mark, points].  Points
# are [log2 of the size, GB/s].
my ($panel_width, $panel_height, $left, $top) = (360, 260, 62, 64);

sub points
{
	my ($group, $rate) = @_;

	return [ map { [ $_->{name} =~ m{2\^(\d+)$}, $rate->($_) ] }
		grep { $_->{group} eq $group && $_->{other_ms} ne '-' } @rows ];
}

sub mark
{
	my ($class, $x, $y) = @_;

	return sprintf '<circle class="%s mark" cx="%.1f" cy="%.1f" r="4"/>', $class, $x, $y
		if $class eq 'ours';
	return sprintf '<rect class="%s mark" x="%.1f" y="%.1f" width="7" height="7"/>', $class, $x - 3.5, $y - 3.5
		if $class eq 'cub';
	return sprintf '<path class="%s mark" d="M%.1f %.1fl4.5 8h-9z"/>', $class, $x, $y - 5;
}

sub axes
{
	my ($x0, $title, $low, $high, $limit, $step, $x, $y) = @_;
	my $svg = sprintf qq{<text class="panel" x="%d" y="%d">%s</text>\n}, $x0, $top - 14, $title;

	for (my $rate = 0; $rate <= $limit; $rate += $step)
	{
		$svg .= sprintf qq{<path class="grid" d="M%d %.1fh%d"/><text class="tick" text-anchor="end" x="%d" y="%.1f">%d</text>\n},
			$x0, $y->($rate), $panel_width, $x0 - 8, $y->($rate) + 4, $rate;
	}
	for my $log2 ($low .. $high)
	{
		$svg .= sprintf qq{<text class="tick" text-anchor="middle" x="%.1f" y="%d">2<tspan dy="-5" font-size="9">%d</tspan></text>\n},
			$x->($log2), $top + $panel_height + 20, $log2;
	}
	return $svg . sprintf qq{<text class="label" text-anchor="middle" x="%d" y="%d">elements</text>\n},
		$x0 + $panel_width / 2, $top + $panel_height + 42;
}

# A panel's legend, which ends at the point right, bottom: a line for each
# series.  Opaque, so that the lines of the scale do not cross its words.
sub legend
{
	my ($right, $bottom, @series) = @_;
	my ($widest) = sort { $b <=> $a } map { text_width($_->[0], 12) } @series;
	my ($width, $height) = ($widest + 46, 16 * @series + 4);
	my ($x, $y) = ($right - $width, $bottom - $height);
	my $svg = sprintf qq{<rect class="paper" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>\n},
		$x, $y, $width, $height;

	for my $i (0 .. $#series)
	{
		my ($name, $class) = @{ $series[$i] };
		my $middle = $y + 10 + 16 * $i;

		$svg .= sprintf(qq{<path class="%s line" d="M%.1f %.1fh28"/>}, $class, $x + 4, $middle)
			. mark($class, $x + 18, $middle)
			. svg_text('tick', $x + 40, $middle + 4, $name);
	}
	return $svg;
}

sub panel
{
	my ($x0, $title, $limit, $step, @series) = @_;
	my @sizes = sort { $a <=> $b } map { map { $_->[0] } @{ $_->[2] } } @series;
	return '' unless @sizes;
	my ($low, $high) = @sizes[ 0, -1 ];
	my $x = sub { $x0 + 16 + ($panel_width - 32) * ($high > $low ? ($_[0] - $low) / ($high - $low) : 0.5) };
	my $y = sub { $top + $panel_height * (1 - $_[0] / $limit) };
	my $svg = axes($x0, $title, $low, $high, $limit, $step, $x, $y);

	for (@series)
	{
		my ($name, $class, $points) = @$_;
		my @at = map { [ $x->($_->[0]), $y->($_->[1]) ] } sort { $a->[0] <=> $b->[0] } @$points;

		$svg .= sprintf qq{<polyline class="%s line" points="%s"/>\n}, $class,
			join(' ', map { sprintf '%.1f,%.1f', @$_ } @at);
		$svg .= join('', map { mark($class, @$_) } @at) . "\n";
	}
	$svg .= legend($x0 + $panel_width, $top + $panel_height - 8, @series);
	return $svg;
}

sub plot
{
	my $ours = sub { $_[0]{gb_per_s} };
	my $other = sub { $_[0]{bytes} / $_[0]{other_ms} / 1e6 };
	my $copy = sub { $_[0]{copy_gb_per_s} };
	my @sums = (['gpuagg, exact', 'ours', points('sum/float8', $ours)],
		['CUB', 'cub', points('sum/float8', $other)]);
	my @scans = (['gpuagg, exact', 'ours', points('scan/float8', $ours)],
		['CUB', 'cub', points('scan/float8', $other)],
		['copy of as many bytes', 'copy', points('scan/float8', $copy)]);
	my ($highest) = sort { $b <=> $a } map { map { $_->[1] } @{ $_->[2] } } @sums, @scans;
	return unless $highest;
	my ($limit, $step) = scale($highest);
	my $second = 2 * $left + $panel_width;
	my ($width, $height) = ($second + $panel_width + 20, $top + $panel_height + 56);

	return svg_sheet($width, $height, $left, "Throughput of float8 on $about{card}, $about{date}",
		svg_text('label', 0, 0, 'GB/s, bytes read and written', sprintf(
				'text-anchor="middle" transform="translate(16 %d) rotate(-90)"', $top + $panel_height / 2))
		. panel($left, 'Sums', $limit, $step, @sums)
		. panel($second, 'Running totals', $limit, $step, @scans));
}

my $first = shift or die "usage: kernels.pl PROGRAM [OPTION...] | --from=FILE\n";
my $command = join ' ', 'make bench-kernels', @ARGV ? qq{OPTIONS="@ARGV"} : ();

my $printed = $first =~ /^--from=(.*)/ ? $1 : run_program($first, @ARGV);
read_rows($printed);

my $goals = goal_table();
my $name = result_name($about{date}, "$about{card}-kernels");
my $text = "# `$command`, $about{date}\n\n" . circumstances()
	. "Ratios are of our speed over the other's, medians of rounds in which they took turns.\n\n"
	. "$goals\n## All rows\n\n" . row_table();

print $text;
if ($about{quick} || $about{only} ne '')
{
	print STDERR "kernels: not all was measured, so nothing is written\n";
	exit 0;
}
my $results = results_folder();
write_file("$results/$name.md", $text);
copy($printed, "$results/$name.tsv") or die "$results/$name.tsv: $!\n" if $first !~ /^--from=/;
my $svg = plot();
write_file('doc/kernels.svg', $svg) if $svg;
my $packed = packed_plot(\%about, \@rows);
write_file('doc/kernels-packed.svg', $packed) if $packed;
put_in_page('doc/kernels-figures.md', 'test/bench/kernels.pl' =>
	($svg ? "![Throughput over size](kernels.svg)\n\n" : '')
	. ($packed ? "![Speed of packed sums over bits a value](kernels-packed.svg)\n\n" : '') . circumstances()
	. "`$command`, $about{date}; all rows and their spread:\n"
	. "[$name.md](../test/bench/results/$name.md).\n\n$goals");
