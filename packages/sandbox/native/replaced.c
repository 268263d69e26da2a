// Settings of a repository that a program outside replaces while the command runs. The kernel then takes away what is mounted there, and a
// command that only waits for that moment could write them, or hold the new file open since it was a lock file. So the whole command stands still
// while git outside has the lock, and what was not certainly written outside is reported as doubtful: the host then compares it key by key.
#define _GNU_SOURCE
#include "sandbox.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOCK ".lock"        // what git's name for the new file ends with, until it is renamed
#define LONGEST_STAND 300   // milliseconds; a lock that is older was left behind
#define LONGEST_STOP 50     // milliseconds until every process stands still
#define MOST_BYTES (256 * 1024)

static void pause_for(long microseconds) {
  struct timespec time = {.tv_nsec = microseconds * 1000};
  nanosleep(&time, NULL);
}

static bool stands_still(const char *process) {
  char path[PATH_MAX], stat[512];
  snprintf(path, sizeof path, "/proc/%s/task", process);
  DIR *threads = opendir(path);
  if (threads == NULL) return true; // gone
  bool still = true;
  for (struct dirent *thread; still && (thread = readdir(threads)) != NULL;) {
    if (thread->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "/proc/%s/task/%s/stat", process, thread->d_name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? 0 : read(file, stat, sizeof stat - 1);
    if (file >= 0) close(file);
    stat[length > 0 ? length : 0] = '\0';
    const char *after_name = strrchr(stat, ')');
    still = after_name == NULL || strchr("TtZX", after_name[2]) != NULL;
  }
  closedir(threads);
  return still;
}

static bool all_stand_still(void) {
  DIR *processes = opendir("/proc");
  if (processes == NULL) return false;
  bool still = true;
  for (struct dirent *process; still && (process = readdir(processes)) != NULL;)
    still = atoi(process->d_name) <= 1 || stands_still(process->d_name);
  closedir(processes);
  return still;
}

// False where one of them did not stop in time.
static bool stop_command(void) {
  for (int tries = 0; tries < LONGEST_STOP * 5; tries++) {
    kill(-1, SIGSTOP); // again: one may have been started meanwhile
    if (all_stand_still()) return true;
    pause_for(200);
  }
  return false;
}

// A new file, of one name, that is still empty.
static bool is_new(const char *lock) {
  struct stat status;
  return lstat(lock, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0 && status.st_nlink == 1;
}

// Git writes settings several times in a row, so a lock that is gone has to be gone for a moment.
static bool wait_for_unlock(const char *lock) {
  int absent = 0;
  for (int tries = 0; tries < LONGEST_STAND * 5 && absent < 3; tries++) {
    struct stat status;
    absent = lstat(lock, &status) != 0 && errno == ENOENT ? absent + 1 : 0;
    pause_for(200);
  }
  return absent >= 3;
}

bool is_lock_of(const char *name, const char *path) {
  const char *own = strrchr(path, '/') + 1;
  size_t length = strlen(own);
  return strncmp(name, own, length) == 0 && strcmp(name + length, LOCK) == 0;
}

// Numbers of files are used again; the time of the last change, renaming included, is not.
static bool is_same(const struct stat *one, const struct stat *other) {
  return one->st_ino == other->st_ino && one->st_dev == other->st_dev &&
         one->st_ctim.tv_sec == other->st_ctim.tv_sec && one->st_ctim.tv_nsec == other->st_ctim.tv_nsec;
}

static bool is_known(const struct replaceable *file) {
  struct stat now;
  return lstat(file->path, &now) == 0 && is_same(&now, &file->known);
}

static bool is_there(const char *path) {
  struct stat status;
  return lstat(path, &status) == 0;
}

static char text[MOST_BYTES + 1];

static ssize_t read_text(int file) {
  struct stat status;
  bool plain = file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink <= 1;
  ssize_t length = plain ? pread(file, text, sizeof text, 0) : -1;
  return length > MOST_BYTES ? -1 : length;
}

// A text that is certain goes with the line, because the command could change it before the host reads it.
static void report_text(const char *path, ssize_t length) {
  report("replaced %zd %s", length, path);
  report_bytes(text, (size_t)length);
}

void watch_original(struct replaceable *file, int watch) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file->original);
  file->original_changes = watch < 0 || file->original < 0 ? -1 : inotify_add_watch(watch, path, IN_MODIFY);
}

// The file that was there first was written in its place, as an editor does. That is certain as long as it is guarded: while it is being
// replaced, a command can get hold of it for an instant. An editor first makes it empty.
void follow_original(const struct replaceable *file) {
  ssize_t length = read_text(file->original);
  if (length > 0 && is_known(file)) report_text(file->path, length);
}

// Stands the command still while git outside has the lock, and guards what is there then. Reports another file than before: as replaced where
// only programs outside can have written it, as doubtful otherwise.
void follow_replacement(struct replaceable *file, int watch) {
  char lock[PATH_MAX];
  struct stat now = {0};
  if (snprintf(lock, sizeof lock, "%s" LOCK, file->path) >= (int)sizeof lock) fail("path too long");
  if (is_known(file) && !is_there(lock)) return; // the last look has seen it
  // And stays so: a process that could write it does not move. Git reads the old file into the new one, so that must be as it was too.
  bool certain = stop_command() && is_new(lock) && is_known(file);
  certain = wait_for_unlock(lock) && certain;
  if (!lock_again(file->path)) fail("cannot guard %s again", file->path);
  now = (struct stat){0};
  bool found = lstat(file->path, &now) == 0;
  if (!is_same(&now, &file->known)) {
    file->known = now;
    file->original_changes = -1; // what is written there from now on is in no file
    // A command may have had hold of it while it was a lock file: from now on every change is looked at.
    file->changes = watch < 0 || !found ? -1 : inotify_add_watch(watch, file->path, IN_MODIFY | IN_DONT_FOLLOW);
    int new_file = certain ? open(file->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
    ssize_t length = read_text(new_file);
    if (new_file >= 0) close(new_file);
    if (length >= 0)
      report_text(file->path, length);
    else
      report("doubtful %s", file->path);
  }
  kill(-1, SIGCONT);
}

// It was written in its place, after it had been replaced.
void doubt_change(const struct replaceable *file) { report("doubtful %s", file->path); }
