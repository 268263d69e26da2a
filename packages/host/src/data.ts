// What commands need to know of a host that runs, without loading one: its data folder, and the frames of recordings.
export { describeExit } from "./agents/agent-exit.ts";
export { type DataFolder, defaultDataFolder, openDataFolder, readRunningHost, sharedFile } from "./data/data-folder.ts";
export { StartError } from "./data/host-error.ts";
export { encodeProxyFrame, type ProxyFrameKind } from "./data/proxy-frames.ts";
