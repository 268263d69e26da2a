// Resource limits, and for root the loss of the capabilities that reach beyond files: what is left lets builds and
// package managers work as root inside the writable folders, and nothing more.
#define _GNU_SOURCE
#include "sandbox.h"
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

static void lower(int resource, rlim_t most, const char *name) {
  struct rlimit limit = {.rlim_cur = most, .rlim_max = most};
  if (setrlimit(resource, &limit) == 0) return;
  // Refused where the limit is lower already, which is as good.
  if (getrlimit(resource, &limit) != 0 || limit.rlim_max > most) fail("cannot set the %s limit", name);
}

void limit_resources(const struct plan *plan) {
  lower(RLIMIT_CORE, 0, "core file");
  if (plan->memory != 0) lower(RLIMIT_DATA, plan->memory, "memory");
  if (plan->file_size != 0) lower(RLIMIT_FSIZE, plan->file_size, "file size");
  if (plan->processes != 0) {
    // In a user namespace of its own the count starts at zero. Elsewhere it includes all that the user runs already,
    // which the machine's total is an upper bound of.
    struct sysinfo machine;
    rlim_t already = plan->layer == LAYER_NAMESPACES || sysinfo(&machine) != 0 ? 0 : machine.procs;
    lower(RLIMIT_NPROC, plan->processes + already, "process");
  }
}

enum { CAP_CHOWN = 0, CAP_DAC_OVERRIDE = 1, CAP_FOWNER = 3, CAP_SETGID = 6, CAP_SETUID = 7, CAP_NET_BIND_SERVICE = 10 };
static const uint64_t KEPT = 1ull << CAP_CHOWN | 1ull << CAP_DAC_OVERRIDE | 1ull << CAP_FOWNER | 1ull << CAP_SETGID |
                             1ull << CAP_SETUID | 1ull << CAP_NET_BIND_SERVICE;

struct capability_header {
  uint32_t version;
  int pid;
};
struct capability_sets {
  uint32_t effective, permitted, inheritable;
};

void drop_privileges(void) {
  struct capability_header header = {.version = 0x20080522, .pid = 0};
  struct capability_sets sets[2];
  if (syscall(SYS_capget, &header, sets) != 0) fail("cannot read capabilities");
  uint64_t permitted = sets[0].permitted | (uint64_t)sets[1].permitted << 32;
  uint64_t kept = geteuid() == 0 ? permitted & KEPT : 0;
  // The bounding set may stay: under no_new_privs an exec never gives more than is permitted already.
  for (int half = 0; half < 2; half++) {
    uint32_t part = (uint32_t)(kept >> (32 * half));
    sets[half] = (struct capability_sets){.effective = part, .permitted = part, .inheritable = 0};
  }
  if (syscall(SYS_capset, &header, sets) != 0) fail("cannot drop capabilities");
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("cannot set no_new_privs");
}
