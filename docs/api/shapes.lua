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

return {
  title = "Shapes and layout",
  text = [[
    Views share the memory of their array: they cost no work on the device, and writing to one
    writes to the array. Axes count from 1, or from the end if negative.]],
  parts = {
    { class = "luacuda", method = true, entries = views },
  },
}
