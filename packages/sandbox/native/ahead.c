// Whether a view that was made before its command is still what it would be if it were made now.
#define _GNU_SOURCE
#include "sandbox.h"
#include "kernel.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Where the view differs from the machine's, for a command that comes later.
static char **made;
static int made_count;

void remember_mount(const char *path) {
  made = realloc(made, (size_t)(made_count + 1) * sizeof *made);
  if (made == NULL || (made[made_count++] = strdup(path)) == NULL) fail("out of memory");
}

static bool is_mount(const char *path) {
  struct kernel_statx status;
  const int flags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT;
  if (syscall(SYS_statx, AT_FDCWD, path, flags, 0, &status) != 0) return false;
  return (status.attributes & status.attributes_mask & K_STATX_ATTR_MOUNT_ROOT) != 0;
}

static bool is_readable(int descriptor) {
  struct pollfd event = {.fd = descriptor, .events = POLLIN};
  return poll(&event, 1, 0) > 0;
}

static bool is_absent_still(const struct rule *rule) {
  if (rule->around < 0) return is_absent(rule->path);
  const char *name = rule->path + rule->parent->length + 1;
  return faccessat(rule->around, name, F_OK, AT_SYMLINK_NOFOLLOW) != 0;
}

// When a program outside puts something in the place of what a mount covers, the kernel takes the mount away. What was missing may have been made,
// and the machine may have other mounts.
bool view_holds(const struct plan *plan) {
  struct pollfd mounts = {.fd = plan->outside_mounts, .events = POLLPRI};
  if (poll(&mounts, 1, 0) < 0 || (mounts.revents & (POLLERR | POLLPRI)) != 0) return false;
  if (plan->holder_process >= 0 && is_readable(plan->holder_process)) return false;
  for (int i = 0; i < made_count; i++)
    if (!is_mount(made[i])) return false;
  for (int i = 0; i < plan->rule_count; i++)
    if (plan->rules[i].absent && !is_absent_still(&plan->rules[i])) return false;
  return !has_noticed_change();
}
