/*
 * spare_fd.h
 *		A descriptor that the session keeps for sleeping.
 */
#ifndef GA_SPARE_FD_H
#define GA_SPARE_FD_H

extern bool ga_spare_fd_reserve(void);
extern void ga_spare_fd_release(void);

#endif /* GA_SPARE_FD_H */
