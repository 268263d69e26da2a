// `watch FOLDER`: says which entries below a folder changed. It collects their names, and gives them all when it is asked
// (`d`): the kernel queues an event within the call that causes it, so what happened before the question is in the answer.
// Requests on stdin and records on stdout are a letter, a path relative to the folder, and a zero byte.
#define _GNU_SOURCE
#include "sandbox.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#define EVENTS (IN_CREATE | IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE)
#define MAX_RECORDS 100000
#define MAX_FOLDERS 60000

// Letters of records: an entry changed, a folder is new (and not watched), a folder is gone, events were lost, no more can be watched.
enum { CHANGED = 'f', NEW_FOLDER = 'n', GONE = 'g', LOST = 'o', FULL = 'w', END = '.' };

// Texts by value, each once, in the order in which they came.
struct texts {
  char **all;
  size_t count, size;
  uint32_t *table; // index + 1; 0 is free
  size_t slots;    // a power of two
};

static struct texts records, excluded;
static char **folders; // by watch descriptor
static int folder_slots, folder_count;
static int notify = -1;
static bool is_lost, is_full;

static void out_of_memory(void) { _exit(125); }

static size_t slot_of(const struct texts *texts, const char *text) {
  uint64_t hash = 14695981039346656037u;
  for (const char *byte = text; *byte; byte++) hash = (hash ^ (unsigned char)*byte) * 1099511628211u;
  for (size_t slot = hash & (texts->slots - 1);; slot = (slot + 1) & (texts->slots - 1))
    if (texts->table[slot] == 0 || strcmp(texts->all[texts->table[slot] - 1], text) == 0) return slot;
}

static bool has_text(const struct texts *texts, const char *text) {
  return texts->slots > 0 && texts->table[slot_of(texts, text)] != 0;
}

static void grow(struct texts *texts) {
  free(texts->table);
  texts->slots = texts->slots == 0 ? 256 : texts->slots * 2;
  texts->table = calloc(texts->slots, sizeof *texts->table);
  if (texts->table == NULL) out_of_memory();
  for (size_t index = 0; index < texts->count; index++) texts->table[slot_of(texts, texts->all[index])] = index + 1;
}

static void add_text(struct texts *texts, const char *text) {
  if (2 * (texts->count + 1) > texts->slots) grow(texts);
  size_t slot = slot_of(texts, text);
  if (texts->table[slot] != 0) return;
  if (texts->count == texts->size) {
    texts->size = texts->size == 0 ? 256 : texts->size * 2;
    texts->all = realloc(texts->all, texts->size * sizeof *texts->all);
  }
  if (texts->all == NULL || (texts->all[texts->count] = strdup(text)) == NULL) out_of_memory();
  texts->table[slot] = ++texts->count;
}

static void clear(struct texts *texts) {
  for (size_t index = 0; index < texts->count; index++) free(texts->all[index]);
  texts->count = 0;
  if (texts->slots > 0) memset(texts->table, 0, texts->slots * sizeof *texts->table);
}

// The path of an entry, with a letter before it. Freed by the caller.
static char *record_of(char letter, const char *folder, const char *name) {
  char *text = NULL;
  if (asprintf(&text, "%c%s%s%s", letter, folder, *folder == '\0' ? "" : "/", name) < 0) out_of_memory();
  return text;
}

static void record(char letter, const char *folder, const char *name) {
  if (records.count >= MAX_RECORDS) {
    is_lost = true;
    return;
  }
  char *text = record_of(letter, folder, name);
  add_text(&records, text);
  free(text);
}

// Watches one folder. False when it is gone, is a link, or cannot be watched.
static bool watch_folder(const char *path) {
  if (folder_count >= MAX_FOLDERS) {
    is_full = true;
    return false;
  }
  int descriptor = inotify_add_watch(notify, *path == '\0' ? "." : path, EVENTS | IN_ONLYDIR | IN_DONT_FOLLOW);
  if (descriptor < 0) {
    if (errno == ENOSPC || errno == ENOMEM) is_full = true;
    return false;
  }
  if (descriptor >= folder_slots) {
    int slots = folder_slots == 0 ? 1024 : folder_slots * 2;
    while (slots <= descriptor) slots *= 2;
    folders = realloc(folders, (size_t)slots * sizeof *folders);
    if (folders == NULL) out_of_memory();
    memset(folders + folder_slots, 0, (size_t)(slots - folder_slots) * sizeof *folders);
    folder_slots = slots;
  }
  if (folders[descriptor] == NULL) folder_count++;
  free(folders[descriptor]);
  if ((folders[descriptor] = strdup(path)) == NULL) out_of_memory();
  return true;
}

static bool is_folder(const char *path, const struct dirent *entry) {
  if (entry->d_type != DT_UNKNOWN) return entry->d_type == DT_DIR;
  struct stat facts;
  return lstat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

// Calls back with each entry but `.git`.
static void each_entry(const char *folder, void (*visit)(const char *folder, const char *name, bool is_folder)) {
  int descriptor = open(*folder == '\0' ? "." : folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *entries = descriptor < 0 ? NULL : fdopendir(descriptor);
  if (entries == NULL) {
    if (descriptor >= 0) close(descriptor);
    return;
  }
  for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 || strcmp(entry->d_name, ".git") == 0) continue;
    char *path = record_of('.', folder, entry->d_name);
    visit(folder, entry->d_name, is_folder(path + 1, entry));
    free(path);
  }
  closedir(entries);
}

static void walk(const char *path);

static void walk_entry(const char *folder, const char *name, bool is_a_folder) {
  if (!is_a_folder || is_full) return;
  char *path = record_of('.', folder, name);
  walk(path + 1);
  free(path);
}

static void walk(const char *path) {
  if (!has_text(&excluded, path) && watch_folder(path)) each_entry(path, walk_entry);
}

static void list_entry(const char *folder, const char *name, bool is_a_folder) {
  record(is_a_folder ? NEW_FOLDER : CHANGED, folder, name);
}

// What lies below a folder that is gone, or has another name, is not watched under the old one.
static void forget(const char *path) {
  size_t length = strlen(path);
  for (int descriptor = 0; descriptor < folder_slots; descriptor++) {
    const char *known = folders[descriptor];
    if (known == NULL || strncmp(known, path, length) != 0 || (known[length] != '\0' && known[length] != '/')) continue;
    inotify_rm_watch(notify, descriptor);
    free(folders[descriptor]);
    folders[descriptor] = NULL;
    folder_count--;
  }
}

static void take_event(const struct inotify_event *event) {
  if (event->mask & IN_Q_OVERFLOW) is_lost = true;
  if (event->wd < 0 || event->wd >= folder_slots || folders[event->wd] == NULL) return;
  if (event->mask & IN_IGNORED) {
    free(folders[event->wd]);
    folders[event->wd] = NULL;
    folder_count--;
    return;
  }
  if (event->len == 0 || strcmp(event->name, ".git") == 0) return;
  const char *folder = folders[event->wd];
  if (!(event->mask & IN_ISDIR)) return record(CHANGED, folder, event->name);
  char *path = record_of('.', folder, event->name);
  if (event->mask & (IN_MOVED_FROM | IN_DELETE)) {
    record(GONE, folder, event->name);
    forget(path + 1);
  }
  if (event->mask & (IN_CREATE | IN_MOVED_TO)) record(NEW_FOLDER, folder, event->name);
  free(path);
}

static void take_events(void) {
  static char buffer[1 << 16] __attribute__((aligned(8)));
  for (ssize_t got; (got = read(notify, buffer, sizeof buffer)) > 0;)
    for (char *at = buffer; at < buffer + got;) {
      const struct inotify_event *event = (const struct inotify_event *)at;
      take_event(event);
      at += sizeof *event + event->len;
    }
}

static void answer(void) {
  take_events();
  for (size_t index = 0; index < records.count; index++) {
    fputs(records.all[index], stdout);
    putchar('\0');
  }
  if (is_lost) fwrite("o", 1, 2, stdout);
  if (is_full) fwrite("w", 1, 2, stdout);
  fwrite(".", 1, 2, stdout);
  fflush(stdout);
  clear(&records);
  is_lost = false;
}

static void obey(const char *request) {
  const char *path = request + 1;
  switch (*request) {
  case 'x': // never watch this folder
    return add_text(&excluded, path);
  case 'w': // watch all folders from here on
    return walk(path);
  case 'a': // watch this folder, and say what is in it
    if (watch_folder(path)) each_entry(path, list_entry);
    return;
  case 'd':
    return answer();
  }
}

int watch_changes(const char *folder) {
  notify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (notify < 0 || chdir(folder) != 0) return 125;
  static char requests[1 << 16];
  size_t have = 0;
  for (;;) {
    struct pollfd waiting[] = {{.fd = 0, .events = POLLIN}, {.fd = notify, .events = POLLIN}};
    if (poll(waiting, 2, -1) < 0 && errno != EINTR) return 125;
    if (waiting[1].revents & POLLIN) take_events();
    if (!(waiting[0].revents & (POLLIN | POLLHUP | POLLERR))) continue;
    ssize_t got = read(0, requests + have, sizeof requests - have);
    if (got == 0 || (got < 0 && errno != EINTR)) return 0;
    if (got < 0) continue;
    have += (size_t)got;
    char *start = requests;
    for (char *end; (end = memchr(start, '\0', have)) != NULL; start = end + 1) {
      have -= (size_t)(end + 1 - start);
      obey(start);
    }
    if (have == sizeof requests) return 64;
    memmove(requests, start, have);
  }
}
