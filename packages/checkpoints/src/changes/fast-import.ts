// Writes the input of `git fast-import` for one commit without parents: a tree that is there already, and what is different from it.
import { type BytePath, toBytes } from "./paths.ts";

/** An entry as git stores it, without permission bits other than "executable". */
export type ImportedEntry =
  | { readonly type: "file"; readonly bytes: Uint8Array; readonly isExecutable: boolean }
  | { readonly type: "link"; readonly target: Uint8Array }
  /** An object that the store has. */
  | { readonly type: "object"; readonly mode: "100644" | "100755" | "120000"; readonly sha: string }
  | { readonly type: "tree"; readonly sha: string }
  /** Stands for content that is not kept: it differs when the marker does. */
  | { readonly type: "not_kept"; readonly marker: string };

interface NewCommit {
  readonly ref: string;
  readonly message: string;
  readonly tree: string;
  readonly removed: Iterable<BytePath>;
  readonly entries: Iterable<readonly [BytePath, ImportedEntry]>;
}

/** Git answers with two lines: the id of the commit, and `040000 tree ID`. */
export function makeImport({ ref, message, tree, removed, entries }: NewCommit): readonly Uint8Array[] {
  const text = Buffer.from(message);
  const pieces: Uint8Array[] = [
    Buffer.from(
      `commit ${ref}\nmark :1\ncommitter Signalbox <signalbox@localhost> ${Math.floor(Date.now() / 1000)} +0000\ndata ${text.length}\n`,
    ),
    text,
    Buffer.from(`\nM 040000 ${tree} ""\n`),
  ];
  for (const path of removed) pieces.push(Buffer.from(`D ${quotePath(path)}\n`));
  for (const [path, entry] of entries) pieces.push(...makeLines(path, entry));
  pieces.push(Buffer.from('\nget-mark :1\nls :1 ""\ndone\n'));
  return pieces;
}

function makeLines(path: BytePath, entry: ImportedEntry): readonly Uint8Array[] {
  const name = quotePath(path);
  switch (entry.type) {
    case "file":
      return writeInline(entry.isExecutable ? "100755" : "100644", name, entry.bytes);
    case "link":
      return writeInline("120000", name, entry.target);
    case "object":
      return [Buffer.from(`M ${entry.mode} ${entry.sha} ${name}\n`)];
    case "tree":
      return [Buffer.from(`M 040000 ${entry.sha} ${name}\n`)];
    case "not_kept":
      return [Buffer.from(`M 160000 ${entry.marker} ${name}\n`)];
  }
}

function writeInline(mode: string, name: string, bytes: Uint8Array): readonly Uint8Array[] {
  return [Buffer.from(`M ${mode} inline ${name}\ndata ${bytes.length}\n`), bytes, Buffer.from("\n")];
}

function quotePath(path: BytePath): string {
  const escaped = [...toBytes(path)].map((byte) =>
    byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c
      ? String.fromCharCode(byte)
      : `\\${byte.toString(8).padStart(3, "0")}`,
  );
  return `"${escaped.join("")}"`;
}
