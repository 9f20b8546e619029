/* cpu_texture.h: texture and surface objects. */
#ifndef CPU_TEXTURE_H
#define CPU_TEXTURE_H

#include "cpu_driver.h"
#include "ptx_texture.h"

/* ptx_host.texture */
const ptx_texture *cpu_texture_find (void *ud, uint64_t handle, bool surface, const char **why);

/* Forgets all textures and surfaces. */
void cpu_textures_free (void);
/* Ends those of a context. */
void cpu_textures_end (cu_context ctx);

#endif
