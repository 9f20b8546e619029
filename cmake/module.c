/* A MODULE target needs one source of its own; everything else comes from the layers. */
typedef int luacuda_module_has_a_source;
