-- The files of this folder, in the order of the manual.
return {
  "luacuda", "device", "stream", "event", "array", "operators", "linalg", "module", "kernel", "builders", "reductions", "scan",
  "random", "value", "pool", "error", "select",
}
