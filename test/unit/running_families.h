/*
 * running_families.h
 *		Arrays of random floats whose running totals are a trouble.
 *
 * Those of float_families.h are among them.
 */
#ifndef RUNNING_FAMILIES_H
#define RUNNING_FAMILIES_H

#include "float_families.h"

/*
 * Where a scale's last unit lies below the largest number, in bits, when the
 * scale has just been chosen: two levels, two with less slack, three.  The
 * first unit, which is that of a level's residues, lies at GRID_FIRST.
 */
#define GRID_FIRST		 37
#define GRID_REACH_2	 84
#define SCALE_REACH_LESS 92
#define GRID_REACH_3	 131

extern int n_running_families(void);
extern const Family *running_family(int i);
extern const Family *random_running_family(Rng *rng);

#endif /* RUNNING_FAMILIES_H */
