-- Functions of shape and layout: functions of the module and methods of Array.
local A, STREAM = "a: Array", "stream?: Stream (the device's current stream), stream of the work"
local AXIS_FROM = "axis?: integer (1), axis to split"
local VIEW, PARTS = { "Array, a view" }, { "Array[], views" }
local SPLIT = { A, [[parts: integer|integer[], number of parts, or the index that begins each part
  after the first]] }

local views = {
  { "flip", params = { A },
    options = { "axis?: integer|integer[] (all), axes to reverse" }, returns = VIEW,
    text = "Reverses the order of the elements along axes." },
  { "rot90", params = { A, "k?: integer (1), quarter turns; negative ones turn back" },
    options = { "axes?: integer[] ({1, 2}), the two axes of the plane" }, returns = VIEW,
    raises = "a string if the array has fewer than two axes",
    text = "Rotates in a plane, from its first axis towards its second." },
  { "squeeze", params = { A },
    options = { "axis?: integer|integer[] (all of one element), axes to drop" }, returns = VIEW,
    raises = "a string if an axis does not have one element", text = "Drops axes of one element." },
  { "expand_dims",
    params = { A, "axis: integer|integer[], where the new axes are in the result" },
    returns = VIEW, text = "Adds axes of one element." },
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
    text = [[Repeats each element; NumPy's `repeat`, which is a keyword of Lua. An array of numbers
      makes the call wait for their sum.]] },
  { "pad",
    params = { A, [[pad_width: integer|table, elements to add: on all sides; as {before, after} for
      all axes; or as {{before, after}, ...} for each axis]],
      'mode?: "constant"|"edge"|"reflect"|"symmetric"|"wrap" ("constant"), what they are' },
    options = { [[constant_values?: any (0), for mode "constant": one value, or values for sides in
      the forms of `pad_width`]], OUT, STREAM },
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

return {
  title = "Shapes and layout",
  text = [[
    Views share the memory of their array: they cost no work on the device, and writing to one
    writes to the array. Axes count from 1, or from the end if negative.]],
  parts = {
    { class = "luacuda", method = true, entries = views },
    { class = "luacuda", method = true, entries = repeats },
  },
}
