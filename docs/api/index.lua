-- The files of this folder, in the order of the manual.
return {
  "luacuda", "device", "stream", "event", "array", "operators", "linalg", "module", "kernel", "builders", "scan", "value", "pool", "error", "select",
}
