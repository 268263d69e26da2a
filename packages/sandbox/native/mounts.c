// The command's own view of the file tree: everything read-only, the writable folders writable, secrets covered up.
// This is what Landlock cannot do: it also stops chmod and utime, and protects a path inside a writable folder.
#define _GNU_SOURCE
#include "sandbox.h"
#include "kernel.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

static void write_file(const char *path, const char *text) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0 || write(file, text, strlen(text)) < 0) fail("cannot write %s", path);
  close(file);
}

// The user keeps the same number inside: files look as they do outside, and nothing is gained.
void enter_user_namespace(uid_t uid, gid_t gid) {
  char map[64];
  write_file("/proc/self/setgroups", "deny");
  snprintf(map, sizeof map, "%u %u 1", uid, uid);
  write_file("/proc/self/uid_map", map);
  snprintf(map, sizeof map, "%u %u 1", gid, gid);
  write_file("/proc/self/gid_map", map);
}

// A path as it is now, never through a symbolic link: an earlier command may have put one in the way.
int open_beneath_links(const char *path, int flags) {
  struct kernel_open_how how = {.flags = (uint64_t)(flags | O_CLOEXEC), .resolve = K_RESOLVE_NO_SYMLINKS};
  return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
}

// An entry of a folder as it is now: of a link, the link itself.
int open_entry(const char *path) { return open_beneath_links(path, O_PATH | O_NOFOLLOW); }

// What is not there, or not reachable, cannot be mounted upon. Everything else that fails is an error.
static bool means_absent(int error) {
  return error == ENOENT || error == ENOTDIR || error == ELOOP || error == EACCES;
}

bool is_absent(const char *path) {
  int place = open_beneath_links(path, O_PATH);
  if (place < 0) return means_absent(errno);
  close(place);
  return false;
}

// A copy of what is mounted at a place, which is closed, not yet visible anywhere.
static int copy_mount(int place, const char *path) {
  if (place < 0) return -1;
  int tree = (int)syscall(SYS_open_tree, place, "",
                          K_OPEN_TREE_CLONE | K_OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE);
  if (tree < 0) fail("cannot copy the mount at %s", path);
  close(place);
  return tree;
}

static int copy_tree(const char *path) { return copy_mount(open_beneath_links(path, O_PATH), path); }

static int make_tree(const struct rule *rule) {
  if (rule->stand_in == STAND_IN_OVERLAY) return make_overlay(rule);
  return copy_tree(rule->stand_in == STAND_IN_FOLDER ? rule->source : rule->path);
}

static void set_attributes(int tree, const char *path, unsigned flags, uint64_t set) {
  struct kernel_mount_attr attributes = {.attr_set = set};
  if (syscall(SYS_mount_setattr, tree, path, flags, &attributes, sizeof attributes) != 0)
    fail("cannot restrict %s", *path ? path : "a mount");
}

static void make_read_only(int tree, const char *path, unsigned flags) {
  set_attributes(tree, path, flags, K_MOUNT_ATTR_RDONLY);
}

void attach(int tree, const char *path) {
  int place = open_entry(path);
  if (place < 0) fail("cannot open %s", path);
  if (syscall(SYS_move_mount, tree, "", place, "", K_MOVE_MOUNT_F_EMPTY_PATH | K_MOVE_MOUNT_T_EMPTY_PATH) != 0)
    fail("cannot mount %s", path);
  close(place);
  close(tree);
}

// A mount point cannot be renamed or removed. So each folder between the writable folder and what is protected in it
// becomes one; otherwise `mv .git x; mkdir .git` would get around the protection of .git/hooks.
static void pin_folders_above(const struct rule *rule) {
  static struct {
    const char *path;
    size_t length;
  } pinned[1024];
  static int pinned_count;
  const char *writable = rule->parent->path;
  size_t start = writable[1] == '\0' ? 1 : strlen(writable) + 1;
  for (size_t length = start; rule->path[length] != '\0'; length++) {
    if (rule->path[length] != '/') continue;
    bool done = false;
    for (int i = 0; i < pinned_count && !done; i++)
      done = pinned[i].length == length && memcmp(pinned[i].path, rule->path, length) == 0;
    if (done) continue;
    char path[PATH_MAX];
    if (length >= sizeof path || pinned_count == 1024) fail("too much to protect below %s", writable);
    memcpy(path, rule->path, length);
    path[length] = '\0';
    int tree = copy_tree(path);
    if (tree < 0) return; // absent, and with it all that is below
    attach(tree, path);
    pinned[pinned_count].path = rule->path;
    pinned[pinned_count++].length = length;
  }
}

// An empty folder and an empty file, without any permissions.
#define COVER_FOLDER COVERS "/folder"
#define COVER_FILE COVERS "/file"

static void prepare_covers(void) {
  static bool prepared;
  if (prepared) return;
  prepared = true;
  if (mount("cover", COVERS, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=0700,size=4k") != 0)
    fail("cannot mount a cover");
  int file = open(COVER_FILE, O_CREAT | O_WRONLY | O_CLOEXEC, 0);
  if (file < 0 || mkdir(COVER_FOLDER, 0) != 0) fail("cannot create a cover");
  close(file);
  make_read_only(AT_FDCWD, COVERS, 0);
}

static bool has_rules_below(const struct plan *plan, const struct rule *rule) {
  for (int i = 0; i < plan->rule_count; i++)
    if (is_rule_below(&plan->rules[i], rule)) return true;
  return false;
}

// True where it gets a folder of its own, in which what more specific rules show is mounted.
static bool is_covered_around(const struct plan *plan, const struct rule *rule) {
  return rule->access == ACCESS_HIDE && (rule->stand_in == STAND_IN_EMPTY || has_rules_below(plan, rule));
}

static bool cover(const struct plan *plan, const struct rule *rule) {
  int place = open_beneath_links(rule->path, O_PATH);
  if (place < 0) {
    if (means_absent(errno)) return false;
    fail("cannot open %s", rule->path);
  }
  struct stat status;
  if (fstat(place, &status) != 0) fail("cannot look at %s", rule->path);
  close(place);
  bool folder = S_ISDIR(status.st_mode);
  if (folder && is_covered_around(plan, rule)) {
    if (mount("cover", rule->path, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=64k") != 0) fail("cannot cover %s", rule->path);
  } else {
    prepare_covers();
    int tree = (int)syscall(SYS_open_tree, AT_FDCWD, folder ? COVER_FOLDER : COVER_FILE,
                            K_OPEN_TREE_CLONE | K_OPEN_TREE_CLOEXEC);
    if (tree < 0) fail("cannot copy a cover");
    attach(tree, rule->path);
  }
  return true;
}

// Read-only inside a writable folder: a link cannot be replaced then. False where there is nothing to make so.
static bool lock(const char *path) {
  int tree = copy_mount(open_entry(path), path);
  if (tree < 0 && !means_absent(errno)) fail("cannot open %s", path);
  if (tree < 0) return false;
  make_read_only(tree, "", AT_EMPTY_PATH | AT_RECURSIVE);
  attach(tree, path);
  return true;
}

bool is_read_only(int place) {
  struct statvfs status;
  return fstatvfs(place, &status) == 0 && (status.f_flag & ST_RDONLY) != 0;
}

static void attach_device(int tree, const char *path) { // a link in /dev is the system's own and may be followed
  if (syscall(SYS_move_mount, tree, "", AT_FDCWD, path, K_MOVE_MOUNT_F_EMPTY_PATH) != 0) fail("cannot mount %s", path);
  close(tree);
}

// Terminals of its own, and the node that makes them.
static void mount_terminals(void) {
  const char *options = "newinstance,ptmxmode=0666,mode=0620";
  if (mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, options) != 0) {
    if (errno != ENOENT) fail("cannot mount /dev/pts");
    return;
  }
  int maker = (int)syscall(SYS_open_tree, AT_FDCWD, "/dev/pts/ptmx", K_OPEN_TREE_CLONE | K_OPEN_TREE_CLOEXEC);
  if (maker < 0) fail("cannot copy /dev/pts/ptmx");
  attach_device(maker, "/dev/ptmx");
}

// No device node opens anywhere, except the few, each of which becomes a mount that was copied before.
static void close_devices(void) {
  int trees[DEVICE_COUNT];
  for (int i = 0; i < DEVICE_COUNT; i++) {
    trees[i] = (int)syscall(SYS_open_tree, AT_FDCWD, DEVICES[i], K_OPEN_TREE_CLONE | K_OPEN_TREE_CLOEXEC);
    if (trees[i] < 0 && errno != ENOENT) fail("cannot copy %s", DEVICES[i]);
  }
  set_attributes(AT_FDCWD, "/", AT_RECURSIVE, K_MOUNT_ATTR_NODEV);
  for (int i = 0; i < DEVICE_COUNT; i++)
    if (trees[i] >= 0) attach_device(trees[i], DEVICES[i]);
}

// Since Linux 6.14 each process namespace has a bound of its own. Before, this would be the whole machine's.
static bool has_own_process_bound(void) {
  struct utsname kernel;
  int major = 0, minor = 0;
  if (uname(&kernel) != 0 || sscanf(kernel.release, "%d.%d", &major, &minor) != 2) return false;
  return major > 6 || (major == 6 && minor >= 14);
}

// Root's processes are not counted by any limit of the kernel, so the numbers for them have to end. At twice the limit,
// above which the first process ends the command, so that numbers are not used again too soon.
static void bound_process_numbers(const struct plan *plan) {
  if (plan->processes == 0 || geteuid() != 0 || !has_own_process_bound()) return;
  char bound[32];
  int file = open("/proc/sys/kernel/pid_max", O_WRONLY | O_CLOEXEC);
  int length = snprintf(bound, sizeof bound, "%llu", 2 * (unsigned long long)plan->processes);
  // Less than the kernel's own lower bound, which grows with the number of processors, is refused: then only we count.
  if (file < 0 || (write(file, bound, (size_t)length) < 0 && errno != EINVAL)) fail("cannot bound the processes");
  close(file);
}

// Every process namespace begins at 1, and agents name sockets and locks in shared folders by process number. So each
// begins somewhere else. Where that is refused, numbers repeat, which is all.
static void scatter_process_numbers(void) {
  uint16_t number = 0;
  char text[16];
  if (getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number) return;
  int file = open("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  int length = snprintf(text, sizeof text, "%u", 300u + number % 32000u);
  if (write(file, text, (size_t)length) < 0) errno = 0;
  close(file);
}

// What the command sees of the system itself: its own processes, its own shared memory, its own terminals.
static void mount_system_folders(const struct plan *plan) {
  char size[64];
  if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0) fail("cannot mount /proc");
  bound_process_numbers(plan);
  if (plan->processes == 0) scatter_process_numbers(); // else they are bound
  make_read_only(AT_FDCWD, "/proc", 0);
  if (plan->memory == 0)
    strcpy(size, "mode=1777");
  else
    snprintf(size, sizeof size, "mode=1777,size=%llu", (unsigned long long)plan->memory / 2);
  if (mount("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, size) != 0 && errno != ENOENT)
    fail("cannot mount /dev/shm");
  mount_terminals();
}

// Names that lead to the proxy, for programs that know no proxy. The file lies where the covers do, until the new /proc hides them.
static void cover_hosts(const char *text) {
  const char *path = "/etc/hosts", *ours = COVERS "/hosts";
  if (is_absent(path)) return; // or a link: then such programs find no name
  if (mount("hosts", COVERS, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=0755,size=1m") != 0)
    fail("cannot mount a cover");
  int file = open(ours, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
  if (file < 0 || write(file, text, strlen(text)) != (ssize_t)strlen(text)) fail("cannot write %s", ours);
  fchmod(file, 0644); // whatever our mask is
  close(file);
  int tree = (int)syscall(SYS_open_tree, AT_FDCWD, ours, K_OPEN_TREE_CLONE | K_OPEN_TREE_CLOEXEC);
  if (tree < 0) fail("cannot copy a cover");
  make_read_only(tree, "", AT_EMPTY_PATH);
  attach(tree, path);
}

// Symbolic links that stand in the place of files. The first process keeps the folder open in which they are, after the new /proc has hidden it.
static int links = -1;

static void make_links(const struct plan *plan) {
  if (mount("links", COVERS, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=0755,size=64k") != 0)
    fail("cannot mount a cover");
  links = open(COVERS, O_PATH | O_DIRECTORY | O_CLOEXEC);
  for (int i = 0; i < plan->link_count; i++) {
    struct link_place *place = &plan->links[i];
    snprintf(place->name, sizeof place->name, "%d", i);
    if (symlinkat(place->target, links, place->name) != 0) fail("cannot make a link to %s", place->target);
    if (!put_link(place)) fail("cannot put a link at %s", place->path);
  }
}

// Whoever writes the file, by its name or by renaming a new one over it, then writes the target, and the file itself stays as it is. The link is a
// mount, so that it can be neither removed nor replaced from inside. False where that fails. A program outside may replace the file at the same time.
bool put_link(const struct link_place *place) {
  const unsigned flags = K_MOVE_MOUNT_F_EMPTY_PATH | K_MOVE_MOUNT_T_EMPTY_PATH;
  bool done = false;
  for (int tries = 0; !done && tries < 1000; tries++) {
    int entry = open_entry(place->path);
    if (entry < 0) return means_absent(errno); // when it is there again, that is an event
    int tree = (int)syscall(SYS_open_tree, links, place->name, K_OPEN_TREE_CLONE | K_OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW);
    if (tree < 0) fail("cannot copy a link");
    make_read_only(tree, "", AT_EMPTY_PATH);
    done = syscall(SYS_move_mount, tree, "", entry, "", flags) == 0;
    bool replaced = !done && errno == ENOENT;
    close(tree);
    close(entry);
    if (!done && !replaced) return false;
  }
  return done;
}

void build_view(struct plan *plan) {
  int *trees = calloc((size_t)plan->rule_count, sizeof *trees);
  bool *covered = calloc((size_t)plan->rule_count, sizeof *covered);
  if (trees == NULL || covered == NULL) fail("out of memory");
  // Private first: a mount made here must never appear outside.
  if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) fail("cannot separate the mounts");
  // What shows more than the folders around it is copied before those change.
  for (int i = 0; i < plan->rule_count; i++) {
    const struct rule *rule = &plan->rules[i];
    bool shows = rule->access > access_above(rule) || (rule->access != ACCESS_HIDE && is_in_stand_in(rule));
    bool shows_more = rule->path[1] != '\0' && (shows || rule->stand_in > STAND_IN_EMPTY);
    trees[i] = shows_more ? make_tree(rule) : -1;
    if (shows_more && trees[i] < 0 && !means_absent(errno)) fail("cannot open %s", rule->path);
  }
  const struct rule *root = rule_at(plan, "/");
  if (root == NULL || root->access != ACCESS_WRITE) make_read_only(AT_FDCWD, "/", AT_RECURSIVE);
  for (int i = 0; i < plan->rule_count; i++) {
    struct rule *rule = &plan->rules[i];
    enum access above = access_above(rule);
    if (trees[i] >= 0) {
      if (rule->access == ACCESS_READ) make_read_only(trees[i], "", AT_EMPTY_PATH | AT_RECURSIVE);
      if (above == ACCESS_HIDE || is_in_stand_in(rule)) make_place(rule, trees[i]);
      attach(trees[i], rule->path);
    }
    // In a folder of ours there is nothing to take away.
    if (rule->access >= above || is_in_stand_in(rule)) {
      rule->settled = true;
      continue;
    }
    if (above == ACCESS_WRITE) pin_folders_above(rule);
    if (rule->guard == GUARD_FOLDER) make_missing_folder(rule->path);
    covered[i] = rule->access == ACCESS_HIDE ? cover(plan, rule) : lock(rule->path);
    rule->settled = covered[i] || above == ACCESS_READ; // no command can make it where it is missing
  }
  for (int i = 0; i < plan->rule_count; i++)
    if (covered[i] && is_covered_around(plan, &plan->rules[i]))
      make_read_only(AT_FDCWD, plan->rules[i].path, 0);
  for (int i = 0; i < plan->rule_count; i++)
    if (plan->rules[i].guard == GUARD_SCRATCH) put_scratch(plan->rules[i].path);
  if (plan->hosts != NULL) cover_hosts(plan->hosts);
  if (plan->link_count > 0) make_links(plan);
  close_devices();
  mount_system_folders(plan);
  free(trees);
  free(covered);
}
