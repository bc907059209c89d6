# Plot.pm: draws plots as SVG: the sheet, its colours in light and dark mode, the
# scales of axes, and text.
#
# Classes of lines and marks: ours; cub, the library that we compare with; copy,
# the rate to reach, or a published figure.
package Plot;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(svg_sheet svg_text text_width escape scale log2);

sub log2 { my ($x) = @_; return log($x) / log(2) }

sub escape { return $_[0] =~ s/&/&amp;/gr =~ s/</&lt;/gr =~ s/>/&gt;/gr =~ s/"/&quot;/gr }

# A round step that makes about six of the limit, and the limit as its multiple.
sub scale
{
	my ($highest) = @_;
	my ($step) = grep { $highest / $_ <= 6 }
		map { my $ten = 10**$_; map { $_ * $ten } 1, 2, 5 } 0 .. 6;

	return ($step * (int($highest / $step) + 1), $step);
}

# Words at a place; more attributes of the element may follow.
sub svg_text
{
	my ($class, $x, $y, $words, $more) = @_;

	return sprintf qq{<text class="%s" x="%.1f" y="%.1f"%s>%s</text>\n},
		$class, $x, $y, defined $more ? " $more" : '', escape($words);
}

# The width that words of a font size need at most, in a usual sans-serif font.
sub text_width
{
	my ($words, $size) = @_;

	return 0.62 * $size * length $words;
}

# A sheet with a title, and what was drawn on it.
sub svg_sheet
{
	my ($width, $height, $left, $title, $drawing) = @_;

	$title = escape($title);
	return <<"END";
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 $width $height" width="$width" height="$height" role="img" aria-label="$title">
<title>$title</title>
<style>
text { font-family: sans-serif; fill: #1f2328; }
.title { font-size: 16px; font-weight: bold; }
.panel { font-size: 13px; font-weight: bold; }
.label, .tick { font-size: 12px; }
.paper { fill: #ffffff; }
.grid { stroke: #d0d7de; }
.line { fill: none; stroke-width: 2; }
.ours { stroke: #0969da; fill: #0969da; }
.cub { stroke: #bc4c00; fill: #bc4c00; }
.copy { stroke: #6e7781; fill: #6e7781; stroke-dasharray: 5 4; }
.mark { stroke: none; }
polyline.line, path.line { fill: none; }
\@media (prefers-color-scheme: dark) {
text { fill: #e6edf3; }
.paper { fill: #0d1117; }
.grid { stroke: #30363d; }
.ours { stroke: #58a6ff; fill: #58a6ff; }
.cub { stroke: #f0883e; fill: #f0883e; }
.copy { stroke: #9198a1; fill: #9198a1; }
.mark { stroke: none; }
}
</style>
<rect class="paper" width="$width" height="$height"/>
<text class="title" x="$left" y="26">$title</text>
${drawing}</svg>
END
}

1;
