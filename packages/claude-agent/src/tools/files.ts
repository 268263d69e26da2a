// Reads and writes files for our tools: through the client where it can serve them, else on the disk, as Claude Code would. Plans that Claude
// writes in plan mode always go to the disk, because no client lets it write there.
import { isUtf8 } from "node:buffer";
import { constants, existsSync } from "node:fs";
import { mkdir, open, readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, extname, join, resolve } from "node:path";
import { type ClientFiles, type LineRange, linesInRange, ToolFailure } from "@signalbox/agent-kit";
import { messageOf } from "@signalbox/tool-calls";

const notFound = -32_002;
const { O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_TRUNC, O_WRONLY } = constants;

export class ToolFiles {
  readonly #client: ClientFiles;
  readonly #cwd: string;
  readonly #plans: string;

  constructor(client: ClientFiles, cwd: string, env: NodeJS.ProcessEnv) {
    this.#client = client;
    this.#cwd = cwd;
    this.#plans = plansFolder(env);
  }

  absolute(path: string): string {
    return resolve(this.#cwd, path);
  }

  /** Null when there is no such file. */
  async read(path: string, lines: LineRange, signal: AbortSignal): Promise<string | null> {
    const read = this.#client.readTextFile;
    if (read === undefined || isPlan(path, this.#plans)) return await readFromDisk(path, lines);
    try {
      return await read(path, lines, signal);
    } catch (error) {
      // Not every client says "not found" by its code.
      if (readErrorCode(error) === notFound || !existsSync(path)) return null;
      throw new ToolFailure(`${path} cannot be read: ${messageOf(error)}`);
    }
  }

  /** The bytes of an image or a PDF: through the client where it gives them, else from the disk. Null when there is no such file. */
  async readBytes(path: string, limit: number, signal: AbortSignal): Promise<Uint8Array | null> {
    try {
      if (this.#client.readBytes !== undefined) return await this.#client.readBytes(path, signal);
      await using file = await open(path, O_RDONLY | O_NONBLOCK);
      const found = await file.stat();
      if (!found.isFile()) throw new ToolFailure("it is not a file");
      if (found.size > limit) throw new ToolFailure(`it has ${found.size} bytes, more than the ${limit} that are read`);
      return await file.readFile({ signal });
    } catch (error) {
      if (readErrorCode(error) === notFound || readErrorCode(error) === "ENOENT") return null;
      throw new ToolFailure(`${path} cannot be read: ${messageOf(error)}`);
    }
  }

  /** Whether the file has only what a client can give as text; false also when no one knows. */
  async isUtf8(path: string): Promise<boolean> {
    return await readFile(path).then(isUtf8, () => false);
  }

  async write(path: string, content: string, signal: AbortSignal): Promise<void> {
    const write = this.#client.writeTextFile;
    try {
      if (write !== undefined && !isPlan(path, this.#plans)) return await write(path, content, signal);
      await mkdir(dirname(path), { recursive: true });
      // Not through a link: where that leads is not Claude's own.
      await writeFile(path, content, { flag: O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW });
    } catch (error) {
      throw new ToolFailure(`${path} was not written: ${messageOf(error)}`);
    }
  }
}

/** Where Claude Code keeps the plans that it writes in plan mode. */
export function plansFolder(env: NodeJS.ProcessEnv): string {
  return join(env.CLAUDE_CONFIG_DIR ?? join(env.HOME ?? homedir(), ".claude"), "plans");
}

export function isPlan(path: string, plans: string): boolean {
  return dirname(resolve(path)) === plans && extname(path) === ".md";
}

async function readFromDisk(path: string, range: LineRange): Promise<string | null> {
  try {
    return linesInRange(await readFile(path, "utf8"), range);
  } catch (error) {
    if (readErrorCode(error) === "ENOENT") return null;
    throw new ToolFailure(`${path} cannot be read: ${messageOf(error)}`);
  }
}

function readErrorCode(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
