// What stands at a path inside in the place of what is there outside: an overlay, and the empty places that things are mounted upon.
#define _GNU_SOURCE
#include "sandbox.h"
#include "kernel.h"
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void configure(int overlay, unsigned command, const char *key, const char *value) {
  if (syscall(SYS_fsconfig, overlay, command, key, value, 0) != 0)
    fail("cannot make an overlay%s%s", value == NULL ? "" : " with ", value == NULL ? "" : value);
}

// Not yet visible anywhere. What is written goes to the upper folder, and the lower one stays as it is.
int make_overlay(const struct rule *rule) {
  int overlay = (int)syscall(SYS_fsopen, "overlay", K_FSOPEN_CLOEXEC);
  if (overlay < 0) fail("this kernel has no overlays");
  configure(overlay, K_FSCONFIG_SET_STRING, "lowerdir", rule->source);
  configure(overlay, K_FSCONFIG_SET_STRING, "upperdir", rule->upper);
  configure(overlay, K_FSCONFIG_SET_STRING, "workdir", rule->work);
  if (geteuid() != 0) configure(overlay, K_FSCONFIG_SET_FLAG, "userxattr", NULL);
  configure(overlay, K_FSCONFIG_CMD_CREATE, NULL, NULL);
  int tree = (int)syscall(SYS_fsmount, overlay, K_FSMOUNT_CLOEXEC, K_MOUNT_ATTR_NOSUID | K_MOUNT_ATTR_NODEV);
  if (tree < 0) fail("cannot mount an overlay");
  close(overlay);
  return tree;
}

// Only what exists can be mounted upon. Its parent is opened without following links, and everything but the writable
// folders is read-only already, so this cannot make anything anywhere else.
void make_missing_folder(const char *path) {
  char parent[PATH_MAX];
  const char *name = strrchr(path, '/') + 1;
  if (snprintf(parent, sizeof parent, "%.*s", (int)(name - path), path) >= (int)sizeof parent) fail("path too long");
  int place = open_beneath_links(parent, O_PATH | O_DIRECTORY);
  if (place < 0) return;
  mkdirat(place, name, 0755);
  close(place);
}

// The highest folder of ours that the rule's path lies in.
static size_t length_above(const struct rule *rule) {
  const struct rule *above = rule->parent;
  while (above->parent != NULL && (above->parent->stand_in != STAND_IN_NONE || above->parent->access == ACCESS_HIDE)) above = above->parent;
  return above->length;
}

// In a folder of ours: an empty place to mount a tree upon, and the folders above it.
void make_place(const struct rule *rule, int tree) {
  char part[PATH_MAX];
  struct stat status;
  if (snprintf(part, sizeof part, "%s", rule->path) >= (int)sizeof part) fail("path too long");
  if (fstat(tree, &status) != 0) fail("cannot look at %s", rule->path);
  for (char *slash = part + length_above(rule) + 1; (slash = strchr(slash, '/')) != NULL; *slash++ = '/') {
    *slash = '\0';
    make_missing_folder(part);
  }
  if (S_ISDIR(status.st_mode)) return make_missing_folder(part);
  char *name = strrchr(part, '/');
  *name++ = '\0';
  int folder = open_beneath_links(part, O_PATH | O_DIRECTORY);
  int file = folder < 0 ? -1 : openat(folder, name, O_CREAT | O_NOFOLLOW | O_RDONLY | O_CLOEXEC, 0600);
  if (folder >= 0) close(folder);
  if (file >= 0) close(file);
}
