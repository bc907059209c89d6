# Ladder.pm: what is known about the ladder of teaching kernels without running
# it: what each step is for, and the figures that others published.
package Ladder;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(@reductions @scans $deck published_reduction published_scan);

# The kernels in order, and what each removes of the one before it, in words that
# fit in the plot.
our @reductions = (
	['interleaved', 'the first: every other thread drops out, level by level'],
	['strided', 'the divergent branch: the threads at work are neighbours'],
	['sequential', 'the bank conflicts: neighbours read neighbouring words'],
	['first-add', 'the idle half: a thread adds two elements while it loads'],
	['recursive', 'passes: a block has 2,048 elements, summed in place'],
	['grid-stride', 'all passes but one: a grid strides over the whole array'],
	['grid-stride-managed', 'nothing: the same, from memory that is at the host'],
	['shuffle', 'barriers, small loads, atomics: lanes read lanes'],
	['thrust', 'the work: a library'],
	['cub', 'the wait: the library beneath'],
	['exact', 'the rounding: the shipping kernel'],
);
our @scans = (
	['hillis-steele', 'the first: nine additions an element in blocks of 512'],
	['blelloch', 'additions: two an element, up and down a tree'],
	['shuffle', 'the tree, and writing twice: lanes read lanes'],
	['thrust', 'the second reading: a library, in one pass'],
	['cub', 'the wait: the library beneath'],
	['exact', 'the rounding: the shipping kernel'],
);

# Sum of 2^22 int4: M. Harris, "Optimizing Parallel Reduction in CUDA", 2007, on
# a G80.  ms, GB/s, and how much faster than the step before and than the first.
our $deck = 'M. Harris, *Optimizing Parallel Reduction in CUDA* (2007), on a G80 with 86.4 GB/s at most';
my %reduction = (
	interleaved => [8.054, 2.083],
	strided => [3.456, 4.854, 2.33, 2.33],
	sequential => [1.722, 9.741, 2.01, 4.68],
	'first-add' => [0.965, 17.377, 1.78, 8.34],
);

# Running totals of int4, by elements: ms of the serial loop and of the device.
my %scan = (
	100000 => { 'hillis-steele' => [0.003, 0.2], blelloch => [0.005, 0.131], thrust => [undef, 0.16] },
	1000000 => { 'hillis-steele' => [5.363, 1.947], blelloch => [5.593, 2.047], thrust => [undef, 0.39] },
	25000000 => { 'hillis-steele' => [146.608, 10.376], blelloch => [149.882, 11.981], thrust => [undef, 0.62] },
);

# Empty where nothing was published.
sub published_reduction { my ($kernel) = @_; return @{ $reduction{$kernel} // [] } }
sub published_scan { my ($kernel, $n) = @_; return @{ $scan{$n}{$kernel} // [] } }

1;
