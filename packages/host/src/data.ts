// Lets commands find a running host, its data folder and the frames of recordings, without loading a host.
export { describeExit } from "./agents/agent-exit.ts";
export { type DataFolder, defaultDataFolder, openDataFolder, readRunningHost, sharedFile } from "./data/data-folder.ts";
export { StartError } from "./data/host-error.ts";
export { encodeProxyFrame, type ProxyFrameKind } from "./data/proxy-frames.ts";
export { RuleStore } from "./permissions/rule-store.ts";
