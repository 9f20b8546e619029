-- luacheck: ignore 631 (one entry, one line)
return {
  name = "Event", title = "Events",
  text = "Marks in streams. An event that was never recorded counts as complete.",
  entries = {
    { "device", kind = "field", returns = { "Device" }, text = "Where it belongs." },
    { "timing", kind = "field", returns = { "boolean" }, text = "Does it take times?" },
    { "blocking", kind = "field", returns = { "boolean" }, text = "Does waiting for it sleep rather than spin?" },
    { "interprocess", kind = "field", returns = { "boolean" }, text = "May other processes open it?" },
    { "recorded", kind = "field", returns = { "boolean" }, text = "Was it ever recorded?" },
    { "pointer", kind = "field", returns = { "integer" }, text = "The driver's handle." },
    { "record", params = { "stream?: Stream, the device's current one" }, returns = { "Event, itself" }, text = "Marks what the stream has queued so far." },
    { "synchronize", returns = { "Event, itself" }, raises = "launch, and whatever queued work ran into", text = "Waits until it is reached." },
    { "is_done", returns = { "boolean" }, text = "Is it reached? A fault is left to the calls that wait." },
    { "elapsed_ms", params = { "start: Event" }, returns = { "number, milliseconds" }, raises = "logic when one of the two was never recorded or takes no times",
      text = "Time from `start` to this event; waits for both." },
    { "close", text = "Ends the event. Twice is harmless." },
    { "free", text = "The same as close." },
  },
}
