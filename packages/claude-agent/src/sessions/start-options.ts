// Makes the options with which Claude Code is started for a session: our tools, permissions through the client, MCP servers.
import { elicitationCallback } from "../permissions/elicitations.ts";
import { permissionCallback } from "../permissions/permission-callback.ts";
import type { PermissionMode, QueryOptions } from "../sdk/sdk.ts";
import type { Shell } from "../tools/bash.ts";
import { clientTools, serverName } from "../tools/client-tools.ts";
import { plansFolder, ToolFiles } from "../tools/files.ts";
import type { SeenFiles } from "../tools/seen-files.ts";
import { sdkTools } from "../tools/server.ts";
import type { SessionToolCalls } from "../updates/session-tool-calls.ts";
import { offeredModes } from "./modes.ts";
import { queryOptions } from "./query-options.ts";
import type { SessionPlace, SessionServices } from "./session-services.ts";

/** State of a session that survives a restart of its process. */
interface SessionState {
  readonly calls: SessionToolCalls;
  readonly seen: SeenFiles;
  readonly shell: Shell | undefined;
  readonly model: string | null;
  /** Whether Claude Code has this session already. */
  readonly isStored: boolean;
  readonly mode: () => PermissionMode;
  /** Aborts when the turn that runs now is not wanted any more. */
  readonly stopSignal: () => AbortSignal;
}

export function startOptions(services: SessionServices, place: SessionPlace, state: SessionState): QueryOptions {
  const { sdk, client, elicitations, env, version, mayBypass } = services;
  const { id, cwd, folders, instructions } = place;
  const { calls, seen, shell, mode, model, isStored } = state;
  const files = services.files(id);
  const tools = clientTools({ client: files, files: new ToolFiles(files, cwd, env), seen, shell });
  services.log(`allowedTools: ${JSON.stringify(tools.names)}`);
  const server = sdk.createSdkMcpServer({
    name: serverName,
    version,
    alwaysLoad: true,
    tools: sdkTools(tools.tools, calls, state.stopSignal),
  });
  const canUseTool = permissionCallback({
    sessionId: id,
    client,
    calls,
    elicitations,
    modes: offeredModes(mayBypass).map((offered) => offered.id),
    place: () => ({ cwd, folders, plans: plansFolder(env), mode: mode() }),
  });
  return queryOptions({
    id,
    cwd,
    folders,
    tools,
    program: services.claudeProgram,
    instructions,
    model,
    isStored,
    env,
    version,
    mayBypass,
    canUseTool,
    mode: mode(),
    onElicitation: elicitations === null ? null : elicitationCallback(id, elicitations),
    servers: { ...place.servers, ...(tools.tools.length > 0 && { [serverName]: server }) },
  });
}
