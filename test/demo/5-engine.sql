\echo
\echo '5. Which engine did the work in this session?'
\echo -------------------------------------------------------------------------------
\echo '   SELECT * FROM gpuagg_session_stat;'
\echo

SELECT * FROM gpuagg_session_stat;

\echo 'The implementation is what suits this processor, or what gpuagg.cpu_engine says.'
\echo 'They differ in speed only: each gives the same bits.'
