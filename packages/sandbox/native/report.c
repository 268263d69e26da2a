// How the end of a command reaches the parent: one line on the control descriptor. The processes of the helper share a
// page, so that the innermost can say what went wrong and the outermost, which owns the descriptor, passes it on.
#include "sandbox.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct shared {
  volatile bool failed;
  char message[512];
  volatile int end; // how the command ended, as waitpid says it
} *shared;
static int control_descriptor = -1;
static bool alone; // no process of ours waits for this one, which reports its failure itself

void open_report(int control) {
  control_descriptor = control;
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) _exit(125);
}

void report_alone(void) { alone = true; }

// Keeps the first failure, with the system's own words for errno, and ends the calling process.
void fail(const char *format, ...) {
  int error = errno;
  if (!shared->failed) {
    va_list arguments;
    va_start(arguments, format);
    int used = vsnprintf(shared->message, sizeof shared->message, format, arguments);
    va_end(arguments);
    if (error != 0 && used >= 0 && (size_t)used < sizeof shared->message)
      snprintf(shared->message + used, sizeof shared->message - used, ": %s", strerror(error));
    shared->failed = true;
  }
  if (alone) report_failure();
  _exit(125);
}

void report(const char *format, ...) {
  char line[600];
  va_list arguments;
  va_start(arguments, format);
  int used = vsnprintf(line, sizeof line - 1, format, arguments);
  va_end(arguments);
  if (used < 0) return;
  size_t length = (size_t)used < sizeof line - 1 ? (size_t)used : sizeof line - 2;
  line[length] = '\n';
  // A parent that is gone needs no report.
  if (write(control_descriptor, line, length + 1) < 0) return;
}

bool has_failed(void) { return shared->failed; }

void report_failure(void) { report("error %s", shared->message); }

// The first process knows how the command ended; the supervisor is to end like it.
void keep_end(int status) { shared->end = status; }
int kept_end(void) { return shared->end; }

// For a parent that reads no reports: the program's own standard error says why it is not running any more.
void explain_end(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("signalbox-sandbox: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
}

void explain_failure(void) { explain_end("%s", shared->message); }
