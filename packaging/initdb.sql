-- In the first database of a new container.
CREATE EXTENSION IF NOT EXISTS gpuagg;
