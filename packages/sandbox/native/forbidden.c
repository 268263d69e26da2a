// Paths that must not come into being while the command runs, because git and its like outside would obey them immediately. No mount can
// protect what is missing, so the first process watches their folders, ends the command that makes one, and removes it.
// And paths that a mount guards: when a program outside puts a new file in their place, the kernel takes the mount away, in
// all namespaces. The first process then makes it again, and says so.
#define _GNU_SOURCE
#include "sandbox.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_PATHS 1024
static struct {
  const char *path;
  int folder; // the watch of its folder
  bool guarded; // it is there, behind a mount
  dev_t scratch; // of a folder in memory: its file system; 0 where the mount is a read-only one
} forbidden[MAX_PATHS];
static int forbidden_count;
static int watch = -1;

// Those in whose place there is a link to a copy.
static struct replaceable replaceables[MAX_PATHS];
static int replaceable_count;

// -1 where nothing is watched, or where the user has no watches left: then made_forbidden has to be asked now and then.
int forbidden_watch(void) { return watch; }
bool must_ask_for_forbidden(void) { return watch < 0 && forbidden_count > 0; }

static int watch_folder_of(const char *path) {
  char folder[PATH_MAX];
  int length = (int)(strrchr(path, '/') - path);
  if (snprintf(folder, sizeof folder, "%.*s", length, path) >= (int)sizeof folder) fail("path too long");
  // The folder is a mount point now: it can neither be renamed nor replaced.
  int descriptor = inotify_add_watch(watch, folder, IN_CREATE | IN_MOVED_TO | IN_ONLYDIR);
  if (descriptor < 0) {
    close(watch);
    watch = -1;
  }
  return descriptor;
}

static dev_t device_of(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 ? status.st_dev : 0;
}

static bool is_guarded(const char *path) {
  int place = open_entry(path);
  bool guarded = place >= 0 && is_read_only(place);
  if (place >= 0) close(place);
  return guarded;
}

static void add_replaceables(const struct plan *plan) {
  for (int i = 0; i < plan->link_count && i < MAX_PATHS; i++) {
    struct replaceable file = {.path = plan->links[i].path, .original = plan->links[i].original, .changes = -1};
    if (lstat(file.path, &file.known) == 0) replaceables[replaceable_count++] = file;
  }
}

void watch_forbidden(const struct plan *plan) {
  add_replaceables(plan);
  for (int i = 0; i < plan->rule_count; i++) {
    const struct rule *rule = &plan->rules[i];
    bool guarded = rule->guard != NO_GUARD && rule->guard != GUARD_ABSENT && rule->settled;
    if (!guarded && (rule->guard != GUARD_ABSENT || rule->settled)) continue;
    if (forbidden_count == MAX_PATHS) fail("too much to watch");
    if (forbidden_count == 0) watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    forbidden[forbidden_count].folder = watch < 0 ? -1 : watch_folder_of(rule->path);
    forbidden[forbidden_count].guarded = guarded;
    forbidden[forbidden_count].scratch = rule->guard == GUARD_SCRATCH ? device_of(rule->path) : 0;
    forbidden[forbidden_count++].path = rule->path;
  }
  for (int i = 0; i < replaceable_count; i++) watch_original(&replaceables[i], watch);
}

static int entry_at(int folder, const char *name) {
  for (int i = 0; i < forbidden_count; i++)
    if (forbidden[i].folder == folder && strcmp(strrchr(forbidden[i].path, '/') + 1, name) == 0) return i;
  return -1;
}

static bool is_replaceable(const char *path) {
  for (int i = 0; i < replaceable_count; i++)
    if (strcmp(replaceables[i].path, path) == 0) return true;
  return false;
}

// Something else is there now. No command inside can do that to a mount point: someone outside did.
static bool has_lost_guard(int entry) {
  const char *path = forbidden[entry].path;
  dev_t scratch = forbidden[entry].scratch;
  struct stat status;
  if (!forbidden[entry].guarded || is_replaceable(path) || lstat(path, &status) != 0) return false;
  return !is_guarded(path) && (scratch == 0 || device_of(path) != scratch);
}

// What the command wrote in the moment before looks like the work of the program outside, so it is reported. To stop the command meanwhile gained
// nothing that could be measured: what counts is how soon this process runs.
static void guard_again(int entry) {
  const char *path = forbidden[entry].path;
  if (!has_lost_guard(entry)) return;
  if (!lock_again(path)) fail("cannot guard %s again", path);
  report("doubtful %s", path);
}

// Git's lock, the file itself, or a change of a file that took its place.
static bool concerns(const struct inotify_event *event, const struct replaceable *file) {
  if (event->len == 0) return false;
  int folder = -2;
  for (int i = 0; i < forbidden_count; i++)
    if (strcmp(forbidden[i].path, file->path) == 0) folder = forbidden[i].folder;
  return event->wd == folder &&
         (is_lock_of(event->name, file->path) || strcmp(strrchr(file->path, '/') + 1, event->name) == 0);
}

static void look_at_replaceables(const struct inotify_event *event) {
  for (int i = 0; i < replaceable_count; i++) {
    struct replaceable *file = &replaceables[i];
    if (file->changes >= 0 && event->wd == file->changes && (event->mask & IN_MODIFY)) doubt_change(file);
    if (file->original_changes >= 0 && event->wd == file->original_changes && (event->mask & IN_MODIFY)) follow_original(file);
    if (concerns(event, file) || (event->mask & IN_Q_OVERFLOW)) follow_replacement(file, watch);
  }
}

// One of them that was made since the last look, also if it is gone again, or that is there now; or NULL.
const char *made_forbidden(void) {
  _Alignas(struct inotify_event) char events[16384];
  const char *made = NULL;
  bool lost = watch < 0;
  for (ssize_t got; watch >= 0 && (got = read(watch, events, sizeof events)) > 0;)
    for (char *at = events; at < events + got && made == NULL;) {
      const struct inotify_event *event = (const struct inotify_event *)at;
      look_at_replaceables(event);
      int entry = event->len > 0 ? entry_at(event->wd, event->name) : -1;
      if (entry >= 0 && !forbidden[entry].guarded) made = forbidden[entry].path;
      if (entry >= 0) guard_again(entry);
      if (event->mask & IN_Q_OVERFLOW) lost = true;
      at += sizeof *event + event->len;
    }
  for (int i = 0; i < forbidden_count && lost && made == NULL; i++) guard_again(i);
  for (int i = 0; i < replaceable_count && watch < 0; i++) follow_replacement(&replaceables[i], watch);
  for (int i = 0; i < forbidden_count && made == NULL; i++)
    if (!forbidden[i].guarded && faccessat(AT_FDCWD, forbidden[i].path, F_OK, AT_SYMLINK_NOFOLLOW) == 0) made = forbidden[i].path;
  return made;
}

// A folder that is not empty gets a name that no program obeys.
static void put_aside(const char *path) {
  char aside[PATH_MAX];
  for (int i = 1; i < 1000; i++) {
    if (snprintf(aside, sizeof aside, "%s.refused-%d", path, i) >= (int)sizeof aside) return;
    if (renameat2(AT_FDCWD, path, AT_FDCWD, aside, RENAME_NOREPLACE) == 0 || errno != EEXIST) return;
  }
}

void remove_forbidden(void) {
  for (int i = 0; i < forbidden_count; i++)
    if (!forbidden[i].guarded && unlink(forbidden[i].path) != 0 && rmdir(forbidden[i].path) != 0) put_aside(forbidden[i].path);
}
