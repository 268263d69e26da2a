// The file rules as a Landlock ruleset. Landlock only ever allows, so a rule that takes something away inside an allowed
// folder is made by allowing each of the folder's other entries instead, unless a mount takes it away already.
#define _GNU_SOURCE
#include "sandbox.h"
#include "kernel.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define READ_RIGHTS (FS_EXECUTE | FS_READ_FILE | FS_READ_DIR)
#define WRITE_RIGHTS                                                                                                   \
  (READ_RIGHTS | FS_WRITE_FILE | FS_REMOVE_DIR | FS_REMOVE_FILE | FS_MAKE_DIR | FS_MAKE_REG | FS_MAKE_SOCK |           \
   FS_MAKE_FIFO | FS_MAKE_SYM | FS_REFER | FS_TRUNCATE)
#define DEVICE_RIGHTS (FS_READ_FILE | FS_WRITE_FILE | FS_TRUNCATE | FS_IOCTL_DEV)
#define FILE_RIGHTS (FS_EXECUTE | FS_READ_FILE | FS_WRITE_FILE | FS_TRUNCATE | FS_IOCTL_DEV)

#define DEVICE_FOLDER "/dev"

int landlock_abi(void) {
  long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version < 0 ? 0 : (int)version;
}

static uint64_t handled_rights(int abi) {
  uint64_t rights = WRITE_RIGHTS | FS_MAKE_CHAR | FS_MAKE_BLOCK | FS_IOCTL_DEV;
  if (abi < 2) rights &= ~FS_REFER;
  if (abi < 3) rights &= ~FS_TRUNCATE;
  if (abi < 5) rights &= ~FS_IOCTL_DEV;
  return rights;
}

struct ruleset {
  const struct plan *plan;
  int descriptor;
  uint64_t handled;
};

// `place` is an O_PATH descriptor. A few may stay open until the exec closes them all, which is cheaper than one by one.
static void allow(const struct ruleset *set, int place, uint64_t rights) {
  struct kernel_landlock_path_beneath_attr rule = {.allowed_access = rights & set->handled, .parent_fd = place};
  if (syscall(SYS_landlock_add_rule, set->descriptor, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0) {
    // Rights that only a folder can have are an error on a file.
    rule.allowed_access &= FILE_RIGHTS;
    if (errno != EINVAL || syscall(SYS_landlock_add_rule, set->descriptor, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0)
      fail("cannot add a Landlock rule");
  }
  if (place > 200) close(place);
}

static void allow_if_there(const struct ruleset *set, const char *path, uint64_t rights) {
  int place = open_beneath_links(path, O_PATH);
  if (place >= 0) allow(set, place, rights);
}

// True where some entry below must not get what the folder gets.
static bool must_leave_gaps(const struct plan *plan, const char *folder) {
  if (plan->layer == LAYER_LANDLOCK && is_below(DEVICE_FOLDER, folder)) return true;
  for (int i = 0; i < plan->rule_count; i++) {
    const struct rule *rule = &plan->rules[i];
    bool takes_away = rule->parent != NULL && rule->access < rule->parent->access;
    if (takes_away && !rule->settled && rule->guard == NO_GUARD && is_below(rule->path, folder)) return true;
  }
  return false;
}

// `place` is an O_PATH descriptor of `path`.
static void allow_below(const struct ruleset *set, int place, const char *path, enum access access) {
  if (!must_leave_gaps(set->plan, path)) {
    allow(set, place, access == ACCESS_WRITE ? WRITE_RIGHTS : READ_RIGHTS);
    return;
  }
  int folder = openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  allow(set, place, FS_READ_DIR); // names may be listed; nothing in the folder itself can be made or removed
  DIR *entries = folder < 0 ? NULL : fdopendir(folder);
  if (entries == NULL) return; // not ours to list: nothing to allow
  for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
    char child[PATH_MAX];
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 || entry->d_type == DT_LNK) continue;
    int length = snprintf(child, sizeof child, "%s/%s", path[1] == '\0' ? "" : path, entry->d_name);
    if (length >= (int)sizeof child || strcmp(child, DEVICE_FOLDER) == 0) continue;
    if (rule_at(set->plan, child) != NULL) continue; // decides for itself
    int inner = openat(folder, entry->d_name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (inner >= 0) allow_below(set, inner, child, access);
  }
  closedir(entries);
}

static void allow_rule(const struct ruleset *set, const struct rule *rule) {
  // Nothing is in an empty folder of ours but what other rules show.
  bool empty = rule->stand_in == STAND_IN_EMPTY && set->plan->layer == LAYER_NAMESPACES && rule->settled;
  if ((rule->access == ACCESS_HIDE && !empty) || strcmp(rule->path, DEVICE_FOLDER) == 0) return;
  int place = open_beneath_links(rule->path, O_PATH);
  if (place >= 0) allow_below(set, place, rule->path, empty ? ACCESS_READ : rule->access); // else not there: nothing to allow
}

// What is not there needs no protection where no command can make it. Mounting has found that out already.
static void settle_absent_rules(struct plan *plan) {
  for (int i = 0; i < plan->rule_count; i++) {
    struct rule *rule = &plan->rules[i];
    if (!rule->settled && access_above(rule) == ACCESS_READ && is_absent(rule->path)) rule->settled = true;
  }
}

void restrict_files(struct plan *plan) {
  if (plan->layer == LAYER_LANDLOCK) settle_absent_rules(plan);
  struct kernel_landlock_ruleset_attr attributes = {.handled_access_fs = handled_rights(plan->landlock_abi)};
  size_t size = sizeof attributes.handled_access_fs;
  if (plan->landlock_abi >= 4) {
    // In namespaces a command without network has a loopback of its own, on which it may do as it likes.
    bool no_network = plan->network == NETWORK_OFF && plan->layer != LAYER_NAMESPACES;
    attributes.handled_access_net = no_network ? NET_BIND_TCP | NET_CONNECT_TCP : 0;
    size = offsetof(struct kernel_landlock_ruleset_attr, scoped);
  }
  if (plan->landlock_abi >= 6) {
    attributes.scoped = SCOPE_ABSTRACT_UNIX_SOCKET | SCOPE_SIGNAL;
    size = sizeof attributes;
  }
  int descriptor = (int)syscall(SYS_landlock_create_ruleset, &attributes, size, 0);
  if (descriptor < 0) fail("cannot create a Landlock ruleset");
  struct ruleset set = {.plan = plan, .descriptor = descriptor, .handled = attributes.handled_access_fs};
  for (int i = 0; i < plan->rule_count; i++) allow_rule(&set, &plan->rules[i]);
  // In namespaces mounts keep all other devices closed, and /dev/shm and /dev/pts are the command's own.
  if (plan->layer == LAYER_NAMESPACES)
    allow_if_there(&set, DEVICE_FOLDER, WRITE_RIGHTS | FS_IOCTL_DEV);
  else
    for (int i = 0; i < DEVICE_COUNT; i++) allow_if_there(&set, DEVICES[i], DEVICE_RIGHTS);
  if (syscall(SYS_landlock_restrict_self, descriptor, 0) != 0) fail("cannot apply the Landlock ruleset");
}
