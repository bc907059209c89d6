# Page.pm: files of figures, and the pages that show them.
#
# A file of figures (.tsv) has a line that says what it is and what was measured
# where, a line of names, and then a row a line, all separated by tabs; "-" is
# what there is none of.  A page has places for tables, each between two comments
# that name the script which puts it there.  All text is bytes in UTF-8.
package Page;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(read_figures figures_text write_file put_in_page result_name results_folder
	row head_row commas digits time_of version nvidia_driver);

# --- files

# A file of figures of that kind ("gpuagg kernels"): what is said about it, by
# name, and its rows, each by the names of its fields.
sub read_figures
{
	my ($file, $kind) = @_;
	my (%about, @fields, @rows);

	open my $in, '<', $file or die "$file: $!\n";
	while (<$in>)
	{
		chomp;
		my @values = split /\t/, $_, -1;
		if ($. == 1)
		{
			die "$file: does not begin with \"# $kind\"\n" if shift @values ne "# $kind";
			%about = map { /^(\w+)=(.*)/ ? ($1 => $2) : () } @values;
		}
		elsif (!@fields)
		{
			@fields = @values;
		}
		else
		{
			die "$file: not a row: $_\n" unless @values == @fields;
			my %row;
			@row{@fields} = @values;
			push @rows, \%row;
		}
	}
	close $in;
	die "$file: there is nothing to report\n" unless $about{card} && @rows;
	return (\%about, \@rows);
}

# The other way round: the text of such a file.
sub figures_text
{
	my ($kind, $about, $fields, $rows) = @_;

	return join '', map { join("\t", @$_) . "\n" }
		["# $kind", map { "$_=$about->{$_}" } sort keys %$about],
		$fields, map { [ @$_{@$fields} ] } @$rows;
}

sub write_file
{
	my ($file, $text) = @_;

	open my $out, '>', $file or die "$file: $!\n";
	print $out $text;
	close $out or die "$file: $!\n";
	print STDERR "bench: written to $file\n";
}

# Puts texts between the marks of a page, by the names of their places.  Dies
# where a place is missing, and then leaves the page as it was.
sub put_in_page
{
	my ($file, %text) = @_;

	open my $in, '<', $file or die "$file: $!\n";
	my $page = do { local $/; <$in> };
	close $in;
	for my $place (sort keys %text)
	{
		my ($begin, $end) = map { "<!-- $place: $_ -->" } qw(begin end);
		$page =~ s/\Q$begin\E\n.*?\Q$end\E/$begin\n$text{$place}$end/s
			or die "$file has no place for $place\n";
	}
	write_file($file, $page);
}

# Where results go.
sub results_folder { return $ENV{RESULTS} || 'test/bench/results' }

# What a file of results is called, but for its suffix.
sub result_name
{
	my ($date, $what) = @_;
	my $name = lc $what;

	$name =~ s/\(r\)|\(tm\)|processor|cpu|@.*//g;
	$name =~ s/[^a-z0-9.]+/-/g;
	$name =~ s/-+$//;
	return "$date-$name";
}

# --- tables

sub row { return '| ' . join(' | ', @_) . " |\n" }
sub head_row { return row(@_) . '| --- ' x @_ . "|\n" }

# Three digits.
sub digits { my ($x) = @_; return sprintf($x >= 100 ? '%.0f' : '%.3g', $x) }

sub commas { my ($n) = @_; 1 while $n =~ s/^(\d+)(\d{3})/$1,$2/; return $n }

# ms in the unit that suits them.
sub time_of
{
	my ($ms) = @_;

	return $ms >= 1000 ? digits($ms / 1000) . ' s'
		: $ms < 0.1 ? digits($ms * 1000) . ' µs'
		: digits($ms) . ' ms';
}

# --- the machine

# 13000 is CUDA 13.0.
sub version { return sprintf '%d.%d', $_[0] / 1000, $_[0] % 1000 / 10 }

# The version of the NVIDIA driver in the kernel's words, "unknown" if it has
# none.
sub nvidia_driver
{
	my ($words) = @_;

	return $words =~ /(\d+(?:\.\d+)+)/ ? $1 : 'unknown';
}

1;
