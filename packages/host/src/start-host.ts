// The composition root of the host: data folder, register, agents, sessions, server; and their end, in the opposite order.
import { openRegister, RegisterError } from "@signalbox/tinyvex";
import { type AgentDefinition, AgentRegistry } from "./agents/registry.ts";
import {
  type DataFolder,
  defaultDataFolder,
  forgetRunningHost,
  noteRunningHost,
  openDataFolder,
  readRunningHost,
} from "./data/data-folder.ts";
import { StartError } from "./data/host-error.ts";
import { FanOut } from "./server/fan-out.ts";
import { nextFreePort, portHolder } from "./server/port-holder.ts";
import { type RunningServer, type ServerOptions, startServer } from "./server/server.ts";
import { Sessions } from "./sessions/sessions.ts";

export interface HostOptions {
  readonly dataFolder?: string | undefined;
  readonly host: string;
  /** 0 means any free one. */
  readonly port: number;
  readonly agents: readonly AgentDefinition[];
  readonly pageFolder: string;
  readonly extraOrigins?: readonly string[];
}

export interface RunningHostHandle {
  readonly url: string;
  readonly port: number;
  readonly token: string;
  readonly dataFolder: string;
  /** Stops agents, screens and the register; nothing is left running. */
  stop(): Promise<void>;
}

/** Throws a StartError whose message says what is wrong and what to do. */
export async function startHost(options: HostOptions): Promise<RunningHostHandle> {
  const folder = openDataFolder(options.dataFolder ?? defaultDataFolder());
  const register = await openRegisterIn(folder);
  const agents = new AgentRegistry(options.agents);
  const sessions = new Sessions(register, agents);
  const fanOut = new FanOut();
  register.onChanges((changes) => fanOut.publish(changes));
  const rooms = { register, sessions, agents, fanOut };
  const server = await listen(
    { rooms, token: folder.token, pageFolder: options.pageFolder, extraOrigins: options.extraOrigins ?? [] },
    options,
  ).catch(async (error: unknown) => {
    await register.close();
    throw error;
  });
  const name = options.host.includes(":") ? `[${options.host}]` : options.host;
  const url = `http://${name}:${server.port}/#token=${folder.token}`;
  noteRunningHost(folder, { pid: process.pid, url });
  return {
    url,
    port: server.port,
    token: folder.token,
    dataFolder: folder.path,
    stop: async () => {
      await sessions.stopAll();
      await server.close();
      await register.close();
      forgetRunningHost(folder);
    },
  };
}

async function openRegisterIn(folder: DataFolder) {
  try {
    return await openRegister({ path: folder.database });
  } catch (error) {
    if (!(error instanceof RegisterError)) throw error;
    const running = error.code === "in_use" ? readRunningHost(folder) : null;
    const where = running === null ? "" : ` It is at ${running.url}.`;
    throw new StartError(`${error.message}${where}`, { cause: error });
  }
}

async function listen(serverOptions: ServerOptions, { host, port }: HostOptions): Promise<RunningServer> {
  try {
    return await startServer(serverOptions, host, port);
  } catch (error) {
    throw new StartError(await explainListen(error, host, port), { cause: error });
  }
}

async function explainListen(error: unknown, host: string, port: number): Promise<string> {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "EADDRINUSE") {
    const holder = portHolder(port);
    const free = await nextFreePort(port, host);
    const advice =
      free === null ? "Choose another one with --port." : `Port ${free} is free: start with --port ${free}.`;
    return `Port ${port} is taken${holder === null ? "" : ` by ${holder}`}. ${advice}`;
  }
  if (code === "EACCES") return `You may not listen on port ${port}. Choose one above 1023 with --port.`;
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return `This machine has no address ${host}. Choose another with --host.`;
  return `Signalbox cannot listen on ${host}:${port}: ${error instanceof Error ? error.message : String(error)}`;
}
