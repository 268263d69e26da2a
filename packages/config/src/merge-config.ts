// Merges the user's config with a project's, key by key, as config-schema.ts says. A project cannot loosen anything.
import { type Config, type ConfigFile, configKeys } from "./config-schema.ts";
import { vendorSecrets } from "./providers.ts";

export interface MergedConfig {
  readonly config: Config;
  /** One sentence for each key of the project's file that it may not set. */
  readonly ignored: readonly string[];
}

export function mergeConfig(user: ConfigFile, project: ConfigFile): MergedConfig {
  const ignored: string[] = [];
  const config = configKeys.merge(user, project, (reason, path) => {
    ignored.push(`The project's config.json cannot set ${path}: ${reason}.`);
  });
  return { config, ignored };
}

/** The address of the shared database, which has a password in it, and the key that commands between machines are signed with. */
const sharedSecrets = ["SIGNALBOX_SHARED_URL", "SIGNALBOX_SHARED_KEY"] as const;

/** Every environment variable that holds a key, by the table or by the user's config. No command may see them. */
export function secretVariables({ providers, web_search, sandbox }: Config): readonly string[] {
  return [
    ...vendorSecrets,
    ...sharedSecrets,
    ...[...Object.values(providers), web_search].flatMap((part) => part?.api_key_env ?? []),
    ...sandbox.credentials.flatMap(({ env }) => env ?? []),
  ];
}
