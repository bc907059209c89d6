\echo
\echo 'What to try next'
\echo -------------------------------------------------------------------------------
\echo '   test/bin/with-cluster psql    a server to play with, gone when you leave it;'
\echo '                                 begin with CREATE EXTENSION gpuagg;'
\echo '   make check                    all tests, on a server like that'
\echo '   make && make install          into the PostgreSQL you have, then'
\echo '                                 CREATE EXTENSION gpuagg; in your database'
\echo
