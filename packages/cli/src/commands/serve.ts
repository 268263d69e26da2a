// `signalbox serve` runs the host in the foreground until it is stopped.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { StartError } from "@signalbox/host/data";
import { type RunningHostHandle, startHost } from "@signalbox/host/serve";
import { UsageError } from "../arguments.ts";
import { command, exitCodes, type Program } from "../command.ts";
import { describeProgram } from "../describe-program.ts";
import { openBrowser, removeLeftovers } from "../open-browser.ts";

const defaultPort = 4280;

export const serve = command({
  usage: "signalbox [serve] [flags]",
  about: "Starts Signalbox and prints the address of the page. Ctrl+C stops it and every agent it started.",
  flags: {
    port: {
      type: "number",
      value: "N",
      min: 0,
      max: 65_535,
      help: `port to listen on (default ${defaultPort}; 0: any free port)`,
    },
    host: {
      type: "string",
      value: "ADDRESS",
      help: "address to listen on (default 127.0.0.1: only this machine can connect)",
    },
    "tls-cert": { type: "string", value: "FILE", help: "certificate (PEM), for HTTPS; with --tls-key" },
    "tls-key": { type: "string", value: "FILE", help: "its key (PEM)" },
    "tls-self-signed": {
      type: "boolean",
      help: "HTTPS with a certificate that Signalbox makes. Browsers warn once: compare the fingerprint there",
    },
    "page-origin": {
      type: "string",
      value: "ORIGIN",
      help: "where a page of your own is served that may connect too, such as http://localhost:5173",
    },
    "data-dir": {
      type: "string",
      value: "DIR",
      help: "data folder (default ~/.signalbox or $SIGNALBOX_HOME)",
    },
    "no-open": { type: "boolean", help: "do not open the page in a browser" },
    json: { type: "boolean", help: "print the ready line as JSON" },
  },
  examples: [
    ["signalbox", "start, and open the page in a browser"],
    ["signalbox --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem", "reachable from other machines, over HTTPS"],
    ["signalbox --port 0 --no-open --json", "for a script: any free port, the address as JSON"],
  ],
  async run(flags, program) {
    const host = await startHost({
      dataFolder: flags["data-dir"],
      host: flags.host ?? "127.0.0.1",
      port: flags.port ?? defaultPort,
      tls: readTls(flags["tls-cert"], flags["tls-key"], flags["tls-self-signed"]),
      own: describeProgram(program),
      shared: program.shared,
      pageFolder: pageFolder(program),
      onProblem: (problem) => console.error(problem),
      extraOrigins: parseOrigins(flags["page-origin"]),
    });
    const stopped = untilStopRequested();
    const { url, port, token, dataFolder, listening } = host;
    if (flags["tls-self-signed"]) console.error(`Fingerprint of the certificate (SHA-256): ${listening.fingerprint}`);
    if (listening.warning !== null) console.error(`WARNING: ${listening.warning}`);
    console.log(
      flags.json
        ? JSON.stringify({ url, port, token, pid: process.pid, data_dir: dataFolder })
        : `Signalbox is ready: ${url}`,
    );
    removeLeftovers();
    if (!flags["no-open"] && !flags.json) openBrowser(() => host.createPageAddress());
    await Promise.race([stopped, ...unused(host)]);
    await host.stop();
    return exitCodes.ok;
  },
});

function readTls(
  cert: string | undefined,
  key: string | undefined,
  isSelfSigned: boolean,
): { cert: string; key: string } | "self-signed" | undefined {
  if (isSelfSigned && cert === undefined && key === undefined) return "self-signed";
  if (isSelfSigned) throw new UsageError("--tls-self-signed makes a certificate: leave out --tls-cert and --tls-key.");
  if (cert !== undefined && key !== undefined) return { cert, key };
  if (cert === undefined && key === undefined) return undefined;
  throw new UsageError("--tls-cert and --tls-key must be given together.");
}

/** A page may name the host only by what a browser sends: scheme, host and port. */
function parseOrigins(given: string | undefined): readonly string[] {
  if (given === undefined) return [];
  const url = URL.parse(given);
  if (url === null || !/^https?:$/.test(url.protocol) || url.origin !== given.replace(/\/$/, ""))
    throw new UsageError(`--page-origin is an address without a path, such as http://localhost:5173, not ${given}.`);
  return [url.origin];
}

/** The built page is in packages/ui/dist of the checkout. */
function pageFolder({ entry }: Program): string {
  for (let folder = dirname(entry); folder !== dirname(folder); folder = dirname(folder)) {
    const page = join(folder, "packages/ui/dist");
    if (existsSync(join(page, "index.html"))) return page;
  }
  throw new StartError("The page is not built. Run `npm run build` in the checkout.");
}

/** A host that a command started in the background ends with its last client, or when it was not used for so many seconds. */
function unused(host: RunningHostHandle): Promise<void>[] {
  const { SIGNALBOX_STOP_WHEN_UNUSED_S: seconds } = process.env;
  // It is about this process: a host that an agent's command starts has another life.
  delete process.env.SIGNALBOX_STOP_WHEN_UNUSED_S;
  if (seconds === undefined) return [];
  return [seconds === "0" ? host.untilLastClientLeft() : host.untilUnused(Number(seconds) * 1000)];
}

/** Resolves at the first signal, or at the end of stdin where SIGNALBOX_STOP_WITH_STDIN is set. A second signal ends the process immediately. */
function untilStopRequested(): Promise<void> {
  return new Promise((resolve) => {
    let isStopping = false;
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(signal, () => {
        if (isStopping) process.exit(130);
        isStopping = true;
        resolve();
      });
    }
    if (process.env.SIGNALBOX_STOP_WITH_STDIN !== undefined) {
      // It is about this process: a host that an agent's command starts has another stdin.
      delete process.env.SIGNALBOX_STOP_WITH_STDIN;
      process.stdin.on("close", resolve).resume();
      // An open stdin must not keep the process alive after a signal.
      process.stdin.unref();
    }
  });
}
