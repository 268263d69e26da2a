// Every descendant of this process, found in one pass over /proc: to count them, and to end them all.
// A subreaper keeps its descendants however they fork, so daemons cannot leave the tree.
#define _GNU_SOURCE
#include "sandbox.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_PROCESSES 65536

static struct process {
  pid_t pid, parent;
  bool inside;
} table[MAX_PROCESSES]; // ascending by pid, as /proc lists them
static int table_size;

static bool read_file(pid_t pid, const char *name, char *buffer, size_t size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  ssize_t length = read(file, buffer, size - 1);
  close(file);
  if (length <= 0) return false;
  buffer[length] = '\0';
  return true;
}

static void read_table(void) {
  table_size = 0;
  DIR *folder = opendir("/proc");
  if (folder == NULL) return;
  for (struct dirent *entry; table_size < MAX_PROCESSES && (entry = readdir(folder)) != NULL;) {
    pid_t pid = atoi(entry->d_name);
    char stat[512];
    if (pid <= 0 || !read_file(pid, "stat", stat, sizeof stat)) continue;
    char *after_name = strrchr(stat, ')'); // the name may hold anything, also parentheses
    int parent;
    if (after_name == NULL || sscanf(after_name + 1, " %*c %d", &parent) != 1) continue;
    table[table_size++] = (struct process){.pid = pid, .parent = parent};
  }
  closedir(folder);
}

static struct process *find(pid_t pid) {
  int low = 0, high = table_size - 1;
  while (low <= high) {
    int middle = (low + high) / 2;
    if (table[middle].pid == pid) return &table[middle];
    if (table[middle].pid < pid)
      low = middle + 1;
    else
      high = middle - 1;
  }
  return NULL;
}

// A child may have a lower number than its parent once numbers wrap, so passes repeat until nothing is added.
static void mark_descendants(void) {
  pid_t self = getpid();
  read_table();
  for (bool added = true; added;) {
    added = false;
    for (int i = 0; i < table_size; i++) {
      struct process *parent;
      if (table[i].inside) continue;
      if (table[i].parent == self || ((parent = find(table[i].parent)) != NULL && parent->inside))
        table[i].inside = added = true;
    }
  }
}

// Ends and reaps all descendants. Those that fork meanwhile are found in the next round.
void kill_descendants(void) {
  for (;;) {
    pid_t reaped;
    while ((reaped = waitpid(-1, NULL, WNOHANG)) > 0) continue;
    if (reaped < 0 && errno == ECHILD) return;
    mark_descendants();
    for (int i = 0; i < table_size; i++)
      if (table[i].inside) kill(table[i].pid, SIGKILL);
    poll(NULL, 0, 1);
  }
}

// Memory is what belongs to the processes alone: resident pages without those shared with files or others.
struct tree_size measure_descendants(void) {
  struct tree_size size = {0};
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  mark_descendants();
  for (int i = 0; i < table_size; i++) {
    char statm[128];
    unsigned long resident, shared;
    if (!table[i].inside) continue;
    size.processes++;
    if (read_file(table[i].pid, "statm", statm, sizeof statm) && sscanf(statm, "%*u %lu %lu", &resident, &shared) == 2)
      size.memory += (resident - shared) * page;
  }
  return size;
}
