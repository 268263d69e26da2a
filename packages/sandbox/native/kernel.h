// What the kernel offers and libc headers may lack: numbers and structures of Landlock, seccomp and the mount calls.
// Written out here so that the helper also compiles with musl, which ships no linux/ headers.
#pragma once
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

// System call numbers that are the same on every architecture (all calls from 424 on).
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_io_uring_setup
#define SYS_io_uring_setup 425
#define SYS_io_uring_enter 426
#define SYS_io_uring_register 427
#endif
#ifndef SYS_open_tree
#define SYS_open_tree 428
#define SYS_move_mount 429
#define SYS_fsopen 430
#define SYS_fsconfig 431
#define SYS_fsmount 432
#define SYS_fspick 433
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_clone3
#define SYS_clone3 435
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif
#ifndef SYS_quotactl_fd
#define SYS_quotactl_fd 443
#endif
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif
#ifndef SYS_open_tree_attr
#define SYS_open_tree_attr 467
#endif

// --- Landlock -------------------------------------------------------------------------------------------------------
struct kernel_landlock_ruleset_attr {
  uint64_t handled_access_fs;
  uint64_t handled_access_net; // since ABI 4
  uint64_t scoped;             // since ABI 6
};
struct kernel_landlock_path_beneath_attr {
  uint64_t allowed_access;
  int32_t parent_fd;
} __attribute__((packed));
#define LANDLOCK_CREATE_RULESET_VERSION 1u
#define LANDLOCK_RULE_PATH_BENEATH 1
#define FS_EXECUTE (1ull << 0)
#define FS_WRITE_FILE (1ull << 1)
#define FS_READ_FILE (1ull << 2)
#define FS_READ_DIR (1ull << 3)
#define FS_REMOVE_DIR (1ull << 4)
#define FS_REMOVE_FILE (1ull << 5)
#define FS_MAKE_CHAR (1ull << 6)
#define FS_MAKE_DIR (1ull << 7)
#define FS_MAKE_REG (1ull << 8)
#define FS_MAKE_SOCK (1ull << 9)
#define FS_MAKE_FIFO (1ull << 10)
#define FS_MAKE_BLOCK (1ull << 11)
#define FS_MAKE_SYM (1ull << 12)
#define FS_REFER (1ull << 13)     // ABI 2
#define FS_TRUNCATE (1ull << 14)  // ABI 3
#define FS_IOCTL_DEV (1ull << 15) // ABI 5
#define NET_BIND_TCP (1ull << 0)  // ABI 4
#define NET_CONNECT_TCP (1ull << 1)
#define SCOPE_ABSTRACT_UNIX_SOCKET (1ull << 0) // ABI 6
#define SCOPE_SIGNAL (1ull << 1)

// --- opening and mounting ---------------------------------------------------------------------------------------------
struct kernel_open_how {
  uint64_t flags, mode, resolve;
};
#define K_RESOLVE_NO_SYMLINKS 0x04
struct kernel_mount_attr {
  uint64_t attr_set, attr_clr, propagation, userns_fd;
};
#define K_MOUNT_ATTR_RDONLY 0x1
#define K_MOUNT_ATTR_NOSUID 0x2
#define K_MOUNT_ATTR_NODEV 0x4
#define K_FSOPEN_CLOEXEC 1
#define K_FSMOUNT_CLOEXEC 1
#define K_FSCONFIG_SET_FLAG 0
#define K_FSCONFIG_SET_STRING 1
#define K_FSCONFIG_CMD_CREATE 6
#define K_OPEN_TREE_CLONE 1
#define K_OPEN_TREE_CLOEXEC 02000000
#define K_MOVE_MOUNT_F_EMPTY_PATH 0x4
#define K_MOVE_MOUNT_T_EMPTY_PATH 0x40
#ifndef AT_RECURSIVE
#define AT_RECURSIVE 0x8000
#endif

#define K_CLOSE_RANGE_CLOEXEC 4

// --- seccomp and BPF --------------------------------------------------------------------------------------------------
struct kernel_seccomp_data {
  int nr;
  uint32_t arch;
  uint64_t instruction_pointer;
  uint64_t args[6];
};
struct bpf_instruction {
  uint16_t code;
  uint8_t jump_true, jump_false;
  uint32_t k;
};
struct bpf_program {
  unsigned short length;
  struct bpf_instruction *filter;
};
#define SECCOMP_SET_MODE_FILTER 1
#define SECCOMP_FILTER_FLAG_NEW_LISTENER (1u << 3)
#define SECCOMP_RET_KILL_PROCESS 0x80000000u
#define SECCOMP_RET_ERRNO 0x00050000u
#define SECCOMP_RET_USER_NOTIF 0x7fc00000u
#define SECCOMP_RET_ALLOW 0x7fff0000u
struct kernel_seccomp_notif {
  uint64_t id;
  uint32_t pid, flags;
  struct kernel_seccomp_data data;
};
struct kernel_seccomp_notif_resp {
  uint64_t id;
  int64_t val;
  int32_t error;
  uint32_t flags;
};
struct kernel_seccomp_notif_addfd {
  uint64_t id;
  uint32_t flags, srcfd, newfd, newfd_flags;
};
#define NOTIF_RECV _IOWR('!', 0, struct kernel_seccomp_notif)
#define NOTIF_SEND _IOWR('!', 1, struct kernel_seccomp_notif_resp)
#define NOTIF_ID_VALID _IOW('!', 2, uint64_t)
#define NOTIF_ADDFD _IOW('!', 3, struct kernel_seccomp_notif_addfd)
#define ADDFD_SETFD 1u // replace a descriptor of the caller
#define ADDFD_SEND 2u  // and answer the call with its number
#if defined(__x86_64__)
#define AUDIT_ARCH_NATIVE 0xc000003eu
#elif defined(__aarch64__)
#define AUDIT_ARCH_NATIVE 0xc00000b7u
#elif defined(__riscv) && __riscv_xlen == 64
#define AUDIT_ARCH_NATIVE 0xc00000f3u
#else
#error "the sandbox helper knows x86-64, arm64 and riscv64 only"
#endif
