-- The names of the kernel's language: fields of cuda.gpu, and globals in kernels.
local MASK = "mask: integer, the lanes that take part, a bit for each"
local LANES = "mask: integer" -- a group says what it is
local VALUE = "value: number"
local CHANNELS = "...: number, one for each channel"

local function place(name, text)
  return { name, kind = "field", returns = { "table" }, text = text }
end

local function fn(name, params, returns, text)
  return { name, kind = "function", params = params, returns = { returns }, text = text }
end

local function group(title, text, entries, shared)
  shared = shared or {}
  return { class = "Gpu", title = title, rows = true, text = text, entries = entries,
    params = shared.params, returns = shared.returns }
end

local atomics = {}
for name, words in pairs{ add = "adds", sub = "subtracts", max = "keeps the larger",
  min = "keeps the smaller", exch = "stores", ["and"] = "bitwise and", ["or"] = "bitwise or",
  xor = "bitwise exclusive or" } do
  atomics[#atomics + 1] = { "atomic_" .. name, kind = "function",
    text = words:gsub("^%l", string.upper) .. "." }
end
table.sort(atomics, function(a, b) return a[1] < b[1] end)
atomics[#atomics + 1] = fn("atomic_cas",
  { "array: Array", "...: integer, the indices, then the expected value and the new one" },
  "number, the old value", "Stores the new value if the old one is that expected.")

local shuffles = {}
for name, words in pairs{ shfl_sync = "of the lane", shfl_up_sync = "of the lane so many below",
  shfl_down_sync = "of the lane so many above", shfl_xor_sync = "of the lane of the exclusive or" }
do
  shuffles[#shuffles + 1] = { name, kind = "function",
    text = "The value " .. words .. "; the lane's own value if that is outside the part." }
end
table.sort(shuffles, function(a, b) return a[1] < b[1] end)

return {
  title = "Names of kernels written in Lua",
  text = [[
    These names are globals in functions of `cuda.jit`, and fields of `cuda.gpu` for scripts that
    prefer not to use globals. Outside of kernels they raise; in `jit:run_in_lua` they do the same
    in Lua. Those about threads are refused in `cuda.vectorize` and in the builders.]],
  parts = {
    { class = "Gpu", title = "Places of threads", text = "The names, as fields of `cuda.gpu`.",
      entries = {
      place("threadIdx", "Place of the thread in its block: `.x`, `.y`, `.z`, from 0."),
      place("blockIdx", "Place of the block in the grid, from 0."),
      place("blockDim", "Threads of a block."),
      place("gridDim", "Blocks of the grid."),
      { "warpSize", kind = "field", returns = { "integer" }, text = "Lanes of a warp: 32." },
      { "laneid", kind = "field", returns = { "integer" }, text = "Lane of the thread, from 0." },
      fn("grid", { "n: integer|integer[]", "m?: integer", "k?: integer" }, "function",
        [[In `for ... in`: the indices that the thread takes of 1 to n (m, k); the last one is along
          x. `grid(x.shape)` gives those of all elements of an array.]]),
      fn("unroll", { "first: integer", "last: integer", "step?: integer (1)",
        "factor?: integer, rounds written out at a time (all, of constant bounds, up to 1024)" },
        "function", "In `for ... in`: a numeric loop that the compiler writes out."),
    } },
    group("Memory of kernels", "Arrays that are not arguments.", {
      fn("shared", { "dtype: string", "...: integer|integer[], extents that are constants" },
        "Array", "An array of the thread block, with undefined elements."),
      fn("dynamic_shared", { "dtype: string", "offset?: integer (0), first byte" }, "Array",
        [[The shared memory of which the launch gives the bytes (`shared = 4096`), from a byte
          on, as an array of one axis.]]),
      fn("array", { "dtype: string", "...: integer|integer[], extents that are constants" },
        "Array", "An array of the thread, of zeros."),
      fn("tex", { "t: Texture", "...: number, coordinates: x, y, z, layer" }, CHANNELS,
        [[Reads a texture, an argument or upvalue, at C's coordinates: the center of the first
          texel at 0.5 (`normalized`: 0 to 1), layers from 0, an array of one axis by index from 0.
          A value for each channel: float32 for float16 and `read = "normalized"`, else the
          texture's dtype. Cubemaps and mipmaps need a function in C++ with a
          `cudaTextureObject_t`.]]),
      fn("surf_read", { "s: Surface", "...: integer, coordinates of a texel, from 0" }, CHANNELS,
        "Reads a texel of a surface, a value for each channel."),
      { "surf_write", kind = "function", params = { "s: Surface",
        "...: number, a value for each channel, then the coordinates" },
        text = "Writes a texel; x also counts texels." },
    }),
    group("Barriers and fences", "", {
      { "syncthreads", kind = "function", text = "Waits for the threads of the block." },
      fn("syncthreads_and", { "c: boolean" }, "boolean", [[Waits as `syncthreads` does, and
        returns whether c is true in all threads of the block.]]),
      fn("syncthreads_or", { "c: boolean" }, "boolean", [[Waits as `syncthreads` does, and
        returns whether c is true in any thread of the block.]]),
      fn("syncthreads_count", { "c: boolean" }, "integer", [[Waits as `syncthreads` does, and
        returns the number of threads of the block in which c is true.]]),
      { "syncwarp", kind = "function", params = { "mask?: integer (all lanes)" },
        text = "Waits for lanes of the warp." },
      { "syncgrid", kind = "function", text = [[Waits for the threads of all blocks. The launch is
        then cooperative: at most as many blocks as `kernel:max_cooperative_blocks` tells for
        `k:kernel()`.]] },
      { "threadfence", kind = "function", text = [[Earlier writes are seen by all threads of the
        device before later ones.]] },
      { "threadfence_block", kind = "function", text = "The same for the threads of the block." },
      { "threadfence_system", kind = "function",
        text = "The same for other devices and the host." },
    }),
    group("Atomic operations", [[One access to an element of an int32, uint32, int64, uint64,
      float32 or float64 array. `atomic_add` and `atomic_sub` also take 16-bit floats; the bitwise
      ones take only integers.]], atomics, { params = { "array: Array",
        "...: integer, the indices, one for each axis, then the value" },
        returns = { "number, the old value" } }),
    group("Exchanges within a warp", "Values go from lane to lane.", shuffles, {
      params = { MASK, VALUE, "lane: integer, lane, distance or bits",
        "width?: integer (32), lanes of a part of the warp" }, returns = { "number" } }),
    group("Votes and matches", "`mask` has a bit for each lane that takes part.", {
      fn("any_sync", { LANES, "c: boolean" }, "boolean", "Does c hold in a lane?"),
      fn("all_sync", { LANES, "c: boolean" }, "boolean", "Does c hold in all lanes?"),
      fn("ballot_sync", { LANES, "c: boolean" }, "integer", "The lanes where c holds, as bits."),
      fn("match_any_sync", { LANES, VALUE }, "integer", "The lanes with the same value, as bits."),
      fn("match_all_sync", { LANES, VALUE }, "integer", [[The mask if all lanes have the same value,
        else 0.]]),
      fn("activemask", {}, "integer", "The lanes that run at present, as bits."),
      fn("tile", { "n: integer, 1, 2, 4, 8, 16 or 32, a constant" }, "table", [[The part of n
        neighboring lanes of a warp to which the thread belongs. All of its lanes call a method
        together: `t:sync()`, `t:shfl(v, rank)`, `t:shfl_up(v, distance)`, `t:shfl_down`,
        `t:shfl_xor(v, bits)`; `t:any(c)`, `t:all(c)`, `t:ballot(c)`, `t:match_any(v)`, whose bits
        count from the tile's first lane; `t:reduce(v, op)`, the same in all lanes, and
        `t:inclusive_scan(v, op)`, op `"add"` (the default), `"mul"`, `"min"`, `"max"`, `"and"`,
        `"or"` or `"xor"`. `t:thread_rank()` counts from 0, as does `t:meta_group_rank()` among the
        block's `t:meta_group_size()` tiles; `t:size()` is n. Blocks have a multiple of n
        threads.]]),
    }),
    group("Numbers and time", "Besides Lua's `math` and this library's functions of elements.", {
      fn("random", { "seed: integer", "sequence: integer, another one for each thread",
        "offset?: integer (0), words to skip" }, "table",
        [[A generator, Philox4x32-10, with the words of CURAND's `curand_init(seed, sequence,
        offset)`; those of sequence 0 are also the words of `cuda.random.generator(seed)`. It
        stays in its variable, and functions draw from the same one. `r:bits()` is the next word
        (uint32). `r:uniform()` is `(word >> 8) * 2^-24`, a float32 from 0 up to, not including,
        1; `r:uniform("float64")` takes two words for 53 bits. `r:normal()` makes two numbers of
        two words (`"float64"`: of four) by the method of Box and Muller and keeps the second for
        the next call. `r:integer(low, high)` is a Lua integer, all equally likely (Lemire, 2019),
        from one word, two for a range of 2^32 or more, or further ones with a probability below
        range / 2^32 (2^64). All devices, `jit:run_in_lua` and `fast_math` give the same bits.]]),
      fn("fma", { "x: number", "y: number", "z: number" }, "number", "x * y + z, rounded once."),
      fn("rsqrt", { "x: number" }, "number", "1 / sqrt(x)."),
      fn("exp10", { "x: number" }, "number", "10^x."),
      fn("sinpi", { "x: number" }, "number", "The sine of pi x."),
      fn("cospi", { "x: number" }, "number", "The cosine of pi x."),
      fn("popc", { "v: integer" }, "integer", "The number of bits that are set."),
      fn("clz", { "v: integer" }, "integer", "The number of leading zeros."),
      fn("ffs", { "v: integer" }, "integer", "The place of the lowest bit set, from 1; or 0."),
      fn("clock", {}, "integer", "A count of the multiprocessor's cycles."),
      { "nanosleep", kind = "function", params = { "ns: integer" },
        text = "Waits for about so many nanoseconds." },
    }),
  },
}
