@-- gpuagg.sql: the head of the install script, which sql/expand makes from this
@-- file and those in parts/, in the order that extension.mk says.
\echo Use "CREATE EXTENSION gpuagg" to load this file. \quit

-- gpuagg: the current definition.
--
-- The support functions of the aggregates take and return internal states, so
-- they cannot be called by themselves.

