/*
 * gpuaggd_main.c
 *		main() of gpuaggd, under a name that a fuzzer can call.
 */
#define main gpuaggd_main
#include "daemon/main.c"
