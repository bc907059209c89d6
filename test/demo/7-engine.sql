\echo
\echo '7. Which engine did the work in this session?'
\echo -------------------------------------------------------------------------------
\echo '   SELECT * FROM gpuagg_session_stat;'
\echo

SELECT * FROM gpuagg_session_stat;

\echo '   SELECT name, state, reason FROM gpuagg_devices;'
\echo

SELECT name, state, reason FROM gpuagg_devices;

SELECT current_setting('gpuagg.engine') = 'gpu' AS on_gpu \gset
\if :on_gpu
\echo 'Everything above was computed on the GPU, since the demo sets gpuagg.engine = gpu.'
\else
\echo 'There is no GPU to be used here, so the CPU did it all. The implementation is what'
\echo 'suits this processor.'
\endif
\echo 'Engines differ in speed only: each gives the same bits.'
