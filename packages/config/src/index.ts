// @signalbox/config: config.json of the user and of a project. The table of model providers is `@signalbox/config/providers`, which loads nothing else.
export { ConfigError } from "./config-error.ts";
export type { Checker, Config, McpServers, ProviderConfig } from "./config-schema.ts";
export { defaultDataFolder, loadConfig, type UserConfig } from "./load-config.ts";
export { type MergedConfig, secretVariables } from "./merge-config.ts";
export type { CredentialReference } from "./sandbox-keys.ts";
