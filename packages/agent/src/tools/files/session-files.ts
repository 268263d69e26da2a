// Reads and writes the files of a session: on disk by the sandbox's checked functions, and through the client in the session's folders.
import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { type FileHandle, lstat, mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { type ClientFiles, describeBytes, identifyBytes, ToolFailure } from "@signalbox/agent-kit";
import {
  canRead,
  canWrite,
  listFolderChecked,
  openWithPath,
  type Policy,
  readSmallFile,
  SandboxError,
  writeFileAtomic,
} from "@signalbox/sandbox";
import { messageOf } from "@signalbox/tool-calls";
import {
  type DirectoryEntry,
  type FileFacts,
  type Files,
  maxTextBytes,
  type SeenLines,
  type TextFile,
} from "./files.ts";
import { decodeText, encodeText, isPlainText, plainText, type TextFormat } from "./text-format.ts";

const pieceSize = 256 * 1024;

interface SessionFilesOptions {
  readonly cwd: string;
  readonly roots: readonly string[];
  readonly policy: () => Policy;
  readonly client: ClientFiles;
  /** Why what was opened, or will be written, is not what rules and the person decided about; null when it is. */
  readonly refusal: OpenRefusal;
}

/** How much of one version of a file the model has seen: its lines from the first to the `last`. Lines after a gap do not count. */
interface SeenFile {
  readonly version: string;
  readonly last: number;
  readonly isWhole: boolean;
}

const allLines: SeenLines = { first: 1, last: 0, reachesEnd: true };

function addLines({ version, last, isWhole }: SeenFile, lines: SeenLines): SeenFile {
  if (lines.first > last + 1) return { version, last, isWhole };
  return { version, last: Math.max(last, lines.last), isWhole: isWhole || lines.reachesEnd };
}

/** Gets the real path of a file. Between the decision and the use a link may lead elsewhere. */
export type OpenRefusal = (realPath: string, kind: "read" | "edit") => string | null;

export class SessionFiles implements Files {
  readonly #cwd: string;
  readonly #roots: readonly string[];
  readonly #policy: () => Policy;
  readonly #client: ClientFiles;
  readonly #refusal: OpenRefusal;
  readonly #seen = new Map<string, SeenFile>();

  constructor({ cwd, roots, policy, client, refusal }: SessionFilesOptions) {
    this.#cwd = cwd;
    this.#roots = roots;
    this.#policy = policy;
    this.#client = client;
    this.#refusal = refusal;
  }

  absolute(path: string): string {
    if (path.startsWith("file://")) {
      try {
        return fileURLToPath(path);
      } catch {
        throw new ToolFailure(`${path} is not the URL of a file on this machine.`);
      }
    }
    return path === "~" || path.startsWith("~/") ? join(homedir(), path.slice(1)) : resolve(this.#cwd, path);
  }

  async facts(path: string): Promise<FileFacts | null> {
    const real = this.#readable(path);
    return await explained(path, async () => {
      const found = statSync(real, { throwIfNoEntry: false });
      if (found === undefined) return null;
      return { type: found.isFile() ? "file" : found.isDirectory() ? "directory" : "other", size: found.size };
    });
  }

  async bytes(path: string, limit: number): Promise<Uint8Array> {
    return await explained(path, async () => {
      const small = readSmallFile(this.#policy(), this.absolute(path), (real) => this.#confirm(real, "read"));
      if (small !== null) return small.subarray(0, limit);
      await using file = await this.#open(path);
      const parts: Uint8Array[] = [];
      // Up to the end and not up to the size: a file may grow, and those in /proc have no size at all.
      for (let length = 0; length < limit; ) {
        const part = Buffer.allocUnsafe(Math.min(limit - length, pieceSize));
        const { bytesRead } = await file.read(part, 0, part.length, length);
        if (bytesRead === 0) break;
        parts.push(part.subarray(0, bytesRead));
        length += bytesRead;
      }
      return parts.length === 1 ? (parts[0] ?? Buffer.alloc(0)) : Buffer.concat(parts);
    });
  }

  async *stream(path: string, signal: AbortSignal): AsyncIterable<Uint8Array> {
    await using file = await explained(path, () => this.#open(path));
    yield* file.createReadStream({ signal, autoClose: false }) as AsyncIterable<Uint8Array>;
  }

  async text(path: string, signal: AbortSignal, known?: Uint8Array): Promise<TextFile> {
    const absolute = this.absolute(path);
    if (known === undefined) this.#readable(path);
    const { readTextFile } = this.#client;
    return readTextFile !== undefined && this.#isInWorkspace(absolute) && (await this.#isPlain(path, known))
      ? await this.#clientText(absolute, readTextFile, signal)
      : await this.#diskText(path, known);
  }

  async unsaved(path: string, signal: AbortSignal): Promise<TextFile | null> {
    const { readTextFile } = this.#client;
    const absolute = this.absolute(path);
    this.#readable(path);
    if (readTextFile === undefined || !this.#isInWorkspace(absolute)) return null;
    const file = await this.#clientText(absolute, readTextFile, signal).catch(() => null);
    // Some clients answer with an empty text for what they do not have.
    return file?.text === "" ? null : file;
  }

  writablePath(path: string): string {
    const decision = canWrite(this.#policy(), this.absolute(path));
    if (!decision.allowed) throw new ToolFailure(sentence(decision.message));
    return decision.path;
  }

  async write(path: string, text: string, before: TextFile | null, signal: AbortSignal): Promise<TextFile> {
    const absolute = this.absolute(path);
    const real = this.writablePath(path);
    await this.#assertUnchanged(path, before, signal);
    const format = before ?? plainText;
    const { writeTextFile } = this.#client;
    if (writeTextFile !== undefined && this.#isInWorkspace(absolute) && isPlainText(text, format)) {
      await explained(path, () => mkdir(dirname(real), { recursive: true }));
      await throughClient(absolute, () =>
        writeTextFile(absolute, (format.byteOrderMark ? "\uFEFF" : "") + text, signal),
      );
    } else {
      const confirm = async (opened: string) => this.#confirm(opened, "edit");
      await explained(path, () => writeFileAtomic(this.#policy(), absolute, encodeText(text, format), confirm));
    }
    return textFile(absolute, text, format);
  }

  async removablePath(path: string, before: TextFile | null, signal: AbortSignal): Promise<string> {
    const real = this.writablePath(path);
    await this.#assertUnchanged(path, before, signal);
    await explained(path, async () => this.#confirm(real, "edit"));
    return real;
  }

  async list(path: string): Promise<readonly DirectoryEntry[]> {
    const real = this.#readable(path);
    return await explained(path, async () => {
      const entries = await listFolderChecked(this.#policy(), this.absolute(path), (opened) =>
        this.#confirm(opened, "read"),
      );
      return await Promise.all(
        entries.map(async ({ name, kind }): Promise<DirectoryEntry> => {
          if (kind !== "file") return { name, type: kind === "folder" ? "directory" : kind, size: null };
          return { name, type: "file", size: (await lstat(join(real, name)).catch(nothingThere))?.size ?? null };
        }),
      );
    });
  }

  remember({ path, version }: TextFile, lines: SeenLines = allLines): void {
    const known = this.#seen.get(path);
    this.#seen.set(
      path,
      known?.version === version ? addLines(known, lines) : addLines({ version, last: 0, isWhole: false }, lines),
    );
  }

  seen(file: TextFile): "never" | "in part" | "as it is" | "before it changed" {
    const known = this.#seen.get(file.path);
    if (known === undefined) return "never";
    if (known.version !== file.version) return "before it changed";
    return known.isWhole ? "as it is" : "in part";
  }

  async #diskText(path: string, known?: Uint8Array): Promise<TextFile> {
    const bytes = known ?? (await this.bytes(path, maxTextBytes + 1));
    if (bytes.length > maxTextBytes) {
      throw new ToolFailure(
        `${path} is bigger than ${maxTextBytes / 1_000_000} MB. Read ranges of lines of it; change it with a command.`,
      );
    }
    const decoded = decodeText(bytes);
    if (decoded === undefined) {
      throw new ToolFailure(`${path} is ${describeBytes(identifyBytes(bytes))}, and cannot be changed as text.`);
    }
    return textFile(this.absolute(path), decoded.text, decoded);
  }

  /** A client has only text: of other bytes it would give, and take back, something else. */
  async #isPlain(path: string, known?: Uint8Array): Promise<boolean> {
    const bytes = known ?? (await this.bytes(path, maxTextBytes + 1));
    return bytes.length <= maxTextBytes && isUtf8(bytes) && !bytes.includes(0);
  }

  async #clientText(
    path: string,
    read: NonNullable<ClientFiles["readTextFile"]>,
    signal: AbortSignal,
  ): Promise<TextFile> {
    const text = await throughClient(path, () => read(path, {}, signal));
    const byteOrderMark = text.startsWith("\uFEFF");
    return textFile(path, byteOrderMark ? text.slice(1) : text, { encoding: "utf-8", byteOrderMark });
  }

  /** Looked at again at the last moment: the person may have taken minutes to allow the write. */
  async #assertUnchanged(path: string, before: TextFile | null, signal: AbortSignal): Promise<void> {
    const now = (await this.facts(path)) === null ? await this.unsaved(path, signal) : await this.text(path, signal);
    if (now?.version === before?.version) return;
    throw new ToolFailure(
      before === null
        ? `${path} was created by somebody else meanwhile. Read it before you write it.`
        : `${path} was changed by somebody else just now. Read it again before you change it.`,
    );
  }

  /** The real path, if it may be read. */
  #readable(path: string): string {
    const decision = canRead(this.#policy(), this.absolute(path));
    if (!decision.allowed) throw new ToolFailure(sentence(decision.message));
    return decision.path;
  }

  /** A file that was opened and may be read. The caller closes it. */
  async #open(path: string): Promise<FileHandle> {
    const { handle, path: real } = await openWithPath(this.#policy(), this.absolute(path));
    try {
      this.#confirm(real, "read");
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  #confirm(real: string, kind: "read" | "edit"): void {
    const refusal = this.#refusal(real, kind);
    if (refusal !== null) throw new ToolFailure(refusal);
  }

  #isInWorkspace(absolute: string): boolean {
    return this.#roots.some((root) => absolute === root || absolute.startsWith(root.endsWith(sep) ? root : root + sep));
  }
}

/** The version is that of the text, whichever way it came: a client may serve reading alone, or writing alone. */
function textFile(path: string, text: string, { encoding, byteOrderMark }: TextFormat): TextFile {
  const version = createHash("sha256").update(text, "utf16le").digest("base64");
  return { path, text, encoding, byteOrderMark, version };
}

async function throughClient<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new ToolFailure(`The editor refused ${path}: ${messageOf(error)}`);
  }
}

function nothingThere(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
  throw error;
}

/** Errors of the system and of the sandbox in words that the model can do something with. */
async function explained<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SandboxError) throw new ToolFailure(sentence(error.message));
    const words = errorTexts[(error as NodeJS.ErrnoException).code ?? ""];
    if (words === undefined) throw error;
    throw new ToolFailure(`${path} ${words}.`);
  }
}

const errorTexts: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  ENOTDIR: "cannot be there: a part of its path is a file, not a folder",
  EISDIR: "is a folder, not a file",
  EACCES: "may not be touched by the user that runs the agent",
  EPERM: "may not be touched by the user that runs the agent",
  ELOOP: "is a link that leads back to itself",
  ENAMETOOLONG: "is too long for a path",
  ENOSPC: "could not be written: the disk is full",
  EDQUOT: "could not be written: the disk quota is used up",
  EROFS: "lies on a read-only file system",
  EMFILE: "could not be opened: too many files are open",
  ENXIO: "is a device or a pipe, not a file",
};

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;
}
