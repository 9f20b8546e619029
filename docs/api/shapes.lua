-- Functions of shape and layout: functions of the module and methods of Array.
local A, STREAM = "a: Array", "stream?: Stream (the device's current stream), stream of the work"
local AXIS_FROM = "axis?: integer (1), axis to split"
local NO_ZERO = "a string for structs and for arrays without axes"
local VIEW, PARTS = { "Array, a view" }, { "Array[], views" }
local SPLIT = { A, [[parts: integer|integer[], number of parts, or the index that begins each part
  after the first]] }

local views = {
  { "flip", params = { A },
    options = { "axis?: integer|integer[] (all), axes to reverse" }, returns = VIEW,
    text = "Reverses the order of the elements along axes." },
  { "rot90", params = { A, "k?: integer (1), quarter turns; negative ones turn back" },
    options = { "axes?: integer[] ({1, 2}), the two axes of the plane",
      "k?: integer, in place of the parameter" }, returns = VIEW,
    raises = "a string if the array has fewer than two axes",
    text = "Rotates in a plane, from its first axis towards its second." },
  { "squeeze", params = { A },
    options = { "axis?: integer|integer[] (all of one element), axes to drop" }, returns = VIEW,
    raises = "a string if an axis does not have one element", text = "Drops axes of one element." },
  { "expand_dims",
    params = { A, "axis: integer|integer[], where the new axes are in the result" },
    options = { "axis?: integer|integer[], in place of the parameter" }, returns = VIEW,
    text = "Adds axes of one element." },
  { "ravel", params = { A }, options = { STREAM },
    returns = { "Array, a view if the array is contiguous, else a copy" },
    text = [[Returns the elements, in C order, as one axis. `reshape(-1)` raises instead of
      copying.]] },
  { "flatten", params = { A }, options = { STREAM }, returns = { "Array, a copy" },
    text = "Returns a copy of the elements, in C order, as one axis." },
  { "swapaxes", params = { A, "axis1: integer", "axis2: integer" }, returns = VIEW,
    text = "Exchanges two axes." },
  { "moveaxis",
    params = { A, "source: integer|integer[], the axes to move",
      "destination: integer|integer[], where each of them is in the result" },
    returns = VIEW, text = "Moves axes to other places; the others keep their order." },
  { "split", params = SPLIT, options = { AXIS_FROM }, returns = PARTS,
    raises = "a string if a number of parts does not divide the axis",
    text = [[Cuts an array into parts along an axis. A list of indices has the first index of each
      part after the first: `a:split { 3, 5 }` gives the elements 1 to 2, 3 to 4 and 5 to the last
      one. Negative indices count from the end, and those past the end give empty parts.]] },
  { "array_split", params = SPLIT, options = { AXIS_FROM }, returns = PARTS,
    text = [[Like [cuda.split](#cudasplit), but a number of parts need not divide the axis: the
      first parts have one element more than the others.]] },
  { "split_to", params = { A, "devices: Device[], one for each part" },
    options = { AXIS_FROM,
      "streams?: Stream[] (the devices' current streams), stream of the copy to each device" },
    returns = { "Array[], a new one on each device" }, raises = "`memory`",
    text = [[Divides an array among devices as `array_split` does. Each part is copied by the stream
      of its device, after earlier work on `a` and before later work on the part. With streams of
      their own the copies overlap with kernels that use other arrays.]] },
}

local OUT = "out?: Array, array of the result's shape and dtype to write to"

local repeats = {
  { "roll", params = { A, "shift: integer|integer[], places that elements move towards the end" },
    options = { [[axis?: integer|integer[] (all elements in C order, as one axis), axes along which
      they move]], OUT, STREAM },
    returns = { "Array, of the shape of `a`" },
    text = [[Moves elements along axes; those that leave at one end come in at the other. With
      several axes each has its own shift, or all have the same. An axis named twice moves by the
      sum.]] },
  { "tile", params = { A, "reps: integer|integer[], copies along each axis" },
    options = { OUT, STREAM }, returns = { "Array" },
    text = [[Repeats an array as a whole. The shorter of `a.shape` and `reps` is extended with ones
      in front.]] },
  { "rep",
    params = { A, [[repeats: integer|integer[]|Array, how often: for all elements, or integers for
      each one along the axis]] },
    options = { "axis?: integer (all elements in C order, as one axis)", OUT, STREAM },
    returns = { "Array" }, raises = "a string for negative numbers",
    text = [[Repeats each element; NumPy's `repeat`, which is a keyword of Lua. If the
      numbers are an array, the call waits for their sum.]] },
  { "pad",
    params = { A, [[pad_width: integer|table, elements to add: on all sides; as {before, after} for
      all axes; or as {{before, after}, ...} for each axis]],
      'mode?: "constant"|"edge"|"reflect"|"symmetric"|"wrap" ("constant"), what they are' },
    options = { [[constant_values?: any (0), for mode "constant": one value, or values for sides in
      the forms of `pad_width`]], "mode?: string, in place of the parameter", OUT, STREAM },
    returns = { "Array" },
    raises = "a string for an empty axis that is to be extended by a mode other than constant",
    text = [[Adds elements before and after those of each axis.

      - `"constant"`: a value. At corners it is that of the last axis.
      - `"edge"`: the nearest element.
      - `"reflect"`: the elements in reverse, without the one at the edge: 3 2 | 1 2 3 | 2 1.
      - `"symmetric"`: the elements in reverse: 2 1 | 1 2 3 | 3 2.
      - `"wrap"`: the elements from the other end: 2 3 | 1 2 3 | 1 2.

      All modes but `"constant"` repeat the array as often as the width needs, in one launch.]] },
}

local K = "k?: integer (0), the diagonal; above 0 to the right of the main one"
local K_TOO = "k?: integer, in place of the parameter"

local matrices = {
  { "diagonal",
    params = { A, "offset?: integer (0), of the diagonal; above 0 to the right of the main one" },
    options = { "axis1?: integer (1), axis of the rows", "axis2?: integer (2), of the columns",
      "offset?: integer, in place of the parameter" },
    returns = { "Array, a view" }, raises = "a string if the array has fewer than two axes",
    text = [[Returns the elements of a diagonal. In the result one axis, the last, takes the place
      of the two.]] },
  { "diag", params = { A, K },
    options = { "out?: Array, matrix to write to, if the array has one axis", K_TOO, STREAM },
    returns = { "Array, of a matrix a view of its diagonal" },
    raises = "a string if the array does not have one or two axes",
    text = "Returns a diagonal of a matrix, or a matrix of zeros with a vector on a diagonal." },
  { "tril", params = { A, K }, options = { OUT, K_TOO, STREAM }, returns = { "Array" },
    raises = NO_ZERO,
    text = [[Returns the elements on and below a diagonal of each matrix (the last two axes), and 0
      above it. A vector is the rows of a matrix.]] },
  { "triu", params = { A, K }, options = { OUT, K_TOO, STREAM }, returns = { "Array" },
    raises = NO_ZERO,
    text = "Likewise the elements on and above a diagonal, and 0 below it." },
  { "diff", params = { A, "n?: integer (1), how often" },
    options = { "axis?: integer (-1)", "prepend?: Array|number, what goes before the array",
      [[append?: Array|number, what goes after it: an array that differs in this axis only, or one
        value]], "n?: integer, in place of the parameter", OUT, STREAM },
    returns = { "Array, with `n` elements less along the axis; `a` itself if `n` is 0" },
    raises = "a string for arrays without axes and of structs",
    text = [[Returns the difference of each element and the one before along an axis; for booleans
      whether they differ. Integers wrap around. A Lua number takes the dtype of the array, or the
      next that holds numbers of its kind.]] },
}

local DEVICE = "device?: Device|integer|string (that of `stream`, else the current device)"

local coordinates = {
  { "meshgrid",
    params = { [[...: Array|table, the coordinates along each axis, in C order; after them a table
      of options may follow]] },
    returns = { "...: Array, one for each array" },
    text = [[Returns the coordinates of all points of a grid. The options are

      - `indexing`: `"xy"` (the default), with which the first array goes along the second axis and
        the second along the first, or `"ij"`;
      - `sparse` (false): arrays of one element along all other axes;
      - `copy` (true): false gives views that repeat the elements, where that is possible;
      - `stream`: stream of the work.]] },
  { "indices",
    params = { "dimensions: integer|integer[], the shape of the grid",
      "dtype?: Dtype (int64), element type" },
    options = { "dtype?: Dtype, in place of the parameter",
      "sparse?: boolean (false), one array for each axis, of one element along all others", DEVICE,
      STREAM },
    returns = { "Array, of shape {number of axes, dimensions...}", "...: Array, with `sparse`" },
    text = [[Returns the indices, from 1, of all elements of an array: `r[d]` has those of axis
      d.]] },
}

return {
  title = "Shapes and layout",
  text = [[
    Views share the memory of their array: they cost no work on the device, and writing to one
    writes to the array. Axes count from 1, or from the end if negative.]],
  parts = {
    { class = "luacuda", method = true, entries = views },
    { class = "luacuda", method = true, entries = repeats },
    { class = "luacuda", method = true, entries = matrices },
    { class = "luacuda", entries = coordinates },
  },
}
