# PackedPlot.pm: the plot of packed arrays, doc/kernels-packed.svg: how much faster
# they are summed than CUB sums plain ones, over the bits that a value takes.
#
# Each point is the largest array of one kind of data.  The line is 64 divided by the
# bits of a value: the speed of a sum that only had to read them.  Both scales are
# logarithmic.
package PackedPlot;

use strict;
use warnings;
use Exporter 'import';
use List::Util qw(max min);
use POSIX qw(ceil floor);
use Plot;

our @EXPORT = qw(packed_plot);

my ($left, $top, $width, $height) = (62, 72, 560, 300);

# Of rows of `make bench-kernels`: { name, bits, ratio } of each kind of data.
sub points
{
	my (%bits, %points);

	for my $row (@_)
	{
		my ($what, $name, $log2) = $row->{name} =~ m{^(packing|packed-sum)/([\w-]+)/2\^(\d+)$} or next;
		$bits{$name}{$log2} = 8 * $row->{bytes} / $row->{elements} if $what eq 'packing';
		next unless $what eq 'packed-sum' && $row->{ratio} ne '-' && defined $bits{$name}{$log2};
		$points{$name} = { name => $name, log2 => $log2, bits => $bits{$name}{$log2}, ratio => $row->{ratio} }
		  if !$points{$name} || $log2 > $points{$name}{log2};
	}
	return map { $points{$_} } sort keys %points;
}

# The plot, or nothing without such rows.
sub packed_plot
{
	my ($about, $rows) = @_;
	my @points = points(@$rows) or return;
	# the powers of two around all points
	my ($first, $last) = (min(map { floor(log2($_->{bits})) } @points), max((map { ceil(log2($_->{bits})) } @points), 6));
	my ($low, $high) = (min((map { floor(log2($_->{ratio})) } @points), 0), max(map { ceil(log2($_->{ratio})) } @points));
	my $x = sub { $left + $width * (log2($_[0]) - $first) / ($last - $first) };
	my $y = sub { $top + $height * (1 - (log2($_[0]) - $low) / ($high - $low)) };
	my $svg = '';

	for my $ratio (map { 2**$_ } $low .. $high)
	{
		$svg .= sprintf(qq{<path class="grid" d="M%d %.1fh%d"/>\n}, $left, $y->($ratio), $width)
		  . svg_text('tick', $left - 8, $y->($ratio) + 4, $ratio, 'text-anchor="end"');
	}
	$svg .= svg_text('tick', $x->($_), $top + $height + 20, $_, 'text-anchor="middle"') for map { 2**$_ } $first .. $last;
	my ($from, $to) = (max(2**$first, 64 / 2**$high), min(2**$last, 64 / 2**$low));
	$svg .= sprintf qq{<path class="copy line" d="M%.1f %.1fL%.1f %.1f"/>\n}, map { ($x->($_), $y->(64 / $_)) } $from, $to;
	for (@points)
	{
		$svg .= sprintf(qq{<circle class="ours mark" cx="%.1f" cy="%.1f" r="4"/>\n}, $x->($_->{bits}), $y->($_->{ratio}))
		  . svg_text('tick', $x->($_->{bits}) + 8, $y->($_->{ratio}) + 4, $_->{name});
	}
	return svg_sheet($left + $width + 110, $top + $height + 56, $left, "Sums of packed arrays on $about->{card}, $about->{date}",
		svg_text('label', $left, $top - 20, 'times the speed of CUB on plain values; dashed: 64 divided by the bits of a value')
		  . $svg . svg_text('label', $left + $width / 2, $top + $height + 42, 'bits a value', 'text-anchor="middle"'));
}

1;
