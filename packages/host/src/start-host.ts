// The composition root of the host: its rooms, and the server in front of them; and their end, in the opposite order.
import type { ListeningRow, ProgressMessage } from "@signalbox/protocol";
import { forgetRunningHost, noteRunningHost } from "./data/data-folder.ts";
import { StartError } from "./data/host-error.ts";
import { type OpenRooms, openRooms, type RoomsOptions } from "./open-rooms.ts";
import { FanOut } from "./server/fan-out.ts";
import { describeListening, readTls, type Tls, type TlsFiles } from "./server/listening.ts";
import { nextFreePort, portHolder } from "./server/port-holder.ts";
import type { Rooms } from "./server/rooms.ts";
import { type RunningServer, startServer } from "./server/server.ts";

export interface HostOptions extends Omit<RoomsOptions, "onProgress"> {
  readonly host: string;
  /** 0 means any free one. */
  readonly port: number;
  readonly pageFolder: string;
  readonly extraOrigins?: readonly string[];
  /** Certificate and key for HTTPS. */
  readonly tls?: TlsFiles | undefined;
}

export interface RunningHostHandle {
  readonly url: string;
  readonly port: number;
  readonly token: string;
  readonly dataFolder: string;
  readonly listening: ListeningRow;
  /** Stops agents, screens and the register; nothing is left running. */
  stop(): Promise<void>;
}

/** Throws a StartError whose message says what is wrong and what to do. */
export async function startHost(options: HostOptions): Promise<RunningHostHandle> {
  const tls = options.tls === undefined ? null : readTls(options.tls);
  const fanOut = new FanOut();
  const onProgress = (message: ProgressMessage) => fanOut.tell(message);
  const rooms = await openRooms({ ...options, onProgress });
  const { folder, register } = rooms;
  register.onChanges((changes) => fanOut.publish(changes));
  let listening: ListeningRow | null = null;
  const server = await listen({ ...rooms, fanOut, listening: () => listening }, tls, options).catch(
    async (error: unknown) => {
      await rooms.close();
      throw error;
    },
  );
  const name = options.host.includes(":") ? `[${options.host}]` : options.host;
  const url = `${tls === null ? "http" : "https"}://${name}:${server.port}/#token=${folder.token}`;
  const described = describeListening(options.host, server.port, tls);
  listening = described;
  noteRunningHost(folder, { pid: process.pid, url, ...(tls === null ? {} : { certificate: tls.cert }) });
  return {
    url,
    port: server.port,
    token: folder.token,
    dataFolder: folder.path,
    listening: described,
    stop: async () => {
      await rooms.sessions.stopAll();
      await server.close();
      await rooms.close();
      forgetRunningHost(folder);
    },
  };
}

async function listen(rooms: OpenRooms & Rooms, tls: Tls | null, options: HostOptions): Promise<RunningServer> {
  const { host, port, pageFolder, extraOrigins = [] } = options;
  try {
    return await startServer({ rooms, token: rooms.folder.token, pageFolder, extraOrigins, tls }, host, port);
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
