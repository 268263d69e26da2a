// What no mode may write, and what nothing may read: system folders, shell start-up files, credentials, our own data.

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

/** Run by a shell, a login or git of the person later, outside of any sandbox. */
const startUpPaths: Record<Platform, readonly string[]> = {
  linux: [
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
    ".xprofile",
    ".xinitrc",
    ".xsession",
    ".xsessionrc",
    ".pam_environment",
    ".gitconfig",
    ".npmrc",
    ".config/fish",
    ".config/git",
    ".config/autostart",
    ".config/systemd",
    ".config/environment.d",
  ],
  darwin: [
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".gitconfig",
    ".npmrc",
    ".config/fish",
    ".config/git",
    "Library/LaunchAgents",
  ],
};

/** Keys and passwords: neither written nor read. */
const credentialsEverywhere: readonly string[] = [
  ".ssh",
  ".gnupg",
  ".aws",
  ".azure",
  ".config/gcloud",
  ".config/gh",
  ".config/op",
  ".config/rclone",
  ".kube",
  ".docker",
  ".netrc",
  ".git-credentials",
  ".config/git/credentials",
  ".pypirc",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".terraform.d",
  ".vault-token",
  ".password-store",
  ".local/share/keyrings",
  ".mozilla",
  ".config/google-chrome",
  ".config/chromium",
  ".config/BraveSoftware",
  // the log-ins of other agents
  ".claude/.credentials.json",
  ".codex/auth.json",
  ".gemini/oauth_creds.json",
  ".local/share/opencode/auth.json",
];

const credentialPaths: Record<Platform, readonly string[]> = {
  linux: credentialsEverywhere,
  darwin: [
    ...credentialsEverywhere,
    "Library/Keychains",
    "Library/Application Support/Google/Chrome",
    "Library/Application Support/Firefox",
  ],
};

export function systemFolders(platform: Platform): readonly string[] {
  return systemPaths[platform];
}

export function startUpFiles(platform: Platform): readonly string[] {
  return startUpPaths[platform];
}

export function credentials(platform: Platform): readonly string[] {
  return credentialPaths[platform];
}
