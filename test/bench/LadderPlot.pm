# LadderPlot.pm: the plot of the ladder, doc/ladder.svg: how much faster each
# kernel is than the first, or than the loop on the CPU, published and measured.
#
# Bars on a scale of powers of two; what was neither published nor measured has no
# row.
package LadderPlot;

use strict;
use warnings;
use Exporter 'import';
use Ladder;
use Page;
use Plot;

our @EXPORT = qw(ladder_plot);

my ($left, $bars_left, $bars_width, $row_height) = (20, 400, 440, 40);

# A bar from 1 to x, and x behind it.
sub bar
{
	my ($class, $at, $x, $y) = @_;
	my ($from, $to) = sort { $a <=> $b } $at->(1), $at->($x);

	return sprintf(qq{<rect class="%s mark" x="%.1f" y="%.1f" width="%.1f" height="11"/>\n}, $class, $from, $y, $to - $from + 1)
		. svg_text('tick', $to + 6, $y + 10, digits($x));
}

# The lines of the scale and their numbers.
sub axis
{
	my ($at, $low, $high, $y, $height) = @_;
	my $every = $high - $low > 10 ? 2 : 1;
	my $svg = '';

	for my $power (grep { ($_ - $low) % $every == 0 } $low .. $high)
	{
		my $value = $power < 0 ? '1/' . 2**-$power : 2**$power;
		$svg .= sprintf qq{<path class="grid" d="M%.1f %dv%d"/>\n}, $at->(2**$power), $y, $height;
		$svg .= svg_text('tick', $at->(2**$power), $y + $height + 16, $value, 'text-anchor="middle"');
	}
	return $svg;
}

# A panel at height y: rows of [kernel, words, published, measured], of which the
# last two may be undef.  Returns it and the height behind it.
sub panel
{
	my ($title, $y, @all) = @_;
	my @rows = grep { defined $_->[2] || defined $_->[3] } @all;
	my @values = sort { $a <=> $b } 1, grep { defined } map { @$_[ 2, 3 ] } @rows;
	my ($low, $high) = (int(log2($values[0]) - 0.999), int(log2($values[-1]) + 1));
	my $at = sub { $bars_left + $bars_width * (log2($_[0]) - $low) / ($high - $low) };
	my $height = $row_height * @rows;
	my $svg = svg_text('panel', $left, $y, $title) . axis($at, $low, $high, $y + 12, $height);

	for my $i (0 .. $#rows)
	{
		my ($kernel, $words, $published, $measured) = @{ $rows[$i] };
		my $top = $y + 18 + $row_height * $i;

		$svg .= svg_text('panel', $left, $top + 10, $kernel) . svg_text('tick', $left, $top + 25, $words);
		$svg .= bar('copy', $at, $published, $top) if defined $published;
		$svg .= bar('ours', $at, $measured, $top + (defined $published ? 14 : 7))
			if defined $measured;
	}
	return ($svg, $y + $height + 64);
}

sub key
{
	my ($y, $card) = @_;

	return sprintf(qq{<rect class="copy mark" x="%d" y="%d" width="24" height="9"/><rect class="ours mark" x="%d" y="%d" width="24" height="9"/>\n},
		$left, $y - 9, $left + 130, $y - 9)
		. svg_text('tick', $left + 30, $y, 'published') . svg_text('tick', $left + 160, $y, "measured, $card");
}

# How much faster one row is than another, undef where one is none.
sub speed_up
{
	my ($row, $other) = @_;

	return $row && $other ? $other->{time_ms} / $row->{time_ms} : undef;
}

# The plot, given what finds a row: row_of(kernel, ladder, type, elements).
sub ladder_plot
{
	my ($about, $row_of) = @_;
	my @steps = map {
		my ($kernel, $removes) = @$_;
		my ($ms, undef, undef, $total) = published_reduction($kernel);
		[ $kernel, $removes, $total // (defined $ms ? 1 : undef),
			speed_up(map { $row_of->($_, 'reduce', 'integer', 4194304) } $kernel, 'interleaved') ]
	} @reductions;
	my @scans = map {
		my ($kernel, $removes) = @$_;
		my ($loop, $ms) = published_scan($kernel, 25000000);
		my $ladder = $kernel eq 'blelloch' ? 'exclusive-scan' : 'scan';
		[ $kernel, $removes, $loop ? $loop / $ms : undef,
			speed_up(map { $row_of->($_, $ladder, 'integer', 25000000) } $kernel, 'cpu') ]
	} @scans;
	my ($sums, $second) = panel('Sum of 4,194,304 int4: times the speed of the first kernel, and what each step removes', 84, @steps);
	my ($totals, $end) = panel('Running totals of 25,000,000 int4: times the speed of a loop on the CPU beside it', $second, @scans);

	return svg_sheet($bars_left + $bars_width + 90, $end - 30, $left, "The ladder, on $about->{card}, $about->{date}",
		key(52, $about->{card}) . $sums . $totals);
}

1;
