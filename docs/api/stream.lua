-- luacheck: ignore 631 (one entry, one line)
local CLOSED = "a string when the stream is closed"
return {
  name = "Stream", title = "Streams",
  text = "Work on a stream runs in order. Work on one array from two streams is ordered automatically: the later waits for what the earlier had queued.",
  entries = {
    { "device", kind = "field", returns = { "Device" }, text = "Where it runs." },
    { "priority", kind = "field", returns = { "integer" }, text = "As the driver clamped it; lower runs first." },
    { "blocking", kind = "field", returns = { "boolean" }, text = "Does it wait for the null stream?" },
    { "is_null", kind = "field", returns = { "boolean" }, text = "Is it the device's default stream?" },
    { "pointer", kind = "field", returns = { "integer" }, text = "The driver's handle." },
    { "synchronize", returns = { "Stream, itself" }, raises = "launch, and whatever queued work ran into", text = "Waits for all its work." },
    { "is_done", returns = { "boolean" }, raises = CLOSED, text = "Has all queued work ended? A fault is left to the calls that wait." },
    { "wait", params = { "what: Event|Stream" }, returns = { "Stream, itself" }, raises = CLOSED, text = "What is queued from now on comes after the event, or after all the other stream has queued." },
    { "use", returns = { "Stream, the one current before" }, raises = CLOSED, text = "Makes it current on its device." },
    { "close", text = "Ends the handle; queued work goes on. Twice is harmless." },
    { "free", text = "The same as close." },
  },
}
