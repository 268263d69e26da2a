// Claude Code as an ACP agent whose tools run through the client.
export { runClaude } from "./run-claude.ts";
export { installCommand, sdkPackage, sdkVersion } from "./sdk/load-sdk.ts";
