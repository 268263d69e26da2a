// Closes to a command of the host what rules deny or ask about, and what a person refused to change in this turn. A command can open a path without naming
// it, so the sandbox keeps it closed.
import type { Subject } from "@signalbox/rules";
import { type ClosedPath, findClosedPaths, type SandboxRights, withClosedPaths } from "@signalbox/sandbox";
import type { ThreadContext } from "./thread-context.ts";

type Thread = Pick<ThreadContext, "permissions" | "sandbox">;

/** Whether everything that is closed to this command can be closed: in a folder with too many files it is not known. */
export async function canClosePaths(thread: Thread, subject: Subject): Promise<boolean> {
  return (await searchPaths(thread, subject)).isComplete;
}

/** The rights of a command without what is closed to it. Outside the sandbox nothing can be closed, which is asked about. */
export async function closePaths(thread: Thread, subject: Subject, rights: SandboxRights): Promise<SandboxRights> {
  if (rights.enforcement.kind === "off") return rights;
  const { paths } = await searchPaths(thread, subject);
  return { ...rights, policy: withClosedPaths(rights.policy, paths) };
}

function searchPaths({ permissions, sandbox }: Thread, subject: Subject) {
  const folders = sandbox.policy.rules.filter(({ name }) => name === "workspace").map(({ path }) => path);
  const refused = permissions.refusals.paths.map((path): ClosedPath => ({ path, access: "read", name: "refused" }));
  return findClosedPaths(folders, permissions.broker.listClosures(subject), refused);
}
