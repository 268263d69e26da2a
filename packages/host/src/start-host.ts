// Starts the host: its services, then the server in front of them. Stops them in the opposite order.
import { type ListeningRow, messageOf } from "@signalbox/protocol";
import { defaultDataFolder, forgetRunningHost, openDataFolder, writeRunningHost } from "./data/data-folder.ts";
import { StartError } from "./data/host-error.ts";
import { openCertificateFiles } from "./data/self-signed.ts";
import { type HostServicesOptions, openHostServices } from "./open-host-services.ts";
import type { HostServices } from "./server/host-services.ts";
import { chooseCertificateNames, describeListening, readTls, type Tls, type TlsFiles } from "./server/listening.ts";
import { describePortHolder, findFreePort } from "./server/port-holder.ts";
import { type RunningServer, startServer } from "./server/server.ts";

export interface HostOptions extends HostServicesOptions {
  readonly host: string;
  /** 0 means any free one. */
  readonly port: number;
  readonly pageFolder: string;
  readonly extraOrigins?: readonly string[];
  /** Certificate and key for HTTPS; or one that Signalbox makes, which browsers warn about. */
  readonly tls?: TlsFiles | "self-signed" | undefined;
}

export interface RunningHostHandle {
  readonly url: string;
  readonly port: number;
  readonly token: string;
  readonly dataFolder: string;
  readonly listening: ListeningRow;
  /** Makes an address that opens the page once, within a minute, and does not hold the token. */
  createPageAddress(): string;
  /** Resolves when, for so long, no client was connected and no turn ran. */
  untilUnused(ms: number): Promise<void>;
  /** Resolves when the last client has disconnected, or none came in half a minute. From then on no client is accepted. */
  untilLastClientLeft(): Promise<void>;
  /** Stops agents, screens and the register; nothing is left running. */
  stop(): Promise<void>;
}

/** Throws a StartError whose message says what is wrong and what to do. */
export async function startHost(options: HostOptions): Promise<RunningHostHandle> {
  const tls = options.tls === undefined ? null : readTls(tlsFiles(options));
  const services = await openHostServices(options);
  const server = await listen(services, tls, options).catch(async (error: unknown) => {
    await services.close();
    throw error;
  });
  const { folder } = services;
  const listening = describeListening(options.host, server.port, tls);
  services.listening = listening;
  const name = options.host.includes(":") ? `[${options.host}]` : options.host;
  const origin = `${tls === null ? "http" : "https"}://${name}:${server.port}`;
  const url = `${origin}/#token=${folder.token}`;
  writeRunningHost(folder, { pid: process.pid, url, ...(tls === null ? {} : { certificate: tls.cert }) });
  return {
    url,
    port: server.port,
    token: folder.token,
    dataFolder: folder.path,
    listening,
    createPageAddress: () => `${origin}/#open=${services.pageCodes.start().code}`,
    untilUnused: (ms) => untilUnused(() => server.connections > 0 || services.sessions.isBusy, ms),
    untilLastClientLeft: () => server.untilLastClientLeft(),
    stop: async () => {
      await services.sessions.stopAll();
      await server.close();
      await services.close();
      forgetRunningHost(folder);
    },
  };
}

function tlsFiles({ tls, dataFolder, host }: HostOptions): TlsFiles {
  if (tls !== undefined && tls !== "self-signed") return tls;
  return openCertificateFiles(openDataFolder(dataFolder ?? defaultDataFolder()).path, chooseCertificateNames(host));
}

function untilUnused(isUsed: () => boolean, ms: number): Promise<void> {
  return new Promise((resolve) => {
    let usedAt = Date.now();
    const timer = setInterval(
      () => {
        if (isUsed()) usedAt = Date.now();
        if (Date.now() - usedAt < ms) return;
        clearInterval(timer);
        resolve();
      },
      Math.min(ms, 1000),
    ).unref();
  });
}

async function listen(services: HostServices, tls: Tls | null, options: HostOptions): Promise<RunningServer> {
  const { host, port, pageFolder, extraOrigins = [] } = options;
  try {
    return await startServer({ services, token: services.folder.token, pageFolder, extraOrigins, tls }, host, port);
  } catch (error) {
    throw new StartError(await explainListen(error, host, port), { cause: error });
  }
}

async function explainListen(error: unknown, host: string, port: number): Promise<string> {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "EADDRINUSE") {
    const holder = describePortHolder(port);
    const free = await findFreePort(port, host);
    const advice =
      free === null ? "Choose another one with --port." : `Port ${free} is free: start with --port ${free}.`;
    return `Port ${port} is taken${holder === null ? "" : ` by ${holder}`}. ${advice}`;
  }
  if (code === "EACCES") return `You may not listen on port ${port}. Choose one above 1023 with --port.`;
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return `This machine has no address ${host}. Choose another with --host.`;
  return `Signalbox cannot listen on ${host}:${port}: ${messageOf(error)}`;
}
