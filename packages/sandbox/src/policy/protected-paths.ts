// Lists what no mode may write: the system's folders, and files of a home folder that programs of the person obey when they start.

export type Platform = "linux" | "darwin";

const systemPaths: Record<Platform, readonly string[]> = {
  linux: [
    "/bin",
    "/sbin",
    "/usr/bin",
    "/usr/sbin",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/libexec",
    "/lib",
    "/lib32",
    "/lib64",
    "/etc",
    "/boot",
    "/proc",
    "/sys",
    "/dev",
    "/var/spool/cron",
    "/run/systemd",
  ],
  darwin: [
    "/bin",
    "/sbin",
    "/usr/bin",
    "/usr/sbin",
    "/usr/lib",
    "/usr/libexec",
    "/private/etc",
    "/private/var/db",
    "/System",
    "/Library",
    "/dev",
  ],
};

/** Obeyed later, outside of any sandbox, by the person's log-in, shell, git, editor, package manager or debugger. */
const startUpEverywhere: readonly string[] = [
  // shells
  ".bashrc",
  ".bash_profile",
  ".bash_login",
  ".bash_logout",
  ".bash_aliases",
  ".profile",
  ".zshrc",
  ".zshenv",
  ".zprofile",
  ".zlogin",
  ".zlogout",
  ".kshrc",
  ".cshrc",
  ".tcshrc",
  ".login",
  ".inputrc",
  ".config/fish",
  ".config/direnv",
  ".config/mise",
  ".tmux.conf",
  ".screenrc",
  // git and other version control
  ".gitconfig",
  ".config/git",
  ".hgrc",
  // editors
  ".vimrc",
  ".vim",
  ".config/nvim",
  ".emacs",
  ".emacs.d",
  ".config/emacs",
  ".config/zed",
  // package managers and build tools
  ".yarnrc",
  ".bunfig.toml",
  ".cargo/config",
  ".cargo/config.toml",
  ".config/pip",
  ".gradle/init.d",
  ".gradle/init.gradle",
  // consoles and debuggers
  ".gdbinit",
  ".lldbinit",
  ".psqlrc",
  ".sqliterc",
  ".mongoshrc.js",
  ".irbrc",
  ".Rprofile",
  // agents: their settings name hooks and MCP servers, which run outside
  ".claude/settings.json",
  ".codex/config.toml",
  ".gemini/settings.json",
  ".config/opencode",
  ".config/goose/config.yaml",
  ".factory/settings.json",
  ".factory/mcp.json",
];

const startUpPaths: Record<Platform, readonly string[]> = {
  linux: [
    ...startUpEverywhere,
    ".xprofile",
    ".xinitrc",
    ".xsession",
    ".xsessionrc",
    ".pam_environment",
    ".config/autostart",
    ".config/systemd",
    ".config/environment.d",
    ".config/Code/User",
    ".local/share/applications",
    ".local/share/systemd",
  ],
  darwin: [...startUpEverywhere, "Library/LaunchAgents", "Library/Application Support/Code/User"],
};

export function systemFolders(platform: Platform): readonly string[] {
  return systemPaths[platform];
}

export function startUpFiles(platform: Platform): readonly string[] {
  return startUpPaths[platform];
}
