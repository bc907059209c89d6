#!/usr/bin/env python3
"""peers.py N_SUM N_TOTALS: sums, running totals and products by other programs.

Sums by position are of N_SUM elements in arrays of N_TOTALS.

Reads names of measurements, one a line, and answers each with a row: its name,
then the median of its ms, or "-" and why it cannot be done here (a module or a
GPU that is missing), or for cupy a second time, all separated by tabs.  A name
may be followed by how often it is to run.  Data are random float8 in [0, 1):
N_SUM of them in plain memory, made when first needed, and N_TOTALS for running
totals.  Peers.pm keeps one such process, so that it can take turns with queries.
"""
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

N_SUM, N_TOTALS = int(sys.argv[1]), int(sys.argv[2])
CORES = len(os.sched_getaffinity(0))
LISTS_PART = 10  # a tenth of the data, as lists, for what is slow
LIST_LENGTH = 1000000


class Missing(Exception):
    """What a measurement needs and this machine has not."""


def module(name):
    try:
        return __import__(name)
    except Exception as error:
        raise Missing(f"no {name} ({type(error).__name__})")


@lru_cache
def on_gpu(name):
    """torch or cupy with a GPU that works."""
    library = module(name)
    try:
        if name == "torch":
            library.zeros(1).cuda()
        else:
            library.zeros(1).sum().get()
    except Exception as error:
        raise Missing(f"no GPU for {name} ({type(error).__name__})")
    return library


@lru_cache
def host(n):
    """n random numbers, made by all cores."""
    numpy = module("numpy")
    data = numpy.empty(n)
    parts = numpy.array_split(data, CORES)
    with ThreadPoolExecutor(CORES) as pool:
        list(pool.map(lambda i: numpy.random.default_rng(i).random(out=parts[i]), range(CORES)))
    return data


@lru_cache
def cupy_data(n):
    cupy = on_gpu("cupy")
    data = cupy.random.random(n)
    cupy.cuda.Device().synchronize()
    return data


@lru_cache
def torch_data(n):
    return module("torch").from_numpy(host(n))


@lru_cache
def torch_device_data(n):
    torch = on_gpu("torch")
    data = torch.rand(n, dtype=torch.float64, device="cuda")
    torch.cuda.synchronize()
    return data


@lru_cache
def duckdb_table(text):
    """A database in memory with a table t, made by a query."""
    connection = module("duckdb").connect()
    connection.execute(f"CREATE TABLE t AS {text}")
    return connection


def duckdb(query, text):
    connection = duckdb_table(text)
    return lambda: connection.execute(query).fetchall()


def duckdb_column(query):
    return duckdb(query, f"SELECT random() AS x FROM range({N_SUM})")


def duckdb_lists():
    length = min(LIST_LENGTH, N_SUM)
    lists = max(1, N_SUM // length // LISTS_PART)
    run = duckdb(
        "SELECT sum(list_sum(a)) FROM t",
        f"SELECT list(random()) AS a FROM range({lists * length}) r(i) GROUP BY i // {length}",
    )
    run.scale = N_SUM / (lists * length)
    return run


def copy_to_device():
    torch = on_gpu("torch")
    data = torch_data(N_SUM)

    def run():
        data.cuda()
        torch.cuda.synchronize()

    return run


def device_sum_cupy():
    cupy = on_gpu("cupy")
    data = cupy_data(N_SUM)

    def run():
        """By events around the call; the wall clock comes second."""
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        cupy.cuda.Device().synchronize()
        start = time.perf_counter()
        begin.record()
        data.sum()
        end.record()
        end.synchronize()
        wall = (time.perf_counter() - start) * 1000
        return cupy.cuda.get_elapsed_time(begin, end), wall

    return run


def device_sum_torch():
    torch = on_gpu("torch")
    data = torch_device_data(N_SUM)
    return lambda: data.sum().item()


def device_dot_torch():
    torch = on_gpu("torch")
    x = torch_device_data(N_SUM)
    y = x.flip(0)
    return lambda: torch.dot(x, y).item()


def device_elem_torch():
    on_gpu("torch")
    data = torch_device_data(N_SUM).view(-1, N_TOTALS)
    return lambda: data.sum(0).cpu()


def elem_numpy():
    """Each core has some of the columns."""
    numpy, data = module("numpy"), host(N_SUM).reshape(-1, N_TOTALS)
    columns = numpy.array_split(numpy.arange(N_TOTALS), CORES)
    pool = ThreadPoolExecutor(CORES)
    return lambda: list(pool.map(lambda c: data[:, c[0] : c[-1] + 1].sum(axis=0), columns))


def cumsum_cupy():
    cupy = on_gpu("cupy")
    data = cupy_data(N_TOTALS)
    return lambda: cupy.cumsum(data).get()


def cumsum_torch_device():
    on_gpu("torch")
    data = torch_device_data(N_TOTALS)
    return lambda: data.cumsum(0).cpu()


def cumsum_torch():
    data = torch_data(N_TOTALS)
    return lambda: data.cumsum(0)


def cumsum_numpy():
    numpy, data = module("numpy"), host(N_TOTALS)
    return lambda: numpy.cumsum(data)


def cumsum_duckdb():
    return duckdb(
        "SELECT max(s) FROM (SELECT sum(x) OVER (ORDER BY o) AS s FROM t) q",
        f"SELECT o, random() AS x FROM range({N_TOTALS}) r(o)",
    )


def sum_numpy():
    data = host(N_SUM)
    return data.sum


def sum_torch():
    data = torch_data(N_SUM)
    return data.sum


PEERS = {
    "sum_numpy": sum_numpy,
    "sum_torch": sum_torch,
    "sum_duckdb": lambda: duckdb_column("SELECT sum(x) FROM t"),
    "fsum_duckdb": lambda: duckdb_column("SELECT fsum(x) FROM t"),
    "lists_duckdb": duckdb_lists,
    "copy_torch": copy_to_device,
    "device_sum_cupy": device_sum_cupy,
    "device_sum_torch": device_sum_torch,
    "device_dot_torch": device_dot_torch,
    "device_elem_torch": device_elem_torch,
    "elem_numpy": elem_numpy,
    "cumsum_numpy": cumsum_numpy,
    "cumsum_torch": cumsum_torch,
    "cumsum_torch_device": cumsum_torch_device,
    "cumsum_cupy": cumsum_cupy,
    "cumsum_duckdb": cumsum_duckdb,
}


@lru_cache
def prepared(name):
    """What is to be timed, once it has run."""
    run = PEERS[name]()
    run()
    return run


def measure(name):
    """One run's ms, and for some a second kind of them."""
    run = prepared(name)
    start = time.perf_counter()
    result = run()
    wall = (time.perf_counter() - start) * 1000 * getattr(run, "scale", 1)
    return result if isinstance(result, tuple) else (wall,)


def answer(name, times="1"):
    try:
        rows = [measure(name) for _ in range(int(times))]
        medians = [sorted(column)[len(column) // 2] for column in zip(*rows)]
        return [f"{ms:.4f}" for ms in medians]
    except Missing as missing:
        return ["-", str(missing)]
    except Exception as error:
        return ["-", f"{type(error).__name__}: {error}".replace("\n", " ")[:200]]


def main():
    while line := sys.stdin.readline():
        words = line.split()
        print(*words[:1], *answer(*words), sep="\t", flush=True)


main()
