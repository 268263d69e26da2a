// The composition root: ACP on stdio on one side, the Claude Agent SDK on the other. Ends when stdin ends, with everything it started.
import { Readable, Writable } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { clientElicitations, clientFiles, clientTerminals } from "@signalbox/agent-kit";
import { readTerminalSandbox, wrapClient } from "@signalbox/tool-calls";
import { agentApp } from "./acp/agent-app.ts";
import { ClaudeError } from "./errors/claude-error.ts";
import { type LoadedSdk, loadSdk } from "./sdk/load-sdk.ts";
import { checkLogin } from "./sessions/login.ts";
import { mayBypass } from "./sessions/modes.ts";
import type { SessionServices } from "./sessions/session-services.ts";
import { Sessions } from "./sessions/sessions.ts";

/** Processes that still run after this time are killed. */
const shutdownTimeoutMs = 5000;

interface ClaudeOptions extends Pick<SessionServices, "ownProgram" | "secretNames"> {
  readonly version: string;
}

export async function runClaude({ version, ownProgram, secretNames }: ClaudeOptions): Promise<void> {
  const { env } = process;
  const output = takeStdout();
  let sessions: Sessions | undefined;
  let loaded: Promise<LoadedSdk> | undefined;
  const load = () => (loaded ??= loadTold(env).catch(failed));
  // It may be installed before the client asks again.
  const failed = (error: unknown): never => {
    loaded = undefined;
    throw error;
  };

  const app = agentApp({
    version,
    open: async (context, capabilities) => {
      const { sdk, program } = await load();
      sessions = new Sessions({
        sdk,
        claudeProgram: program,
        ownProgram,
        secretNames,
        env,
        version,
        client: wrapClient(context),
        files: (sessionId) => clientFiles(context, capabilities, sessionId),
        terminals: (sessionId) => clientTerminals(context, capabilities, sessionId),
        sandbox: readTerminalSandbox(capabilities),
        elicitations: clientElicitations(context, capabilities),
        showsNotices: (capabilities.session?.notices ?? null) !== null,
        mayBypass: mayBypass(env),
        log,
      });
      return sessions;
    },
    checkLogin: async () => await checkLogin(await load(), env),
  });
  const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
  const connection = app.connect(ndJsonStream(Writable.toWeb(output), input));
  const told = new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => resolve());
    process.stdout.on("error", () => resolve());
  });
  process.on("exit", () => sessions?.killNow());
  await Promise.race([connection.closed, told]);
  const limit = new Promise((resolve) => setTimeout(resolve, shutdownTimeoutMs).unref());
  await Promise.race([sessions?.closeAll(), limit]);
}

async function loadTold(env: NodeJS.ProcessEnv): Promise<LoadedSdk> {
  try {
    return await loadSdk(env);
  } catch (error) {
    if (error instanceof ClaudeError) log(error.message);
    throw error;
  }
}

/** stdout carries ACP and nothing else: what others print goes to stderr. */
function takeStdout(): Writable {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  return new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      write(chunk, done);
    },
  });
}

function log(line: string): void {
  process.stderr.write(`${line}\n`);
}
