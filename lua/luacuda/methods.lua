-- methods.lua: the methods that Lua files add to classes: class -> file -> methods in its table.
-- "*" stands for all public names of the file (init.lua), "sort=sort_in_place" is a method and its
-- name in the table.

-- Classes whose calls launch kernels.
local PROFILE = { ["luacuda.profiling.kernel_profile"] = "profile" }

return {
  Array = {
    ["luacuda.linalg.products"] = "matmul dot inner outer vdot trace",
    ["luacuda.linalg.norm"] = "norm",
    ["luacuda.files.npy"] = "save_npy",
    ["luacuda.files.csv"] = "save_csv",
    ["luacuda.files.png"] = "save_png",
    ["luacuda.array.operators"] = "*",
    ["luacuda.array.math"] = "*",
    ["luacuda.array.scans"] = "*",
    ["luacuda.array.reductions"] = "*",
    ["luacuda.array.softmax"] = "softmax log_softmax logsumexp",
    ["luacuda.array.nan_reductions"] = "*",
    ["luacuda.array.close"] = "isclose allclose nan_to_num",
    ["luacuda.array.searching"] = "searchsorted",
    ["luacuda.array.quantile"] = "median quantile percentile",
    ["luacuda.array.average"] = "average ptp",
    ["luacuda.array.partition"] = "partition=partition_in_place argpartition topk",
    ["luacuda.array.sort"] = "sort=sort_in_place argsort",
    ["luacuda.array.unique"] = "unique",
    ["luacuda.array.select"] = "compress nonzero putmask place",
    ["luacuda.array.take"] = "take put",
    ["luacuda.array.scatter"] = "scatter_add scatter_max scatter_min",
    ["luacuda.array.views"] = "*",
    ["luacuda.array.split"] = "split array_split",
    ["luacuda.array.spread"] = "split_to",
    ["luacuda.array.calculus"] = "gradient trapezoid",
    ["luacuda.array.roll"] = "roll tile",
    ["luacuda.array.rep"] = "rep",
    ["luacuda.array.pad"] = "pad",
    ["luacuda.array.diagonal"] = "diagonal diag tril triu",
    ["luacuda.array.diff"] = "diff",
  },
  Kernel = {
    ["luacuda.kernel.rare_methods"] = "source ptx compile",
    ["luacuda.tuning.block_size"] = "tune",
    ["luacuda.profiling.kernel_profile"] = "profile",
    ["luacuda.profiling.step"] = "step",
  },
  Communicator = {
    ["luacuda.nccl.collectives"] = "all_reduce broadcast reduce all_gather reduce_scatter"
      .. " all_to_all gather scatter send recv barrier split group",
  },
  Elementwise = PROFILE,
  Reduction = PROFILE,
  -- classes that are made in Lua
  Jit = {
    ["luacuda.tuning.block_size"] = "tune",
    ["luacuda.profiling.kernel_profile"] = "profile",
    ["luacuda.profiling.step"] = "step",
  },
  Scan = PROFILE,
  Tiled = {
    ["luacuda.tiles.pipeline_report"] = "pipeline",
    ["luacuda.tiles.tile_layout"] = "layout",
    ["luacuda.tuning.tile_tuning"] = "tune",
    ["luacuda.profiling.kernel_profile"] = "profile",
    ["luacuda.profiling.step"] = "step",
  },
  Vectorized = PROFILE,
}
