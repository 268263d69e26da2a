// Runs an MCP server that a project names inside the sandbox, for an agent that starts its servers itself. The agent starts this program
// instead, which passes the streams on.
import { homedir } from "node:os";
import { listPathClosures, parseRule, type Rule, type WrittenRule } from "@signalbox/rules";
import { type AccessMode, cacheVariables, createPolicy, findClosedPaths, withClosedPaths } from "@signalbox/sandbox";
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

interface RuleSource {
  readonly agentId: string;
  /** The person's rules for the folder. */
  readonly readRules: (dataFolder: string, cwd: string) => readonly (WrittenRule & Pick<Rule, "scope">)[];
}

/** Runs the server that this process was started for. Returns its exit code, which is 1 where it could not be started. */
export async function runProjectServer(source: RuleSource): Promise<number> {
  const server = JSON.parse(process.env[variable] ?? "null") as ProjectServer | null;
  if (server === null) throw new Error("This is started by Signalbox itself, with a server to run.");
  // The server's environment is made from ours.
  delete process.env[variable];
  const { dataFolder, folders, mode, secretNames, network } = server;
  // Never off: without a sandbox a project's server does not run.
  const enforcement = await machineEnforcement(false);
  const { paths, isComplete } = await findPathsOfRules(server, source);
  if (!isComplete) {
    // A command would be asked about; nobody can be asked about a server.
    process.stderr.write(
      `${server.command}: not started, because its folders have too many files to close those that rules deny.\n`,
    );
    return 1;
  }
  const open = createPolicy({ mode, network: network ? "on" : "off", workspaceFolders: folders, dataFolder });
  const policy = withClosedPaths(open, paths);
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

/** The paths that rules close to every command: a server names none of them, so rules that ask close too. */
function findPathsOfRules({ folders, dataFolder, cwd }: ProjectServer, { agentId, readRules }: RuleSource) {
  const rules = readRules(dataFolder, cwd).map((rule) => ({ ...rule, terms: parseRule(rule.match) ?? [] }));
  return findClosedPaths(folders, listPathClosures(rules, { agentId, threadId: "", cwd, home: homedir() }), []);
}
