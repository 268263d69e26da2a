// A folder that can be written inside, in memory: it begins with what the folder has, and nothing that is written to it stays. For a folder that
// a tool makes again whenever it starts, and that programs outside obey.
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "kernel.h"
#include "sandbox.h"

#define MAX_FILES 64
#define MAX_BYTES (64 * 1024)

static bool copy_file(int from, int to, const char *name) {
  static char bytes[MAX_BYTES];
  int source = openat(from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat status;
  bool fits = source >= 0 && fstat(source, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= MAX_BYTES;
  ssize_t length = fits ? read(source, bytes, sizeof bytes) : -1;
  int target = length >= 0 ? openat(to, name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600) : -1;
  bool copied = target >= 0 && write(target, bytes, (size_t)length) == length && fchmod(target, status.st_mode & 0777) == 0;
  if (source >= 0) close(source);
  if (target >= 0) close(target);
  return copied;
}

// False where the folder has more than a few small files.
static bool copy_files(int from, int to) {
  DIR *entries = fdopendir(from);
  if (entries == NULL) return false;
  bool copied = true;
  int count = 0;
  for (struct dirent *entry; copied && (entry = readdir(entries)) != NULL;)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
      copied = ++count <= MAX_FILES && copy_file(from, to, entry->d_name);
  closedir(entries);
  return copied;
}

// A folder that is missing, or has more than fits, stays as it is: read-only.
void put_scratch(const char *path) {
  int from = open_beneath_links(path, O_RDONLY | O_DIRECTORY);
  if (from < 0) return;
  // Hooks are run, so without MS_NOEXEC. The new /proc hides this place.
  if (mount("scratch", COVERS, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=8m,nr_inodes=256") != 0)
    fail("cannot mount a cover");
  int to = open(COVERS, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool copied = to >= 0 && copy_files(from, to); // which closes `from`
  if (to >= 0) close(to);
  if (!copied) return;
  int tree = (int)syscall(SYS_open_tree, AT_FDCWD, COVERS, K_OPEN_TREE_CLONE | K_OPEN_TREE_CLOEXEC);
  if (tree < 0) fail("cannot copy a cover");
  attach(tree, path);
}
