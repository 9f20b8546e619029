/* llvm_worker.h: the protocol between the process that compiles (llvm_worker.c) and the one that
 * started it: frames (lcu_frame.h) over the worker's standard input.
 *
 * The worker's first frame: status; message, or the file of libLLVM; its version ("19.1.7").
 * A request: 0; the processor's name; the text.
 * The answer: status; message; the object.
 *
 * After a fatal error in LLVM, the worker sends what it knows about it as the answer, or as the
 * first frame, and ends. It also ends when the other end is closed, even while it compiles, and
 * after LLVM_WORKER_IDLE_MS without a request. */
#ifndef LLVM_WORKER_H
#define LLVM_WORKER_H

#define LLVM_WORKER_PROGRAM "luacuda-llvm"

enum { LLVM_WORKER_IDLE_MS = 10000 };

#endif
