-- body_views.lua: what Lua functions that stand for the C++ texts of builders take and give.
--
--   takes   what the first parameters stand for: "inputs", or names of values of the accumulator's
--           type
--   names   what further parameters may be called: i and j (indices, from 1), n (number of
--           elements), ind (the index along each axis, from 1)
--   arrays  whose raw arrays further parameters may name: "inputs", "outputs" or "all"
--   scalars may further parameters name inputs for which the call gives a number?
--   gives   "outputs", or "value": one of the accumulator's type
--   alone   why the function sees no arrays among its upvalues, or nil
--
-- of[builder] is the list for a builder.

local ALONE = "'%s' is an array, and a function that combines two values takes no arrays: use it "
  .. "in map or post"

local of = {
  elementwise = {
    { key = "body", takes = "inputs", names = { "i", "n", "ind" }, arrays = "outputs",
      gives = "outputs" },
  },
  reduction = {
    { key = "map", takes = "inputs", names = { "i", "j", "n" }, gives = "value" },
    { key = "reduce", takes = { "a", "b" }, names = {}, gives = "value", alone = ALONE },
    { key = "post", takes = { "a" }, names = { "n" }, arrays = "inputs", scalars = true,
      gives = "outputs" },
  },
  scan = {
    { key = "map", takes = "inputs", names = { "i", "n" }, arrays = "outputs", gives = "value" },
    { key = "scan", takes = { "a", "b" }, names = {}, gives = "value", alone = ALONE },
    { key = "post", takes = { "a" }, names = { "i", "n" }, arrays = "all", gives = "outputs" },
  },
}

-- The option that gives the type of what is combined.
local type_options = { reduction = "reduce_type", scan = "scan_type" }

-- has_several(what, given): does it name several values, as "float32 value, int64 at" does? C++
-- types such as pair<int, float> do not.
local function has_several(what, given)
  local text = given[type_options[what]]
  return type(text) == "string" and text:find "," ~= nil and not text:find "[<(]"
end

return { of = of, type_options = type_options, has_several = has_several }
