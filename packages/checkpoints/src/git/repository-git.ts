// Runs git in a repository of the user's for what a person asked for, with the user's own settings, and without any program that only the
// repository names: no hooks, no filters, no monitor, no transport.
import { resolve } from "node:path";
import { git } from "../changes/git-process.ts";
import { overridePrograms, readConfig, refuseEndless, type Setting } from "./repository-config.ts";

type GitOptions = Pick<Parameters<typeof git>[1], "codes" | "input" | "timeoutMs" | "isLiteral">;

/** One repository, as it is configured now. Nothing in it is run. */
export class RepositoryGit {
  readonly #folder: string;
  readonly #programs: readonly Setting[];

  private constructor(folder: string, programs: readonly Setting[]) {
    this.#folder = folder;
    this.#programs = programs;
  }

  /** Throws a GitError also where the repository's own rules about files are a pipe or a device. */
  static async open(folder: string): Promise<RepositoryGit> {
    const rules = ["attributes", "exclude", "sparse-checkout"].flatMap((name) => ["--git-path", `info/${name}`]);
    const paths = await git(["rev-parse", ...rules], { cwd: folder });
    for (const path of paths.toString("utf8").trimEnd().split("\n")) refuseEndless(resolve(folder, path));
    return new RepositoryGit(folder, overridePrograms(await readConfig(folder)));
  }

  /** Throws a GitError with what git printed. */
  run(args: readonly string[], options: GitOptions = {}): Promise<Buffer> {
    return git(args, {
      ...options,
      cwd: this.#folder,
      settings: {
        withUserConfig: true,
        without: ["core.autocrlf", "core.safecrlf", "core.sparseCheckout", "core.looseCompression"],
        added: { "submodule.recurse": "false", "log.showSignature": "false" },
        exact: this.#programs,
      },
    });
  }

  async readText(args: readonly string[], options: GitOptions = {}): Promise<string> {
    return (await this.run(args, options)).toString("utf8").trimEnd();
  }
}
