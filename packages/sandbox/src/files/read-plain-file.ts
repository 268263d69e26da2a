// Reads a file of a project for Signalbox itself: only a regular file, up to a size. Any command can put a named pipe in its place, which
// would block a reader forever.
import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { openFileSync } from "./open-file.ts";
import { SandboxError } from "./sandbox-error.ts";

interface PlainFile {
  readonly bytes: Buffer;
  /** False when the file has more. */
  readonly isWhole: boolean;
}

/** Throws what the system throws, and a SandboxError for what is no regular file. No policy is asked: the path is ours. */
export function readPlainFile(path: string, maxBytes: number): PlainFile {
  const descriptor = openFileSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const facts = fstatSync(descriptor);
    if (!facts.isFile()) throw new SandboxError("not_a_file", path, `${path} is not a regular file`);
    const bytes = Buffer.alloc(Math.min(facts.size, maxBytes));
    let length = 0;
    for (let got = -1; got !== 0 && length < bytes.length; length += got) {
      got = readSync(descriptor, bytes, length, bytes.length - length, length);
    }
    return { bytes: bytes.subarray(0, length), isWhole: facts.size <= maxBytes };
  } finally {
    closeSync(descriptor);
  }
}

/** All of it as text; throws also when the file has more. */
export function readPlainText(path: string, maxBytes: number): string {
  const { bytes, isWhole } = readPlainFile(path, maxBytes);
  if (!isWhole) throw new SandboxError("too_big", path, `${path} has more than ${maxBytes} bytes`);
  return bytes.toString("utf8");
}

const copiedAtOnce = 1024 * 1024;

/** Copies a regular file to a path where there is none, with its permission bits. */
export function copyPlainFile(from: string, to: string): void {
  const source = openFileSync(from, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const facts = fstatSync(source);
    if (!facts.isFile()) throw new SandboxError("not_a_file", from, `${from} is not a regular file`);
    const target = openSync(to, "wx", facts.mode & 0o777);
    try {
      const bytes = Buffer.allocUnsafe(copiedAtOnce);
      for (let got = readSync(source, bytes); got !== 0; got = readSync(source, bytes))
        writeSync(target, bytes, 0, got);
    } finally {
      closeSync(target);
    }
  } finally {
    closeSync(source);
  }
}
