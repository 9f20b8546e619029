-- cuda.nccl and class Communicator.
local STREAM = "stream?: Stream (the device's current stream), stream of the work"
local CHECK = [[check?: boolean (false), the ranks first tell each other what they call, and all of
  them raise where that differs; this waits]]
local ROOT = "root?: integer (0), the rank of the root"
local OP = [[op?: "sum"|"prod"|"min"|"max"|"avg" ("sum"), how elements are combined]]
local COUNTS = "counts?: integer[], rows of each rank, where they are not equal"
local X = "x: Array, contiguous, on the communicator's device"
local NUMBER = "x: Array|number, an array that is contiguous and on the communicator's device"
local DIFFER = [[`communication`, later like the fault of a kernel: when ranks call different
  things, a rank is missing after the time limit, or the connection fails]]

local function out(text) return "out?: Array (a new one), " .. text end

return {
  title = "Several GPUs and processes",
  text = [[
    A program that a launcher (`mpirun`, `torchrun`, `srun`) starts as several processes exchanges
    the contents of arrays by a communicator. Each process is a *rank*; ranks count from 0, as
    launchers count them. Operations are queued on streams and ordered like launches, and all ranks
    have to call the same ones in the same order. GPUs communicate by NCCL, 2.18 or later for
    `split`, the CPU device over Open MPI or MPICH; both are opened at run time.

    Reductions take all dtypes but int16 and uint16, which NCCL does not have; complex numbers have
    only sum and avg, bools only min, max and prod, and integers no avg. min and max of NaN are NaN
    on the CPU device; on GPUs they are the other number. Other operations move any dtype, structs
    too. Arrays are contiguous. Ranks share the first axis of an array: `all_gather` appends the
    rows of all ranks, `reduce_scatter`, `scatter` and `all_to_all` divide them.]],
  parts = {
    { class = "luacuda", entries = {
      { "nccl", kind = "value", returns = { "Nccl" }, text = "Communicators." },
    } },
    { class = "Nccl", text = "The functions of `cuda.nccl`.", entries = {
      { "init", kind = "function",
        options = { [[file?: string, for GPUs: a path that all ranks see and that does not exist
          yet, through which they meet instead of at an address]],
          [[timeout_ms?: number (600000), time limit of every operation of the
          communicator, from its beginning after the work queued before it, and of this call; 0:
          none]] },
        returns = { "Communicator" },
        raises = [[`communication` where a rank does not come, a string where the launcher and MPI
          count differently]],
        text = [[Joins the processes that the launcher started; all of them have to call it. Rank
          and size are read from the variables of torchrun, Open MPI, MPICH or Slurm; without any
          there is one rank, which needs no library. Unless `LUACUDA_DEVICE` is set, the GPU of the
          local rank becomes the current device.

          GPUs meet at an address: that of `NCCL_COMM_ID`, else `MASTER_ADDR` and `MASTER_PORT`
          (under torchrun the port after it, as torchrun listens there itself), else in a job of
          Slurm the first node, else with Open MPI on one machine that machine. A second call
          returns the same communicator while that is open.]] },
      { "init_all", kind = "function", params = { "devices: Device[], GPUs, each one once" },
        options = { "timeout_ms?: number (600000), as above" },
        returns = { "Communicator[], one for each GPU, with ranks from 0" },
        raises = "`communication`, and `runtime` without NCCL",
        text = [[Makes the communicators of several GPUs of this process, without a launcher. Their
          operations wait for each other, so they belong into `cuda.nccl.group`. Graphs with
          operations are for one GPU a process: NCCL warns that launches of several may wait for
          each other for ever. (NCCL calls it `ncclCommInitAll`.)]] },
      { "group", kind = "function",
        params = { "comms: Communicator[], of this process", "fn: function" },
        options = { "streams?: Stream[] (the current ones), one for each communicator" },
        returns = { "any, all results of `fn`" },
        raises = "the errors of `fn`; then nothing is queued",
        text = [[Calls `fn()`, and queues the operations of all these communicators together when it
          returns.]] },
      { "environment", kind = "function", returns = { "table" },
        text = [[Returns what the launcher says, without joining: `launcher` ("torchrun", "Open
          MPI", "MPICH", "Slurm" or "none"), `rank`, `size` and `local_rank`.]] },
    } },
    { class = "Communicator", text = "Ranks that exchange the contents of arrays.", entries = {
      { "rank", kind = "field", returns = { "integer" }, text = "This rank, from 0." },
      { "size", kind = "field", returns = { "integer" }, text = "The number of ranks." },
      { "device", kind = "field", returns = { "Device" }, text = "Where its arrays are." },
      { "timeout_ms", kind = "field", returns = { "number" }, text = "Its time limit; 0: none." },
      { "all_reduce", params = { NUMBER },
        options = { OP, out "array like `x`; may be `x`", STREAM, CHECK },
        returns = { "Array|number" }, raises = DIFFER,
        text = "Returns the elements of all ranks combined. A number gives a number, and waits." },
      { "reduce", params = { NUMBER },
        options = { OP, ROOT, out "array like `x`; may be `x`", STREAM, CHECK },
        returns = { "Array|number|nil, nil on all ranks but the root" }, raises = DIFFER,
        text = "The same with the result on the root only." },
      { "broadcast", params = { NUMBER },
        options = { ROOT, "out?: Array (`x`), array like `x`", STREAM, CHECK },
        returns = { "Array|number" }, raises = DIFFER,
        text = [[Gives all ranks the elements of the root: in place, so that `x` of the others is
          overwritten, unless `out` is given. A number gives a number, and waits.]] },
      { "all_gather", params = { X },
        options = { COUNTS, out "array of the rows of all ranks", STREAM, CHECK },
        returns = { "Array" }, raises = DIFFER,
        text = "Returns the rows of all ranks, in the order of ranks." },
      { "gather", params = { X },
        options = { ROOT, COUNTS, out "array of the rows of all ranks", STREAM, CHECK },
        returns = { "Array?, nil on all ranks but the root" }, raises = DIFFER,
        text = "The same with the result on the root only." },
      { "scatter", params = { "x?: Array, contiguous; needed on the root" },
        options = { ROOT, COUNTS, "out?: Array (a new one), needed on all ranks but the root",
          STREAM, CHECK },
        returns = { "Array" }, raises = DIFFER,
        text = "Divides the rows of the root's array among the ranks." },
      { "reduce_scatter", params = { X },
        options = { OP, out "array of this rank's rows", STREAM, CHECK },
        returns = { "Array" }, raises = DIFFER,
        text = [[Combines the elements of all ranks; each rank gets its part of the rows. The number
          of rows is a multiple of the number of ranks.]] },
      { "all_to_all", params = { X },
        options = { "counts?: integer[], rows for each rank",
          "from?: integer[], rows from each rank", out "array of the rows received", STREAM,
          CHECK },
        returns = { "Array" }, raises = DIFFER,
        text = [[Sends each rank its part of the rows, and returns the parts from all ranks.]] },
      { "send", params = { X, "to: integer, a rank" }, options = { STREAM },
        returns = { "Array, `x`" }, raises = DIFFER,
        text = "Sends an array, which `recv` of the other rank receives." },
      { "recv", params = { X, "from: integer, a rank" }, options = { STREAM },
        returns = { "Array, `x`" }, raises = DIFFER,
        text = "Receives into an array of the size that is sent." },
      { "group", params = { "fn: function" }, options = { STREAM },
        returns = { "any, all results of `fn`" },
        raises = "the errors of `fn`; then nothing is queued",
        text = [[Calls `fn()`, and queues the operations that it calls together when it returns: a
          `send` and a `recv` among them may wait for each other. Their results have no contents
          before.]] },
      { "barrier", returns = {}, raises = "`communication`",
        text = "Waits until all ranks have called it and all earlier operations are done." },
      { "split", params = { "color?: integer, from 0; nil: this rank is in no part" },
        options = { "key?: integer (the rank), order within the part" },
        returns = { "Communicator?, nil without a color" }, raises = "`communication`",
        text = [[Makes a communicator of the ranks with the same color. All ranks have to call it;
          waits for the operations queued before.]] },
      { "close", returns = {}, raises = "errors of operations that were queued",
        text = [[Waits for its operations and ends it. Communicators close in any order, and also
          when they are collected or leave the scope of a `<close>` variable. Graphs with operations
          of a closed communicator cannot be launched.]] },
    } },
  },
}
