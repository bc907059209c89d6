\echo Use "ALTER EXTENSION gpuagg UPDATE TO '0.2.0'" to load this file. \quit

-- gpuagg: from 0.1.0 to 0.2.0.
--
-- These have other columns now, and are made again below with their rights.  A
-- view that somebody built on them has to be dropped before.
DROP VIEW gpuagg_session_stat;
DROP VIEW gpuagg_devices;
DROP VIEW gpuagg_stat;
DROP VIEW gpuagg_cache;
DROP FUNCTION gpuagg_session_stat();
DROP FUNCTION gpuagg_devices();
DROP FUNCTION gpuagg_stat();
DROP FUNCTION gpuagg_cache();

