# FaultRow.pm: a row of the fault matrix, and what was seen of it.
#
# FaultMatrix.pm says what rows are, and runs them.  Nothing here needs a server.
package FaultRow;

use strict;
use warnings;

use Exporter qw(import);

our @EXPORT = qw(check_row meets_same_fault answer_faults proof_faults);

# Refuse a row that could pass without its fault.
sub check_row
{
	my ($row) = @_;
	my %known = map { $_ => 1 } qw(name faults query warm settings at act expect within proof survives witness crowd first looks loses undo cuda unsanitized unsanitized_server repeats own state view mode);
	my %proofs = map { $_ => 1 } qw(reason log error lasts dies also);
	my @bad = grep { !$known{$_} } keys %$row;

	die 'a row without a name' if !$row->{name};
	die "$row->{name}: unknown: @bad" if @bad;
	die "$row->{name}: no proof that the fault came" if !%{ $row->{proof} // {} };
	@bad = grep { !$proofs{$_} } keys %{ $row->{proof} };
	die "$row->{name}: unknown proofs: @bad" if @bad;
	die "$row->{name}: no time" if !$row->{within};
	$row->{expect} //= 'same';
	$row->{query} //= 'sum';
	$row->{witness} //= meets_same_fault($row) ? 'CPU' : 'device';
}

# Would a request of another session meet the same fault?
sub meets_same_fault
{
	return ($_[0]{faults} // '') =~ /(?:crash|fail|hang|block)_launch/;
}

# What is wrong with the answer and its time.
sub answer_faults
{
	my ($row, $seen) = @_;
	my @wrong;

	my $took = $seen->{delay} // $seen->{seconds} // 1e9;

	push @wrong, sprintf('took %.3f s', $took) if $took > $row->{within} + ($seen->{more} // 0);
	if ($row->{expect} eq 'same')
	{
		push @wrong, 'got ' . ($seen->{out} // 'nothing') . ", not $seen->{right}" if ($seen->{out} // '') ne $seen->{right};
		push @wrong, "an error: $seen->{err}" if ($seen->{err} // '') =~ /ERROR|FATAL|PANIC/;
	}
	elsif ($row->{expect} eq 'lost')
	{
		push @wrong, 'the session is still there' if !$seen->{lost};
	}
	else
	{
		push @wrong, "no error '$row->{expect}': $seen->{err}" if ($seen->{err} // '') !~ /(?:ERROR|FATAL):.*\Q$row->{expect}\E/;
	}
	return @wrong;
}

# What is missing of the proof.
sub proof_faults
{
	my ($row, $seen) = @_;
	my $proof = $row->{proof};
	my @wrong;

	push @wrong, "not proved: the reason is '" . ($seen->{reasons} // '') . "'"
	  if $proof->{reason} && ($seen->{reasons} // '') !~ /\Q$proof->{reason}\E/;
	push @wrong, "not proved: no $proof->{log} in the log" if $proof->{log} && ($seen->{log} // '') !~ $proof->{log};
	push @wrong, "not proved: no $proof->{error}: $seen->{err}" if $proof->{error} && $seen->{err} !~ $proof->{error};
	push @wrong, "not proved: $proof->{also}" if $proof->{also} && !$seen->{also};
	push @wrong, "not proved: $seen->{seconds} s" if $proof->{lasts} && $seen->{seconds} < $proof->{lasts};
	push @wrong, 'not proved: gpuaggd lives' if $proof->{dies} && !$seen->{died};
	return @wrong;
}

1;
