// Which lines of an agent's private sessions go to its real state.
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { TemporaryFolder } from "../../../../test/support/host-process.ts";
import { agentSandboxes } from "./agent-sandboxes.ts";
import { returnSessions } from "./return-sessions.ts";

const row = agentSandboxes["claude-code"];

class State extends TemporaryFolder {
  constructor() {
    super();
    mkdirSync(this.in("upper/projects/-work"), { recursive: true });
  }

  /** Writes a session as the agent does inside, lets it go back, and gives the session outside. */
  returned(lines: readonly object[] | string, name = "a.jsonl"): string | undefined {
    const text = typeof lines === "string" ? lines : lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    writeFileSync(this.in(`upper/projects/-work/${name}`), text);
    return this.read(name);
  }

  read(name: string): string | undefined {
    const standIn = { type: "folder", folder: this.in("upper") } as const;
    if (row === undefined) throw new Error("no row");
    returnSessions(row, { layers: [{ path: this.in("real"), standIn }] });
    const file = this.in(`real/projects/-work/${name}`);
    return existsSync(file) ? readFileSync(file, "utf8") : undefined;
  }
}

const said = (text: string) => ({ type: "user", message: { role: "user", content: text } });

it("a conversation goes back, without the mode and the files to restore, and grows with the next return", () => {
  using state = new State();
  const restore = { type: "file-history-snapshot", snapshot: { trackedFileBackups: { "/etc/hosts": null } } };
  const mode = { type: "permission-mode", permissionMode: "bypassPermissions" };
  const first = [mode, { ...said("one"), permissionMode: "bypassPermissions" }, restore];
  expect(state.returned(first)).toBe(`${JSON.stringify(said("one"))}\n`);
  expect(state.returned([...first, said("two")])).toBe(
    `${JSON.stringify(said("one"))}\n${JSON.stringify(said("two"))}\n`,
  );
});

it("a session from outside keeps its own lines, and stays as it is where it went on there", () => {
  using state = new State();
  const own = `${JSON.stringify({ type: "file-history-snapshot" })}\n${JSON.stringify(said("outside"))}\n`;
  const inside = `${own}${JSON.stringify(said("inside"))}\n`;
  mkdirSync(state.in("real/projects/-work"), { recursive: true });
  writeFileSync(state.in("real/projects/-work/a.jsonl"), own);
  expect(state.returned(inside)).toBe(inside);
  const more = `${inside}${JSON.stringify(said("outside again"))}\n`;
  writeFileSync(state.in("real/projects/-work/a.jsonl"), more);
  expect(state.returned(`${inside}${JSON.stringify(said("other"))}\n`)).toBe(more);
});

it("nothing else goes back: no text that is not JSON, no other name, no link on either side", () => {
  using state = new State();
  expect(state.returned("#!/bin/sh\n")).toBeUndefined();
  expect(state.returned([said("x")], "settings.json")).toBeUndefined();
  expect(state.returned([said("x")], ".hidden.jsonl")).toBeUndefined();
  writeFileSync(state.in("elsewhere.jsonl"), `${JSON.stringify(said("secret"))}\n`);
  symlinkSync(state.in("elsewhere.jsonl"), state.in("upper/projects/-work/link.jsonl"));
  symlinkSync(state.path, state.in("upper/projects/linked"));
  expect(state.read("link.jsonl")).toBeUndefined();
  expect(existsSync(state.in("real"))).toBe(false);
});
