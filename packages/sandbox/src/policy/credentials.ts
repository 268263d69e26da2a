// Finds keys and accounts that lie outside the home folder, of which nothing shows in the sandbox: where variables lead, and what only root can read.
import type { Platform } from "./protected-paths.ts";

/** Variables by which programs find their keys and accounts elsewhere than in the home folder. */
const movedBy: readonly string[] = [
  "GNUPGHOME",
  "PASSWORD_STORE_DIR",
  "AWS_SHARED_CREDENTIALS_FILE",
  "AWS_CONFIG_FILE",
  "AZURE_CONFIG_DIR",
  "CLOUDSDK_CONFIG",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "KUBECONFIG",
  "DOCKER_CONFIG",
  "REGISTRY_AUTH_FILE",
  "GH_CONFIG_DIR",
  "GLAB_CONFIG_DIR",
  "NETRC",
  "PGPASSFILE",
  "NPM_CONFIG_USERCONFIG",
  "npm_config_userconfig",
  "HISTFILE",
  "XAUTHORITY",
  "ICEAUTHORITY",
  "XDG_RUNTIME_DIR",
];

/** Folders in which log-ins of the running session lie: of registries (podman), of the display, of a container's own services. */
const ofSession: Record<Platform, readonly string[]> = { linux: ["/run/user", "/run/secrets"], darwin: [] };

/** Absolute paths that such variables name, one or several with colons between them, and the folders of the session. */
export function movedCredentials(
  env: Readonly<Record<string, string | undefined>>,
  platform: Platform,
): readonly string[] {
  const named = movedBy.flatMap((name) => (env[name] ?? "").split(":")).filter((path) => path.startsWith("/"));
  return [...named, ...ofSession[platform]];
}

/** Absolute paths that only root can read. They matter only where Signalbox runs as root. */
export function systemCredentials(platform: Platform): readonly string[] {
  return platform === "darwin" ? ["/private/etc/master.passwd"] : ["/etc/shadow", "/etc/shadow-", "/etc/ssl/private"];
}
