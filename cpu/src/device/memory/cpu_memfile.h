/* cpu_memfile.h: files in memory, through which processes share memory and events. A file has no
 * place in the file system and ends with the last process that has it open. Its name, the 64 bytes
 * of a handle, has a process and a descriptor of it, under which /proc shows the file, and an id
 * that tells the file from any other that is found there. */
#ifndef CPU_MEMFILE_H
#define CPU_MEMFILE_H

#include "cpu_driver.h"

typedef enum cpu_memfile_kind { CPU_MEMFILE_MEMORY = 1, CPU_MEMFILE_EVENT } cpu_memfile_kind;

typedef struct cpu_memfile {
  int fd;
  cpu_memfile_kind kind;
  uint64_t size; /* bytes of the contents */
  unsigned char id[16];
} cpu_memfile;

/* Makes a file of zeros. `call`: the entry point that failures name. */
cu_result cpu_memfile_make (const char *call, cpu_memfile_kind kind, size_t size, cpu_memfile *out);
/* The name, for other processes, as long as this process has the file open. */
void cpu_memfile_name (const cpu_memfile *f, char name[64]);
/* Opens the file of another process; CU_ERR_INVALID_CONTEXT for one of this process. */
cu_result cpu_memfile_open (const char *call, cpu_memfile_kind kind, const char name[64],
                            cpu_memfile *out);
void cpu_memfile_close (cpu_memfile *f);

/* The contents with an inaccessible page on either side, or NULL. */
void *cpu_memfile_map (const cpu_memfile *f);
void cpu_memfile_unmap (void *p, uint64_t size);
/* Replaces mapped contents by other memory. */
void cpu_memfile_cover (void *p, uint64_t size);

#endif
