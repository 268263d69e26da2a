// Watches the paths that programs outside obey, while the command runs. No mount can protect a path that is missing: the command that makes one is
// ended, and the path removed. And when a program outside replaces a guarded file, the kernel takes the mount away, in every namespace: then the
// command is ended too. Only git's settings, which git replaces at every change, get their link again, and the host is told to compare them.
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
  int folder;                    // the watch of its folder
  bool guarded;                  // it is there, behind a mount
  dev_t scratch;                 // of a folder in memory: its file system; 0 where the mount is a read-only one
  const struct link_place *link; // that stands in its place, or NULL
  int changes;                   // the watch of the file that replaced it, or -1
} watched[MAX_PATHS];
static int watched_count;
static int watch = -1;

// -1 where nothing is watched, or where the user has no watches left: then find_breach has to be asked now and then.
int breach_watch(void) { return watch; }
bool must_ask_for_breach(void) { return watch < 0 && watched_count > 0; }

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

static const struct link_place *link_at(const struct plan *plan, const char *path) {
  for (int i = 0; i < plan->link_count; i++)
    if (strcmp(plan->links[i].path, path) == 0) return &plan->links[i];
  return NULL;
}

static bool is_missing(const char *path) { return faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) != 0; }

void watch_for_breaches(const struct plan *plan) {
  for (int i = 0; i < plan->rule_count; i++) {
    const struct rule *rule = &plan->rules[i];
    bool guarded = rule->guard != NO_GUARD && rule->settled && !is_missing(rule->path);
    if (!guarded && (rule->guard != GUARD_ABSENT || rule->settled)) continue;
    if (watched_count == MAX_PATHS) fail("too much to watch");
    if (watched_count == 0) watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    watched[watched_count].folder = watch < 0 ? -1 : watch_folder_of(rule->path);
    watched[watched_count].guarded = guarded;
    watched[watched_count].scratch = rule->guard == GUARD_SCRATCH ? device_of(rule->path) : 0;
    watched[watched_count].link = link_at(plan, rule->path);
    watched[watched_count].changes = -1;
    watched[watched_count++].path = rule->path;
  }
}

// Something else is there now. No command inside can do that to a mount point: someone outside did.
static bool has_lost_guard(int entry) {
  const char *path = watched[entry].path;
  dev_t scratch = watched[entry].scratch;
  int place = watched[entry].guarded ? open_entry(path) : -1;
  if (place < 0) return false;
  bool lost = !is_read_only(place) && (scratch == 0 || device_of(path) != scratch);
  close(place);
  return lost;
}

// A command may have got hold of the new file before its path was closed again, so every later write to it is noticed as well.
static void link_again(int entry) {
  char path[64];
  int place = open_entry(watched[entry].path);
  if (!put_link(watched[entry].link)) fail("cannot guard %s again", watched[entry].path);
  snprintf(path, sizeof path, "/proc/self/fd/%d", place);
  if (place >= 0 && watch >= 0) watched[entry].changes = inotify_add_watch(watch, path, IN_MODIFY);
  if (place >= 0) close(place);
  report("changed");
}

static enum breach check_guard(int entry) {
  if (!has_lost_guard(entry)) return NO_BREACH;
  if (watched[entry].link == NULL) return BREACH_REPLACED;
  link_again(entry);
  return NO_BREACH;
}

static enum breach check_event(const struct inotify_event *event, int entry) {
  if (event->len == 0) {
    if (watched[entry].changes >= 0 && event->wd == watched[entry].changes) report("changed");
    return NO_BREACH;
  }
  if (watched[entry].folder != event->wd || strcmp(strrchr(watched[entry].path, '/') + 1, event->name) != 0) return NO_BREACH;
  return watched[entry].guarded ? check_guard(entry) : BREACH_MADE;
}

static enum breach check_now(int entry, bool lost_events) {
  if (watched[entry].guarded) return lost_events ? check_guard(entry) : NO_BREACH;
  return is_missing(watched[entry].path) ? NO_BREACH : BREACH_MADE;
}

// The first since the last call, with its path. A path that was made counts also if it is gone again.
enum breach find_breach(const char **path) {
  _Alignas(struct inotify_event) char events[16384];
  enum breach found = NO_BREACH;
  bool lost_events = watch < 0;
  for (ssize_t got; watch >= 0 && (got = read(watch, events, sizeof events)) > 0;)
    for (char *at = events; at < events + got;) {
      const struct inotify_event *event = (const struct inotify_event *)at;
      if (event->mask & IN_Q_OVERFLOW) lost_events = true;
      for (int i = 0; i < watched_count && found == NO_BREACH; i++)
        if ((found = check_event(event, i)) != NO_BREACH) *path = watched[i].path;
      at += sizeof *event + event->len;
    }
  for (int i = 0; i < watched_count && found == NO_BREACH; i++)
    if ((found = check_now(i, lost_events)) != NO_BREACH) *path = watched[i].path;
  return found;
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
  for (int i = 0; i < watched_count; i++)
    if (!watched[i].guarded && unlink(watched[i].path) != 0 && rmdir(watched[i].path) != 0) put_aside(watched[i].path);
}
