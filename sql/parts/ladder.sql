-- ---------------------------------------------------------------------------
-- The ladder of teaching kernels
-- ---------------------------------------------------------------------------

@table ladder function | option | rows | kernels
gpuagg_bench_reduce | managed | 12 | reduction kernels
gpuagg_bench_scan | exclusive | 8 | scan kernels

@each ladder ladder_function

