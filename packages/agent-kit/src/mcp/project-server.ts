// Runs an MCP server that a project names inside the sandbox, for an agent that starts its servers itself. The agent starts this program
// instead, which passes the streams on.
import { type AccessMode, cacheVariables, createPolicy } from "@signalbox/sandbox";
import { type SandboxProgram, startSandboxProgram } from "../commands/sandbox-program.ts";
import { machineEnforcement } from "../machine-enforcement.ts";

interface ProjectServer extends SandboxProgram {
  /** The session's folders. */
  readonly folders: readonly string[];
  /** Signalbox's own, which stays hidden. */
  readonly dataFolder: string;
  readonly mode: AccessMode;
  readonly network: boolean;
  /** Variables that hold keys and do not look like it. */
  readonly secretNames: readonly string[];
}

/** Not on the command line, which others can read: the variables of a server may hold keys. */
const variable = "SIGNALBOX_PROJECT_SERVER";

/** Describes the server to the program that runs it. */
export function describeProjectServer(server: ProjectServer): Readonly<Record<string, string>> {
  return { [variable]: JSON.stringify(server) };
}

/** Runs the server that this process was started for. Returns its exit code, which is 1 where it could not be started. */
export async function runProjectServer(): Promise<number> {
  const server = JSON.parse(process.env[variable] ?? "null") as ProjectServer | null;
  if (server === null) throw new Error("This is started by Signalbox itself, with a server to run.");
  // The server's environment is made from ours.
  delete process.env[variable];
  const { dataFolder, folders, mode, secretNames, network } = server;
  // Never off: without a sandbox a project's server does not run.
  const enforcement = await machineEnforcement(false);
  const policy = createPolicy({ mode, network: network ? "on" : "off", workspaceFolders: folders, dataFolder });
  const rights = { enforcement, policy };
  const program = startSandboxProgram(server, { ...rights, env: cacheVariables(dataFolder)(rights), secretNames });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => program.terminate());
  process.stdin.pipe(program.stdin);
  program.stdout.pipe(process.stdout);
  const ending = await program.ended;
  const errors = program.errors();
  process.stderr.write(`${errors === "" ? "" : `${errors}\n`}${server.command}: ${ending}\n`);
  return ending === "exit code 0" ? 0 : 1;
}
