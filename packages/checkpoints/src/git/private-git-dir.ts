// Makes git folders of ours that stand for a repository of the user's: they lead to its objects, refs and index, and have none of its settings.
// A look through one runs nothing that the repository names, whatever an agent writes into its settings meanwhile.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { messageOf } from "@signalbox/protocol";
import { readPlainFile, readPlainText } from "@signalbox/sandbox";
import { GitError } from "../changes/git-process.ts";
import type { Repository } from "../changes/repository.ts";

interface PrivateGitDir {
  readonly gitDir: string;
  readonly index: string;
  /** The name of the branch; null where there is none. */
  readonly branch: string | null;
}

const maxHeadBytes = 4096;
/** The parts of the folder that all work trees share which git needs to read a repository. */
const sharedParts = ["objects", "refs", "packed-refs", "shallow"];
/** Ignore rules and attributes, which name no programs. Any command can put a pipe or a link to an endless device there: they are copied. */
const sharedInfo = ["exclude", "attributes", "sparse-checkout"];
const maxInfoBytes = 8 * 1024 * 1024;

export class PrivateGitDirs {
  readonly #folder: string;

  /** In the data folder, which no command of an agent can change. What a killed host left there is removed. */
  constructor(dataFolder: string) {
    this.#folder = join(dataFolder, "git-looks");
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Throws a GitError where the repository cannot be read. */
  async use<Result>(
    { gitDir, commonDir, format }: NonNullable<Repository["user"]>,
    readFrom: (place: PrivateGitDir) => Promise<Result>,
  ): Promise<Result> {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const own = mkdtempSync(join(this.#folder, "look-"));
    try {
      const head = readHead(gitDir);
      writeFileSync(join(own, "HEAD"), head);
      writeFileSync(join(own, "config"), makeConfig(format));
      for (const part of sharedParts)
        if (existsSync(join(commonDir, part))) symlinkSync(join(commonDir, part), join(own, part));
      mkdirSync(join(own, "info"));
      for (const name of sharedInfo) {
        const file = join(name === "sparse-checkout" ? gitDir : commonDir, "info", name);
        if (!existsSync(file)) continue;
        const { bytes, isWhole } = readPlainFile(file, maxInfoBytes);
        if (!isWhole) throw new GitError(`${file} has more than ${maxInfoBytes} bytes`);
        writeFileSync(join(own, "info", name), bytes);
      }
      // An index may be split into parts that lie beside it.
      for (const name of readdirSync(gitDir)) {
        if (name.startsWith("sharedindex.")) symlinkSync(join(gitDir, name), join(own, name));
      }
      const [, branch = null] = /^ref: refs\/heads\/(.+)$/m.exec(head) ?? [];
      return await readFrom({ gitDir: own, index: join(gitDir, "index"), branch });
    } catch (error) {
      throw error instanceof GitError ? error : new GitError(`the repository cannot be read: ${messageOf(error)}`);
    } finally {
      rmSync(own, { recursive: true, force: true });
    }
  }
}

function readHead(gitDir: string): string {
  const file = join(gitDir, "HEAD");
  // As very old versions of git wrote it.
  if (lstatSync(file).isSymbolicLink()) return `ref: ${readlinkSync(file)}\n`;
  return readPlainText(file, maxHeadBytes);
}

function makeConfig(format: string): string {
  return format === "sha256"
    ? "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n"
    : "[core]\n\trepositoryformatversion = 0\n";
}
