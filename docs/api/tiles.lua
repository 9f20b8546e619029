local LAUNCH = "launch: TiledLaunch"
local ARGUMENTS = "...: Array|number|boolean|Scalar|Complex|Record, the arguments"
local GIVEN = "...: any, arguments of a call; none for the kernel made last"
local WRONG = [[a string for wrong arguments, and for a function that cannot become a kernel, with
  the file and line of the mistake; `compile`]]
local PLACES = "places: table, one for each axis of the array"
local MASK = "mask?: Tile|boolean (true), which elements are written"
local SHAPE = "...: integer, rows and columns, or only columns"

local function fn(name, params, returns, text)
  return { name, kind = "function", params = params, returns = returns and { returns },
    text = text }
end

-- What a picture shows.
local PART = { "rows?: integer[], first and last", "columns?: integer[], first and last" }

local function field(name, kind, text)
  return { name, kind = "field", returns = { kind }, text = text }
end

local function group(title, text, entries, shared)
  shared = shared or {}
  return { class = "Tile", title = title, rows = true, text = text, entries = entries,
    params = shared.params, returns = shared.returns }
end

return {
  title = "Kernels over tiles",
  text = [[
    `cuda.tiled` compiles a Lua function whose values are tiles: small matrices that a block of
    threads holds together. One call of the function is one program, which runs in one block.

        local N = 1024
        local softmax = cuda.tiled(function(y, x)
          local i = program(1)
          local row = load(x, { i, 1 }, { 1, N }, -math.huge)
          local e = math.exp(row - max(row, 2))
          store(y, { i, 1 }, e / sum(e, 2))
        end)
        local x = cuda.random.normal{ 100, 1000 }
        local y = cuda.empty_like(x)
        softmax({ tiles = y }, y, x)

    [Kernels over tiles](../guide.md#kernels-over-tiles) in the guide introduces them,
    [Coming from Triton](../coming-from-triton.md) maps Triton's names, and
    [design/tiles.md](../design/tiles.md) describes the compiler. The rules are those of
    [kernels written in Lua](#kernels-written-in-lua), except for these:

    - A tile has a dtype, and one or two extents. A tile of one extent is a row: N elements are
      1 x N. An extent is a multiple of 8 or a power of two, and is known when the kernel is made: a
      literal, a number around the function, or an option in capitals.
    - Operators, conversions such as `float16(v)`, functions of `math` and functions of this library
      that compute one element (`cuda.erf`) take tiles, and return a tile of the results. So do
      functions of `cuda.vectorize` and `cuda.device_function`.
    - A function in Lua takes whole tiles if it uses a name below, such as `sum` or `load`, or a
      tile of the kernel around it; if it calls such a function; or if it returns several values.
      The call is replaced by the function's statements. Any other function computes one element, so
      it can branch on it.
    - `cuda.exp2` of a tile, except of float64, is one instruction: a result below 2^-126 is 0.
    - Tiles broadcast: along each axis their extents are equal, or one of them is 1. Numbers
      broadcast to any tile.
    - A variable keeps its shape. Its dtype is the one that all of its values have in common. Give
      an accumulator the final shape: `zeros("float32", M, N)`.
    - `and`, `or` and `not` take tiles of booleans, and combine element with element. Both sides are
      computed. `c and a or b` of tiles is refused: write `where(c, a, b)`.
    - A condition of `if` or `while` is a boolean and not a tile: reduce with `any` or `all`.
    - A program has no threads: the names of threads, barriers and shared memory are refused.
      `print` takes numbers, and prints once for each program.
    - `x[i]` reads one element, as a number, and `x[t]` with a tile of indices a tile of elements.
      The indices must be in the array. An array of several axes needs all indices: `x[t][j]`.
    - Only `store` and `atomic_add` write. A program sees what it has stored itself, and must not
      load elements that another program of the same launch stores.

    A tile lives in the registers of its block, and a product also needs shared memory for both
    factors. If the device has too little of it, the message says so: choose smaller extents.]],
  parts = {
    { class = "luacuda", entries = {
      { "tiled", params = { "fn: function|string, of arrays and numbers, or its text",
          [[options?: table, `name`, `warps`, `stages`, `persistent`, `cluster`, and constants:
            every key that begins with a capital letter is the name of a constant in the kernel]] },
        returns = { "Tiled" },
        raises = "a string if the function's text cannot be found, or for unknown options",
        text = [[Makes a kernel of a Lua function over tiles. LuaCUDA compiles it at the first call,
          once for each set of argument types and each kind of device.

          An option that is a list has several values, of which [`tune`](#tiledtune) chooses the
          fastest: call it before the kernel.

          The option `name` (string, default that of its variable) is the name of the kernel. The
          option `warps` (integer, default 4) is the number of warps of a block: 1, 2, 4, 8, 12 or
          16. Take 12 only for products whose copies run ahead: elsewhere, 8 of them repeat what 4
          compute.

          Three options matter only where [copies run
          ahead](../design/tiles.md#copies-that-run-ahead) of products. `stages` (integer, default
          6) is the most rounds of the loop whose tiles are in shared memory, 2 to 16; LuaCUDA
          takes fewer if a block has too little of it. `persistent` (boolean, by default true if
          all programs have the same number of rounds) says whether a launch has as many blocks as
          the device has multiprocessors, each of which runs several programs; false gives each
          program a block. `cluster` (integer, default 1) is 2 for blocks in pairs, which run
          programs that are neighbours along the first or the second axis. A tile that both load
          comes from global memory once. That is faster where rows of an array begin at no
          multiple of 128 bytes, and no faster elsewhere. A kernel with `cluster = 2` has
          persistent blocks and stores only after its loop.

              local fill = cuda.tiled(function(y, v)
                local i = program()
                store(y, { i }, full("float32", v, BLOCK))
              end, { warps = 1, BLOCK = 256 })
              local y = cuda.empty(1000)
              fill({ tiles = y }, y, 7)]] },
    } },
    { class = "TiledLaunch", extends = "Launch",
      text = [[The launch table of a kernel over tiles: `tiles` or `programs`, and any other key of
        [a launch](#launch), such as `stream`, except `threads`, `grid`, `block` and `shared`.]],
      entries = {
        { "tiles", kind = "field", returns = { "Array?" },
          text = [[An argument of the call: one program for each tile that the kernel stores there.
            `program(k)` is the tile's number along axis k. The kernel stores tiles of one shape in
            this array. The array has up to three axes, or more if its last ones need one
            program.]] },
        { "programs", kind = "field", returns = { "integer|integer[]|nil" },
          text = [[The number of programs, for up to three axes. A launch has at most 2^31 - 1 in
            all.]] },
      } },
    { class = "Tiled", text = "A kernel over tiles, made by `cuda.tiled`.", entries = {
      { "__call", kind = "call", params = { LAUNCH, ARGUMENTS }, raises = WRONG,
        text = [[Launches the kernel for arguments of these types, and compiles it first if needed.
          Arrays may be strided views. Does not wait.]] },
      { "prepare", params = { LAUNCH, ARGUMENTS }, returns = { "Prepared" }, raises = WRONG,
        text = [[Checks a launch and its arguments once, as `jit:prepare` does, and keeps them. The
          result is called without arguments.]] },
      { "time_ms", params = { LAUNCH, ARGUMENTS }, returns = { "number, milliseconds" },
        raises = WRONG,
        text = "Launches, waits, and returns the time that the launch took on the device." },
      { "benchmark", params = { LAUNCH, ARGUMENTS },
        returns = { "table, as `kernel:benchmark` returns it" }, raises = WRONG,
        text = "Launches many times, waits, and returns times per launch." },
      { "tune",
        params = { [[launch: table, the keys of TiledLaunch, and the options of `cuda.tune` except
            for `name`, `space` and `make`]], ARGUMENTS },
        returns = { "Tuning" },
        raises = [[`runtime` if no candidate could be measured, with the reasons; the errors of
          `where`, `reset`, `metrics` and `observe`]],
        text = [[Searches for the fastest values of the options of `cuda.tiled` that are lists, and
          gives them to the kernel. Another search, for other shapes for instance, gives it other
          values. Runs the kernel many times with the same arguments. Values that make no kernel,
          such as tiles that need too much shared memory, are skipped, and so are those that make
          the same kernel as others.

          The winner is kept on disk, as that of `cuda.tune`. The function, its other options,
          `programs`, and the dtypes and shapes of the arguments are part of the key.
          `result.run()` launches the kernel with the fastest values and these arguments.

              local fill = cuda.tiled(function(y, v)
                store(y, { program() }, full("float32", v, BLOCK))
              end, { warps = { 1, 4 }, BLOCK = { 256, 1024 } })
              local y = cuda.empty(100000)
              print(fill:tune({ tiles = y }, y, 7).best.BLOCK)
              fill({ tiles = y }, y, 7)]] },
      { "source", params = { GIVEN }, returns = { "string" }, raises = WRONG,
        text = "Returns the CUDA C++ of the kernel." },
      { "ptx", params = { GIVEN }, returns = { "string" }, raises = WRONG,
        text = "Returns the PTX of the kernel." },
      { "types", params = { GIVEN }, returns = { "table, name of a variable to its type" },
        raises = WRONG,
        text = [[Returns the inferred types, as `jit:types` does. A tile is `"float32 64x128"`.]] },
      { "kernel", params = { GIVEN }, returns = { "Kernel" }, raises = WRONG,
        text = [[Returns the kernel, with the driver's numbers, such as `num_regs`. Its parameters
          are pointers, extents and scalars.]] },
      { "layout", params = { "name?: string, of a variable that is a tile", GIVEN },
        returns = { "TileLayout|table, without a name a table of them by the variables' names" },
        raises = WRONG,
        text = [[Returns which thread of a block holds which elements of a variable. `print` shows
          it. Variables that are copied to shared memory have no layout. Of variables with one name
          the last one counts.]] },
      { "pipeline", params = { GIVEN }, returns = { "TilePlan" }, raises = WRONG,
        text = [[Returns what LuaCUDA decided about copies that run ahead of products, or why none
          do. `print` shows it.]] },
    } },
    { class = "TileLayout",
      text = [[
        What `tiled:layout` returns: which thread of a block holds which elements of a tile. Rows
        and columns count from 1; threads, warps, lanes and registers count from 0. A register here
        is an element that a thread holds. `tostring` gives the text:

            -- total: float32 64 x 128, 64 elements in each of 4 x 32 threads
            --            lanes   registers        warps
            --   rows     8 by 1  2 by 8           4 by 16
            --   columns  4 by 2  2 by 1, 16 by 8  -
            --   row    = 1 + lane // 4 + warp * 16 + register // 2 % 2 * 8
            --   column = 1 + lane % 4 * 2 + register % 2 + register // 4 * 8
            --   warps, of 16 x 128 elements each:
            --   row 1   0
            --   row 17  1
            --   row 33  2
            --   row 49  3
            --   warp/lane:registers of rows 1-2 and columns 1-8:
            --              1-2      3-4      5-6      7-8
            --   row 1  0/0:0-1  0/1:0-1  0/2:0-1  0/3:0-1
            --   row 2  0/4:0-1  0/5:0-1  0/6:0-1  0/7:0-1

        `4 by 16` means four warps, whose elements are 16 rows apart. The next two lines are the
        same as formulas. A row `copies` counts threads that hold the same elements.]],
      entries = {
        field("name", "string", "The name of the variable."),
        field("dtype", "string", "The dtype of the tile."),
        field("shape", "integer[]", "Its rows and columns."),
        field("warps", "integer", "The warps that hold it."),
        field("registers", "integer", "Elements that each thread holds."),
        field("copies", "integer", "Threads that hold each element."),
        { "place", params = { "thread: integer, its warp times 32 plus its lane",
            "register: integer" },
          returns = { "integer, the row", "integer, the column" },
          text = "Returns which element a thread holds in a register." },
        { "holder", params = { "row: integer", "column: integer" },
          returns = { "integer, the thread", "integer, the register" },
          text = "Returns the first thread that holds an element." },
        { "text", options = PART, returns = { "string" },
          text = [[Returns the text. By default it shows up to 16 rows, and as many columns as fit
            in a line.]] },
        { "svg", options = PART, returns = { "string" },
          text = [[Returns a picture with a color for each warp and the numbers of the lanes. The
            registers are shown at the pointer. By default there are up to 32 rows and 64
            columns.]] },
        { "save", params = { "path: string, ending in `.svg` or `.txt`" }, options = PART,
          returns = { "TileLayout, itself" }, raises = "`runtime` if the file cannot be written",
          text = "Writes the picture or the text to a file." },
      } },
    { class = "TilePlan",
      text = [[
        What `tiled:pipeline` returns. `tostring` gives a table:

            -- product on cpu: copies run ahead
            --   ring 1         b (float16 64 x 128, 16384 bytes), a (float16 128 x 64, 16384 bytes)
            --   stages         6 of 32768 bytes, 196608 bytes in all
            --   barriers       12
            --   products       one runs on while the next round begins
            --   blocks         persistent: each runs several programs
            --   warps          8 multiply, 4 for the thread that copies
            --   registers      136 in each thread at first, then 40 to copy and 232 to multiply
            --   shared memory  230496 bytes
            --   occupancy      1 block on a multiprocessor, 19 % of its threads

        The fields from `stages` on are nil if no copies run ahead.]],
      entries = {
        field("reason", "string?", [[Why no copies run ahead, with the line of the kernel that
          prevents it: `"line 12: the right tile of the product is computed"`.]]),
        field("name", "string", "The name of the kernel."),
        field("device", "string", 'The device: `"gpu0"`.'),
        field("warps", "integer", "The warps of a block that compute."),
        field("copy_warps", "integer", [[Further warps, of which one thread copies: 4, or 0 if no
          copies run ahead.]]),
        field("threads", "integer", "The threads of a block."),
        field("registers", "integer", [[Registers per thread. The CPU device estimates them from
          PTX.]]),
        field("local_bytes", "integer", [[Local memory per thread: more than 0 if the registers are
          too few.]]),
        field("shared_bytes", "integer", "Shared memory of a block."),
        field("blocks_per_multiprocessor", "integer", [[Blocks that a multiprocessor runs at the
          same time.]]),
        field("occupancy", "number, 0 to 1", [[Their threads as a share of what it can hold.]]),
        field("stages", "integer?", "Rounds of the loop whose tiles are in shared memory."),
        field("stage_bytes", "integer?", "Bytes of a stage."),
        field("ring_bytes", "integer?", "Bytes of all stages."),
        field("barriers", "integer?", [[Two barriers for each ring and stage, and two for each tile
          that is copied before the loop.]]),
        field("persistent", "boolean?", "Does a block run several programs?"),
        field("cluster", "integer?", "The blocks of a cluster: 1 or 2."),
        field("in_turn", "boolean?", [[Do two groups of four warps run programs in turn? One
          multiplies while the other stores.]]),
        field("overlap", "boolean?", [[Does a product run on while the next round of the loop
          begins?]]),
        field("copies", "table[]?", [[What is copied: `array` (the name of the parameter), `shape`,
          `dtype`, `bytes`, `shared` (by the blocks of a cluster), and `ring`. Copies of one ring
          arrive together, for the product that uses them first; a copy without `ring` is made once,
          before the loop.]]),
        field("copy_registers", "integer?", [[Registers of each thread of `copy_warps`, if the
          kernel divides the registers of a block unequally.]]),
        field("product_registers", "integer?", "Those of all other threads."),
      } },
    { class = "Tile",
      text = [[
        A value of a kernel over tiles. The functions below are globals of such kernels only;
        `cuda.gpu` has none of them. A local variable of the same name hides a function, as always
        in Lua. The names of [kernels written in Lua](#names-of-kernels-written-in-lua) that are
        not about threads, such as `fma`, `rsqrt`, `popc` and `unroll`, work as well.

        A place along an axis is the number of a tile, from 1: place 2 of tiles of 64 elements
        begins at element 65. `at(i)` begins at element i instead, which may be outside of the
        array. Along the axes before those of the tile, a place is an index.

            local difference = cuda.tiled(function(y, x)
              local i, j = program(1), program(2)
              local rows = load(x, { i, j }, { 8, 32 })
              local before = load(x, { at(8 * i - 8), j }, { 8, 32 })    -- one row further up
              store(y, { i, j }, rows - before)
            end)
            local x, y = cuda.ones{ 20, 70 }, cuda.empty{ 20, 70 }
            difference({ tiles = y }, y, x)]],
      entries = {
      fn("load", { "array: Array", PLACES, "shape: integer[], rows and columns, or only columns",
          "other?: number (0), the value of elements outside of the array" }, "Tile",
        [[Reads a tile. Elements outside of the array, on any side, are `other`, so no mask is
          needed at the edges. In an array of booleans they are false.]]),
      { "store", kind = "function", params = { "array: Array", PLACES, "tile: Tile|number", MASK },
        text = [[Writes a tile, except for its elements outside of the array. A number is a tile of
          one element. Elements are converted as those of kernels are that are stored: real numbers
          to any float dtype, integers to any integer dtype; a float for an integer element is an
          error. An array of one axis takes a row or a column.]] },
      fn("dot", { "a: Tile, M x K", "b: Tile, K x N", "sum?: Tile, M x N, added to the product",
          'precision?: "tf32"|"tf32x3"|nil (full precision), of float32 products; may follow `b`' },
        "Tile, M x N",
        [[Returns the matrix product, to which it adds `sum`. Both factors have the same dtype. The
          product and `sum` are int32 for int8 and uint8, float64 for float64, and float32 for all
          other floats.

          Tensor cores compute products of 8-bit integers, of floats of 8 and 16 bits, and of
          float32 with a `precision`, from compute capability 8.0 on, where M is a multiple of 16, N
          of 8, and a row of `a` a multiple of 32 bytes. All others are computed by multiplications
          in the product's own precision. Compute capability 9.0 adds products of 8-bit floats with
          fewer bits than a float32 has.

          With "tf32", tensor cores take 11 bits of each factor. With "tf32x3", they multiply each
          factor in two parts: three products in place of one, with an error near that of float32;
          an infinite factor gives NaN.]]),
      } },
    group("Places of programs", "Programs, tiles, axes and elements count from 1.", {
      fn("program", { "axis?: integer (1), 1 to 3, a constant" }, "integer",
        "The number of this program along the axis, from 1."),
      fn("programs", { "axis?: integer (1), 1 to 3, a constant" }, "integer",
        "How many programs the launch has along the axis."),
      fn("tiles", { "array: Array", "axis: integer, a constant", "extent: integer, a constant" },
        "integer",
        [[How many tiles with this extent the axis of the array has: the extent of the axis divided
          by that of the tile, rounded up.]]),
      fn("at", { "i: integer" }, "table",
        "The place that begins at element i. Only `load`, `store` and `atomic_add` take it."),
    }),
    group("Making tiles", "Tiles that are not loaded. Their extents are constants.", {
      fn("zeros", { "dtype: string", SHAPE }, "Tile", "Zeros."),
      fn("full", { "dtype: string", "value: number|boolean", SHAPE }, "Tile",
        "One value everywhere."),
      fn("iota", { "n: integer" }, "Tile",
        "The int32 numbers from 1 to n in a row, 1 x n. `transpose(iota(n))` is a column."),
    }),
    group("Operations on tiles", "Operators and functions of elements also take tiles.", {
      fn("transpose", { "tile: Tile" }, "Tile", "Rows become columns."),
      fn("where", { "c: Tile|boolean", "a: Tile|number", "b: Tile|number" }, "Tile",
        "a where c is true, else b, in the dtype that both have in common."),
      { "atomic_add", kind = "function",
        params = { "array: Array", PLACES, "tile: Tile|number", MASK },
        text = [[Adds to elements of an array, which other programs may add to at the same time;
          otherwise as `store`. The array is an int32, uint32, int64, uint64, float16, bfloat16,
          float32 or float64 array. The order of the additions is not defined, so float sums may
          differ between runs in their last bits.]] },
    }),
    group("Reductions of tiles", [[Along axis 1 of M x N elements the result is a row, 1 x N; along
      axis 2 it is a column, M x 1, which broadcasts over the tile. Without an axis the result is a
      number. A reduction has the same order in each run. It includes elements that `load` filled
      in: choose `other` so that they change nothing.]], {
      fn("sum", nil, nil, [[The sum of real numbers. Sums of floats of 8 and 16 bits are float32,
        those of int8 and uint8 int32. The sum of booleans is how many are true, as int32. Sums of
        all other dtypes keep the dtype.]]),
      fn("max", nil, nil, "The largest element."),
      fn("min", nil, nil, "The smallest element."),
      fn("any", nil, nil, "Is any element true? Takes a tile of booleans."),
      fn("all", nil, nil, "Are all elements true? Takes a tile of booleans."),
    }, { params = { "tile: Tile", "axis?: integer, 1 or 2, a constant" },
      returns = { "Tile|number|boolean" } }),
  },
}
