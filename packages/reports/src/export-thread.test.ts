import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Fact } from "@signalbox/protocol";
import { openRegister, type Register } from "@signalbox/tinyvex";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type ExportFormat, exportThread } from "./export-thread.ts";

/** More than a row has of it. */
const longOutput = `first line\n${"more\n".repeat(40_000)}last line\n`;

let folder: string;
let register: Register;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-export-"));
  register = await openRegister({ path: join(folder, "signalbox.db") });
});

afterEach(async () => {
  await register.close();
  rmSync(folder, { recursive: true });
});

async function exported(format: ExportFormat, ending: "ended" | "running", damage?: string): Promise<string> {
  const thread = await register.createThread({ agent_id: "demo", cwd: "/w", title: null });
  const record = (fact: Fact) => register.append(thread.id, { type: "fact", fact });
  record({ type: "terminal_created", terminal_id: "x", command: "make", cwd: "/w" });
  record({ type: "terminal_output", terminal_id: "x", text: longOutput });
  // The agent asked for little of it, which says nothing about what the register has.
  if (ending === "ended")
    record({ type: "terminal_ended", terminal_id: "x", exit_code: 2, signal: null, truncated: true });
  await register.settled(thread.id);
  if (damage !== undefined) {
    using database = new DatabaseSync(join(folder, "signalbox.db"), { enableForeignKeyConstraints: false });
    database.exec(damage);
  }
  let text = "";
  for await (const piece of exportThread(register, thread, format)) text += piece;
  return text;
}

it.each(["md", "html"] as const)("%s has the whole output of a command that ended", async (format) => {
  const text = await exported(format, "ended");
  expect(text).toContain("$ make\nfirst line\nmore\n");
  expect(text).toContain("last line\n[exit 2]");
  expect(text).not.toContain("only the end");
});

it.each(["md", "html"] as const)("%s says that of a running command it has only the end", async (format) => {
  const text = await exported(format, "running");
  expect(text).toContain("$ make\n[only the end of the output is here]\n");
  expect(text).toContain("last line\n[running]");
});

it.each([
  ["md", "DELETE FROM blob_chunks"],
  ["html", "DELETE FROM blob_chunks"],
  ["json", "DELETE FROM blob_chunks"],
  ["md", "DELETE FROM blob_chunks WHERE offset > 0"],
] as const)("%s says how much is missing after %s", async (format, damage) => {
  expect(await exported(format, "ended", damage)).toMatch(
    /\[\d+ of \d+ bytes of this text is missing in the register\.\]/,
  );
});

it("says that all is missing where the register does not know the text any more", async () => {
  const text = await exported("md", "ended", "DELETE FROM blob_chunks; DELETE FROM blobs");
  expect(text).toContain("[All of this text is missing in the register.]");
});

it("json has the whole output, from its beginning on", async () => {
  const { terminals } = JSON.parse(await exported("json", "ended"));
  expect(terminals).toMatchObject([{ output: longOutput, output_offset: 0 }]);
});
