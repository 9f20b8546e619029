-- luacheck: ignore 631 (one entry, one line)
return {
  name = "Pool", title = "Memory pools",
  text = "Each device has a pool of its own; freed memory stays with it until it is trimmed.",
  entries = {
    { "device", kind = "field", returns = { "Device" }, text = "Whose pool it is." },
    { "stats", returns = { "table, bytes: used, reserved, used_high, reserved_high, limit; counts: allocations, frees" }, text = "The numbers now." },
    { "trim", params = { "keep?: integer, bytes (0)" }, returns = { "Pool, itself" }, text = "Gives memory that nothing uses back to the system." },
    { "limit", params = { "bytes?: integer, 0 for none" }, returns = { "integer, the limit now" }, text = "Reads or sets how much arrays may use together." },
  },
}
