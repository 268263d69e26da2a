// Reads registry.json of the ACP registry (github.com/agentclientprotocol/registry). It is a stranger's file: what does not fit is left out, and
// nothing in it reaches a command line but names and versions.
import { z } from "zod";

/** Enough for a thousand agents. */
const maxAgents = 2000;

const texts = z.array(z.string().max(1000)).max(50);
const variables = z.record(z.string().regex(/^[A-Za-z_]\w*$/), z.string().max(4000));
const start = { args: texts.optional(), env: variables.optional() };

/** A name of npm's registry, never an address, a folder or a flag. */
const npmPackage = z
  .string()
  .max(300)
  .regex(/^(@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*(@[\w.+-]+)?$/i)
  .regex(/^[^-]/);
const pythonPackage = z
  .string()
  .max(300)
  .regex(/^[A-Za-z0-9][\w.-]*(\[[\w,-]+\])?((==|@)[\w.+!-]+)?$/);
const programName = z
  .string()
  .max(200)
  .regex(/^[A-Za-z0-9_][\w.-]*$/);

const target = z.object({
  archive: z.string().max(2000).refine(isSafeAddress, "expected an https address"),
  sha256: z
    .string()
    .regex(/^[a-f0-9]{64}$/i)
    .optional(),
  cmd: z.string().min(1).max(500),
  ...start,
});

const listedAgent = z.object({
  /** It is the name of a folder. */
  id: z
    .string()
    .max(100)
    .regex(/^[a-z][a-z0-9-]*$/),
  name: z.string().min(1).max(200),
  version: z
    .string()
    .max(100)
    .regex(/^[\w.+-]+$/),
  description: z.string().max(2000).optional(),
  repository: z.string().max(2000).optional(),
  website: z.string().max(2000).optional(),
  license: z.string().max(200).optional(),
  distribution: z.object({
    npx: z
      .object({ package: npmPackage, cmd: programName.optional(), ...start })
      .optional()
      .catch(undefined),
    uvx: z
      .object({ package: pythonPackage, cmd: programName.optional(), ...start })
      .optional()
      .catch(undefined),
    binary: z.record(z.string(), target.optional().catch(undefined)).optional().catch(undefined),
  }),
});

export type ListedAgent = z.infer<typeof listedAgent>;

const registryFile = z.object({ version: z.string().max(100), agents: z.array(z.unknown()).max(maxAgents) });

/** Throws where it is no registry at all. Agents that do not fit are left out. */
export function readRegistry(value: unknown): readonly ListedAgent[] {
  const read = registryFile.safeParse(value);
  if (!read.success) throw new Error("It is not a registry of agents: expected { version, agents: [ … ] }.");
  return read.data.agents.flatMap((agent) => {
    const known = listedAgent.safeParse(agent);
    return known.success ? [known.data] : [];
  });
}

/** Encrypted, or on this machine. */
function isSafeAddress(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === "https:" || (url?.protocol === "http:" && url.hostname === "127.0.0.1");
}
