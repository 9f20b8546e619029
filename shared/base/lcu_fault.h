/* lcu_fault.h: what a kernel did wrong, as far as its device can report it. */
#ifndef LCU_FAULT_H
#define LCU_FAULT_H

#include "lcu_base.h"

/* An access of another thread that a fault is about. */
typedef struct lcu_fault_other {
  char access[8], file[256]; /* access "": there is none */
  int line;
  uint32_t block[3], thread[3];
} lcu_fault_other;

typedef struct lcu_fault_caller {
  char file[256];
  int line; /* 0: there are no more */
} lcu_fault_caller;

/* Threads of a block that hang in the same way. */
typedef struct lcu_fault_waiting {
  uint32_t block[3], count; /* 0: there are no more */
  char threads[64], state[96], file[256];
  int line;
} lcu_fault_waiting;

enum { LCU_FAULT_CALLERS = 4, LCU_FAULT_WAITING = 8 };

typedef struct lcu_fault {
  char kind[24], kernel[256], file[512], space[8];
  bool interrupted;   /* a signal to the program ended the kernel */
  bool communication; /* ranks could not exchange data */
  int line;           /* 0: not known */
  uint32_t block[3], thread[3];
  uint64_t address; /* 0: no memory is involved */
  uint32_t bytes;
  bool write, atomic;
  char variable[128]; /* of the kernel's module, in shared memory too; "": none is known */
  /* the nearest allocation; size 0: none is near */
  uint64_t range_base, range_size;
  bool range_live;
  lcu_fault_other other;
  lcu_fault_caller callers[LCU_FAULT_CALLERS]; /* of the device function, the innermost first */
  lcu_fault_waiting waiting[LCU_FAULT_WAITING];
  /* the owner and the position of the call that queued the kernel (lcu_status.h) */
  uint64_t owner;
  char caller[80];
  unsigned followers; /* later launches on the same stream that failed before this was reported */
  char message[1536]; /* the device's own words */
} lcu_fault;

#endif
