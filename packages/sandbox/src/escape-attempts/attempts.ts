// Lists the escape attempts as data: a name, a shell line that tries, and what is known about it. The world checks afterwards whether the
// attempt changed or read anything.
import { dangerousSettings } from "./dangerous-settings.ts";

export interface Attempt {
  readonly name: string;
  /** Run by bash in the workspace. `$ATTEMPT` is the compiled test-data/attempt.c; see `try-attempts.ts` for the other names. */
  readonly script: string;
  /** Needs a mount to be stopped, so it succeeds where the machine gives no namespaces: the known gaps of docs/sandbox.md. */
  readonly onlyNamespacesStopIt?: true;
  /** Needs Landlock's ABI 6 (Linux 6.12) where there are no namespaces: another known gap. */
  readonly onlyScopesStopIt?: true;
  /** Would reach beyond the test's own world if nothing stopped it, so it is never run without the sandbox. */
  readonly dangerous?: true;
  /** Does not get through without the sandbox either (needs root, or what a kernel may lack): a second line of defence. */
  readonly mayFailAnyway?: true;
}

const writes: readonly Attempt[] = [
  { name: "redirect to a new file", script: "echo x > $OUT/new" },
  { name: "append to a file", script: "echo x >> $OUT/victim" },
  { name: "empty a file", script: ": > $OUT/victim" },
  { name: "relative path upwards", script: "echo x > ../outside/new" },
  { name: "new file beside the workspace", script: "echo x > ../stray" },
  { name: "symbolic link to a file", script: "ln -s $OUT/victim link; echo x > link" },
  { name: "symbolic link to a folder", script: "ln -s $OUT link; echo x > link/new" },
  { name: "dangling symbolic link", script: "ln -s $OUT/new link; echo x > link" },
  { name: "chain of symbolic links", script: "ln -s $OUT a; ln -s a b; ln -s b/folder c; echo x > c/deep" },
  { name: "hard link to a file outside", script: "ln $OUT/victim hard; echo x > hard" },
  { name: "rename out of the workspace", script: "mv file $OUT/file" },
  { name: "rename into the workspace", script: "mv $OUT/victim taken" },
  { name: "exchange with a file outside", script: "$ATTEMPT exchange file $OUT/victim" },
  { name: "copy a folder out", script: "cp -r sub $OUT/sub" },
  { name: "make a folder", script: "mkdir $OUT/made" },
  { name: "remove a file", script: "rm -f $OUT/victim" },
  { name: "remove a folder", script: "rm -rf $OUT/folder" },
  { name: "make a symbolic link outside", script: "ln -s x $OUT/link" },
  { name: "make a hard link outside", script: "ln file $OUT/hard" },
  { name: "make a named pipe outside", script: "mkfifo $OUT/pipe" },
  { name: "make a socket file outside", script: "$ATTEMPT bind-socket-file $OUT/socket" },
  { name: "truncate by path", script: "$ATTEMPT truncate $OUT/victim" },
  { name: "truncate by opening for reading", script: "$ATTEMPT truncate-by-reading $OUT/victim" },
  { name: "through /proc/self/root", script: "echo x > /proc/self/root$OUT/new" },
  { name: "through /proc/self/cwd", script: "echo x > /proc/self/cwd/../outside/new" },
  { name: "through /proc/1/root", script: "echo x > /proc/1/root$OUT/new", mayFailAnyway: true },
  { name: "through the bystander's root", script: "echo x > /proc/$BYSTANDER/root$OUT/new" },
  { name: "through an inherited descriptor", script: "$ATTEMPT use-inherited-descriptors", mayFailAnyway: true },
  { name: "sed in place", script: "sed -i s/as/was/ $OUT/victim" },
  {
    name: "tar with absolute names",
    script: "tar -cPf a.tar $OUT/victim; rm -f $OUT/victim; sed -i 's/as before/was before/' a.tar; tar -xPf a.tar",
  },
  { name: "dd into a file", script: "echo x | dd of=$OUT/victim conv=notrunc 2>&1" },
];

const metadata: readonly Attempt[] = [
  { name: "change a mode", script: "chmod 777 $OUT/victim", onlyNamespacesStopIt: true },
  {
    name: "change a mode by descriptor",
    script: "$ATTEMPT change-mode-by-descriptor $OUT/victim",
    onlyNamespacesStopIt: true,
  },
  {
    name: "change a mode by path descriptor",
    script: "$ATTEMPT change-mode-by-path-descriptor $OUT/victim",
    onlyNamespacesStopIt: true,
  },
  { name: "change times", script: "touch -d 2001-01-01 $OUT/victim", onlyNamespacesStopIt: true },
  { name: "change times by descriptor", script: "$ATTEMPT set-times $OUT/victim", onlyNamespacesStopIt: true },
  { name: "change the owner", script: "chown $(id -u):$(id -g) $OUT/victim", onlyNamespacesStopIt: true },
  { name: "set an extended attribute", script: "$ATTEMPT set-attribute $OUT/victim", onlyNamespacesStopIt: true },
  { name: "set file flags", script: "$ATTEMPT set-flags $OUT/victim", onlyNamespacesStopIt: true, mayFailAnyway: true },
];

const plants: readonly Attempt[] = [
  {
    name: "change every setting by which git runs a program",
    script: `for key in ${dangerousSettings.map((key) => `'${key}'`).join(" ")}; do git config "$key" '!evil'; done`,
    onlyNamespacesStopIt: true,
  },
  { name: "write a git hook", script: "echo evil > .git/hooks/pre-commit", onlyNamespacesStopIt: true },
  { name: "change git's settings", script: "git config core.fsmonitor evil", onlyNamespacesStopIt: true },
  {
    name: "append to git's settings",
    script: "printf '[core]\\nhooksPath=/tmp/x' >> .git/config",
    onlyNamespacesStopIt: true,
  },
  {
    name: "replace the whole .git",
    script: "mv .git old; mkdir -p .git/hooks; cp old/config .git; echo evil > .git/hooks/pre-commit",
    onlyNamespacesStopIt: true,
  },
  {
    name: "replace the hooks folder",
    script: "rm -rf .git/hooks; mkdir other; echo evil > other/pre-commit; ln -s ../other .git/hooks",
    onlyNamespacesStopIt: true,
  },
  {
    name: "rename something over git's settings",
    script: "echo evil > new; mv new .git/config",
    onlyNamespacesStopIt: true,
  },
  {
    name: "change git's settings behind their link",
    script:
      "umount .git/config; rm -f .git/config; ln -sf ../evil .git/config; git config -f .git/config core.pager evil",
    onlyNamespacesStopIt: true,
  },
  {
    name: "change the project's Signalbox settings",
    script: "echo '{\"agents\":{}}' > .signalbox/config.json",
    onlyNamespacesStopIt: true,
  },
  {
    name: "replace the project's Signalbox settings",
    script: "mv .signalbox x; mkdir .signalbox; echo evil > .signalbox/config.json",
    onlyNamespacesStopIt: true,
  },
  {
    name: "lead git to other settings",
    script: "mkdir other; echo evil > other/config; echo ../other > .git/commondir",
    onlyNamespacesStopIt: true,
  },
  {
    name: "lead git to other settings by a rename",
    script: "echo ../other > new; mv new .git/commondir",
    onlyNamespacesStopIt: true,
  },
  {
    name: "lead git to other settings by a link",
    script: "echo ../other > new; ln new .git/commondir || ln -s ../new .git/commondir",
    onlyNamespacesStopIt: true,
  },
  {
    name: "lead a linked work tree to other settings",
    script: "echo ../../../other > .git/worktrees/tree/commondir",
    onlyNamespacesStopIt: true,
  },
  {
    name: "replace the linked work trees",
    script: "mv .git/worktrees x; cp -r x .git/worktrees; echo evil > .git/worktrees/tree/commondir",
    onlyNamespacesStopIt: true,
  },
  {
    name: "change a submodule's settings",
    script: "echo evil >> .git/modules/part/config; mv .git/modules x",
    onlyNamespacesStopIt: true,
  },
  { name: "change an agent's hooks", script: "echo evil > .claude/settings.json", onlyNamespacesStopIt: true },
  { name: "change an editor's tasks", script: "echo evil > .vscode/tasks.json", onlyNamespacesStopIt: true },
  { name: "change the project's MCP servers", script: "echo evil > .mcp.json", onlyNamespacesStopIt: true },
  { name: "write a shell start-up file", script: "echo evil >> $HOME/.bashrc" },
  { name: "create a shell start-up file", script: "echo evil > $HOME/.zshenv" },
  { name: "add an SSH key", script: "echo evil >> $HOME/.ssh/authorized_keys" },
  { name: "start with the desktop", script: "echo evil > $HOME/.config/autostart/evil.desktop" },
  { name: "set-user-id bit", script: "cp /bin/sh mine; $ATTEMPT set-user-id mine" },
  { name: "set-user-id bit by install", script: "install -m 6755 /bin/sh mine" },
  { name: "make a disk device", script: "$ATTEMPT make-disk disk", mayFailAnyway: true },
  { name: "write to a skill", script: "echo evil >> $DATA/skills/skill" },
];

const secrets: readonly Attempt[] = [
  { name: "read the database", script: "cat $DATA/signalbox.db" },
  { name: "read the config", script: "cp $DATA/config.json stolen; cat stolen" },
  { name: "read the pid ledger", script: "cat $DATA/run/pids" },
  { name: "read the database through a link", script: "ln -s $DATA d; cat d/signalbox.db" },
  { name: "read the database through /proc", script: "cat /proc/self/root$DATA/signalbox.db" },
  { name: "read the database through a hard link", script: "ln $DATA/signalbox.db stolen; cat stolen" },
  { name: "read the database from a renamed folder", script: "mv $DATA ../workspace/data; cat data/signalbox.db" },
  { name: "read the database by its handle", script: "$ATTEMPT open-by-handle $HANDLE .", mayFailAnyway: true },
  { name: "write the database", script: "echo x >> $DATA/signalbox.db" },
  { name: "replace the config", script: "echo evil > new; mv new $DATA/config.json" },
  { name: "change the pid ledger", script: "echo 1 > $DATA/run/pids" },
  { name: "read an SSH key", script: "cat $HOME/.ssh/id_ed25519" },
  { name: "read the package manager's token", script: "cat $HOME/.npmrc" },
  { name: "read what was typed", script: "cat $HOME/.bash_history" },
  {
    name: "read the log-ins of agents",
    script: "cat $LOGINS $(find $LOGINS -type f); cp -r $LOGINS .; grep -r . .",
  },
  {
    name: "change what agents obey and know",
    script:
      "for f in $LOGINS; do echo evil > $f || echo evil > $f/evil || rm -rf $f; done; echo evil > $HOME/.claude/settings.json; mkdir -p $HOME/.codex/prompts",
  },
  { name: "pack up the SSH folder", script: "tar -cf - $HOME/.ssh" },
  { name: "search for secrets", script: "grep -r . $HOME/.ssh $DATA" },
  { name: "read another process's environment", script: "cat /proc/$BYSTANDER/environ" },
  { name: "read all environments", script: "cat /proc/[0-9]*/environ" },
  {
    name: "read the disk",
    script:
      "for d in $(awk 'NR>2{print $4}' /proc/partitions); do head -c 512 /dev/$d | wc -c | grep -q 512 && echo ESCAPED; done",
    mayFailAnyway: true,
  },
  {
    name: "read the kernel's memory",
    script: "head -c 16 /proc/kcore | wc -c | grep -q 16 && echo ESCAPED; head -c 16 /dev/mem && echo ESCAPED",
    dangerous: true,
  },
  {
    name: "open a device in a writable folder",
    script: "head -c 1 ../temp/device | wc -c | grep -q 1 && echo ESCAPED",
    onlyNamespacesStopIt: true,
    mayFailAnyway: true,
  },
];

const processes: readonly Attempt[] = [
  { name: "signal the bystander", onlyScopesStopIt: true, script: "kill -CONT $BYSTANDER" },
  { name: "signal the bystander by other calls", onlyScopesStopIt: true, script: "$ATTEMPT queue-signal $BYSTANDER" },
  {
    name: "signal the bystander's group",
    onlyScopesStopIt: true,
    script: "kill -CONT -- -$BYSTANDER_GROUP",
    dangerous: true,
  },
  { name: "signal every process", script: "$ATTEMPT send-signal -1 18 > /dev/null", dangerous: true },
  { name: "signal the host", script: "$ATTEMPT send-signal $HOST 18", dangerous: true },
  { name: "trace the bystander", script: "$ATTEMPT trace $BYSTANDER" },
  { name: "trace the host", script: "$ATTEMPT trace $HOST", dangerous: true },
  { name: "read the host's memory", script: "$ATTEMPT read-memory $HOST 400000", dangerous: true },
  { name: "limit the bystander", script: "$ATTEMPT limit-process $BYSTANDER" },
  { name: "limit the host", script: "$ATTEMPT limit-process $HOST", dangerous: true },
  {
    name: "slow the bystander down",
    script: "$ATTEMPT slow-down $BYSTANDER",
    onlyNamespacesStopIt: true,
    mayFailAnyway: true,
  },
  { name: "take a descriptor of the bystander", script: "$ATTEMPT take-descriptor $BYSTANDER" },
  {
    name: "enter the bystander's namespaces",
    script: "$ATTEMPT enter-namespace /proc/$BYSTANDER/ns/mnt || $ATTEMPT enter-namespace /proc/1/ns/mnt",
    mayFailAnyway: true,
  },
  { name: "daemon that writes later", script: "$ATTEMPT daemonise $OUT/late 150", dangerous: true },
  {
    name: "daemon by the shell",
    script: "(setsid nohup bash -c 'sleep 0.15; echo late > $OUT/late' > /dev/null 2>&1 &)",
    dangerous: true,
  },
  {
    name: "kill the supervisor, leave a daemon",
    script: "$ATTEMPT daemonise $OUT/late 150; kill -9 $PPID",
    dangerous: true,
  },
  {
    name: "type into another terminal",
    script:
      "for t in /dev/pts/[0-9]* /dev/tty[0-9]* /dev/console; do [ -e $t ] && $ATTEMPT type-into-terminal $t; done",
    dangerous: true,
  },
  {
    name: "leave a file in shared memory",
    script: "echo x > /dev/shm/signalbox-$BYSTANDER && ls /dev/shm",
    dangerous: true,
  },
];

const privilegedCalls = [
  "mount",
  "umount2",
  "pivot_root",
  "fsopen",
  "mount_setattr",
  "bpf",
  "perf_event_open",
  "keyctl",
  "add_key",
  "init_module",
  "kexec_load",
  "userfaultfd",
  "io_uring_setup",
  "swapon",
  "settimeofday",
  "sethostname",
  "fanotify_init",
  "syslog",
  "acct",
];

const kernel: readonly Attempt[] = [
  {
    name: "bind mount",
    script: "mkdir m; mount --bind $OUT m && echo x > m/new; mount -o remount,rw $OUT && echo x > $OUT/new",
    dangerous: true,
  },
  { name: "remount everything writable", script: "mount -o remount,rw / && echo x > $OUT/new", dangerous: true },
  {
    name: "uncover the secrets",
    script: "umount -l $DATA; umount -l $DATA/signalbox.db; cat $DATA/signalbox.db",
    dangerous: true,
  },
  {
    name: "new user and mount namespace",
    script: "unshare -Urm bash -c 'mount -o remount,rw,bind / ; echo x > $OUT/new'; $ATTEMPT new-namespaces",
  },
  { name: "namespaces by clone", script: "$ATTEMPT clone-namespaces" },
  { name: "namespaces by clone3", script: "$ATTEMPT clone3-namespaces" },
  { name: "copy a mount", script: "mkdir m; $ATTEMPT copy-mount $OUT m && echo x > m/new", dangerous: true },
  { name: "change root", script: "chroot / bash -c 'echo x > $OUT/new'", mayFailAnyway: true },
  {
    // Each in a process of its own; none of them changes anything for the next.
    name: "system calls that only the kernel's owner needs",
    script: `for call in ${privilegedCalls.join(" ")}; do echo $call; $ATTEMPT reach-call $call; done`,
    mayFailAnyway: true,
  },
  { name: "system calls of another kind", script: "$ATTEMPT foreign-call", mayFailAnyway: true },
  {
    name: "kernel settings",
    script: "v=$(cat /proc/sys/vm/swappiness); echo $v > /proc/sys/vm/swappiness && echo ESCAPED",
    mayFailAnyway: true,
  },
  { name: "crash handler", script: "exec 9> /proc/sys/kernel/core_pattern && echo ESCAPED", mayFailAnyway: true },
  { name: "system request key", script: "exec 9> /proc/sysrq-trigger && echo ESCAPED", mayFailAnyway: true },
  {
    name: "control groups",
    script: "mkdir /sys/fs/cgroup/signalbox-attempt && rmdir /sys/fs/cgroup/signalbox-attempt && echo ESCAPED",
    mayFailAnyway: true,
  },
  {
    name: "become root",
    script: "sudo -n touch $OUT/new; su -c 'touch $OUT/new' < /dev/null; pkexec touch $OUT/new < /dev/null",
    mayFailAnyway: true,
  },
  {
    name: "scheduled job",
    script:
      "echo '* * * * * echo evil' | crontab - ; mkdir -p /var/spool/cron && echo evil > /var/spool/cron/signalbox-attempt && echo ESCAPED",
    dangerous: true,
  },
  {
    name: "system folders",
    script:
      "for d in /etc /usr/bin /usr/lib /bin /boot /dev /sys /proc; do echo x > $d/signalbox-attempt && echo ESCAPED; done",
    dangerous: true,
  },
];

const network: readonly Attempt[] = [
  { name: "TCP to the host", script: "$ATTEMPT tcp $TCP" },
  { name: "TCP by the shell", script: "echo x > /dev/tcp/127.0.0.1/$TCP" },
  { name: "TCP with fast open", script: "$ATTEMPT tcp-fast-open $TCP", mayFailAnyway: true },
  { name: "TCP over IPv6", script: "$ATTEMPT tcp6 $TCP6" },
  { name: "UDP to the host", script: "$ATTEMPT udp $UDP" },
  {
    name: "UDP by the shell, as a DNS question",
    script: "printf '\\0\\1\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0' > /dev/udp/127.0.0.1/$UDP",
  },
  { name: "unix socket outside", script: "$ATTEMPT unix-stream $OUT/door" },
  { name: "unix socket of the host in the workspace", script: "$ATTEMPT unix-stream door" },
  { name: "unix socket through a link", script: "ln -s $OUT/door d; $ATTEMPT unix-stream d" },
  { name: "abstract unix socket", script: "$ATTEMPT unix-abstract $ABSTRACT" },
  { name: "unix datagrams, of every kind of socket", script: "$ATTEMPT unix-datagram $OUT/datagrams" },
  { name: "raw sockets", script: "$ATTEMPT raw-socket", mayFailAnyway: true },
  { name: "strange sockets", script: "$ATTEMPT strange-socket", mayFailAnyway: true },
  {
    name: "swap the address while it is decided about",
    script: "$ATTEMPT race $PWD/inside $OUT/door",
    mayFailAnyway: true,
  },
];

export const allAttempts: readonly Attempt[] = [
  ...writes,
  ...metadata,
  ...plants,
  ...secrets,
  ...processes,
  ...kernel,
  ...network,
];
