// Runs git in a repository of the user's for what a person asked for, with the user's own settings, and without any program that only the
// repository names: no hooks, no filters, no monitor, no transport.
import { git } from "../changes/git-process.ts";

type GitOptions = Pick<Parameters<typeof git>[1], "codes" | "input" | "timeoutMs" | "isLiteral">;

/** One repository, as it is configured now. Nothing in it is run. */
export class RepositoryGit {
  readonly #folder: string;
  readonly #programs: readonly (readonly [string, string])[];

  private constructor(folder: string, programs: readonly (readonly [string, string])[]) {
    this.#folder = folder;
    this.#programs = programs;
  }

  static async open(folder: string): Promise<RepositoryGit> {
    const args = ["config", "--list", "--null", "--show-scope"];
    const output = await git(args, { cwd: folder, withUserConfig: true });
    return new RepositoryGit(folder, withoutPrograms(output.toString("latin1")));
  }

  /** Throws a GitError with what git printed. */
  run(args: readonly string[], options: GitOptions = {}): Promise<Buffer> {
    return git(args, {
      ...options,
      cwd: this.#folder,
      withUserConfig: true,
      without: ["core.autocrlf", "core.safecrlf", "core.sparseCheckout", "core.looseCompression"],
      config: { "submodule.recurse": "false", "log.showSignature": "false" },
      exactConfig: this.#programs,
    });
  }

  async text(args: readonly string[], options: GitOptions = {}): Promise<string> {
    return (await this.run(args, options)).toString("utf8").trimEnd();
  }
}

/**
 * Settings that take back every filter and merge driver that the repository's own config names, where the user's own config has no such one:
 * then files are as they are stored, and a merge that needs the driver is a conflict. The output is that of `git config --list --null --show-scope`.
 */
export function withoutPrograms(output: string): readonly (readonly [string, string])[] {
  const own = new Map<string, string>();
  const foreign = new Set<string>();
  const parts = output.split("\0");
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const [scope, entry = ""] = parts.slice(index, index + 2);
    const end = entry.indexOf("\n");
    const name = end < 0 ? entry : entry.slice(0, end);
    if (!/^(filter\.|merge\..*\.driver$)/is.test(name)) continue;
    if (scope === "system" || scope === "global") own.set(name, end < 0 ? "true" : entry.slice(end + 1));
    else foreign.add(name);
  }
  return [...foreign].map(
    (name) => [name, own.get(name) ?? (/\.(required|driver)$/.test(name) ? "false" : "")] as const,
  );
}
