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
];

/** Absolute paths that such variables name: one, or several with colons between them. */
export function movedCredentials(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return movedBy.flatMap((name) => (env[name] ?? "").split(":")).filter((path) => path.startsWith("/"));
}

/** Absolute paths that only root can read. They matter only where Signalbox runs as root. */
export function systemCredentials(platform: Platform): readonly string[] {
  return platform === "darwin" ? ["/private/etc/master.passwd"] : ["/etc/shadow", "/etc/shadow-", "/etc/ssl/private"];
}
