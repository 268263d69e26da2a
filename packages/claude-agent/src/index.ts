// Claude Code as an ACP agent whose tools run through the client.
export { runProjectServer } from "@signalbox/agent-kit";
export { runClaude } from "./run-claude.ts";
export { installCommand, sdkHash, sdkPackage, sdkVersion } from "./sdk/load-sdk.ts";
