// Tests that a refusal holds: the same effect by other means does not happen without a new question.
import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { askPermission, type Step } from "../support/fake-agent/script.ts";
import { question, submit, turnEnd, viewOf } from "../support/fake-host.ts";
import type { TestScreen } from "../support/screen.ts";
import { sharedHost } from "../support/shared-host.ts";

const withRules = (...permissions: readonly object[]) => ({ config: { permissions } });

async function answer(screen: TestScreen, threadId: string, kind: string): Promise<void> {
  const { options, permission_id } = await question(screen, threadId);
  const option_id = options.find((option) => option.kind === kind)?.optionId ?? "";
  await screen.request({ control: "permission.respond", thread_id: threadId, permission_id, option_id });
}

const runs = (command: string): Step => ({ ask: "terminal/create", params: { command } });
/** The output of this command, when it has ended. */
async function output(screen: TestScreen, threadId: string, command: string): Promise<string> {
  const find = () => viewOf(screen.received, threadId).terminals.find((terminal) => terminal.command === command);
  await expect.poll(() => find()?.ended_at ?? null, { timeout: 20_000 }).not.toBeNull();
  return find()?.output ?? "";
}

const asksToWrite = (id: string, path: string): Step =>
  askPermission(id, { kind: "edit", content: [{ type: "diff", path, oldText: null, newText: "x" }] });

describe("after a person refused an edit", () => {
  it.each(["made", "changed"])("the file is not %s by a command that is allowed", async (what) => {
    await using host = await sharedHost(withRules({ allow: "kind:execute" }));
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const path = join(host.project, "plan.txt");
    if (what === "changed") writeFileSync(path, "old");
    const turnId = await submit(screen, threadId, asksToWrite("c1", path), runs("printf x > plan.txt"));
    await answer(screen, threadId, "reject_once");
    await turnEnd(screen, turnId);
    await output(screen, threadId, "printf x > plan.txt");
    if (what === "changed") expect(readFileSync(path, "utf8")).toBe("old");
    else expect(existsSync(path)).toBe(false);
    // The next turn begins anew.
    await turnEnd(screen, await submit(screen, threadId, runs("printf y > plan.txt")));
    await output(screen, threadId, "printf y > plan.txt");
    expect(readFileSync(path, "utf8")).toBe("y");
  });

  const diffOf = (path: string) => ({ content: [{ type: "diff", path, oldText: "old", newText: "evil" }] });
  it.each<[what: string, question: (at: (name: string) => string) => object, command: string]>([
    ["it was called a deletion", (at) => ({ kind: "delete", rawInput: { path: at("plan.txt") } }), "rm -f plan.txt"],
    [
      "it was called a move",
      (at) => ({ kind: "move", rawInput: { from: at("plan.txt"), to: at("x") } }),
      "mv plan.txt x",
    ],
    ["its kind was not said", (at) => diffOf(at("plan.txt")), "cp evil plan.txt"],
    ["its kind was said to be another one", (at) => ({ kind: "other", ...diffOf(at("plan.txt")) }), "cp evil plan.txt"],
    ["its path had dots", (at) => ({ kind: "edit", ...diffOf(`${at("here")}/../plan.txt`) }), "cp evil plan.txt"],
    [
      "its path was relative",
      () => ({ kind: "edit", rawInput: { path: "plan.txt", content: "evil" } }),
      "cp evil plan.txt",
    ],
    ["a link led to it", (at) => ({ kind: "edit", ...diffOf(at("link")) }), "cp evil plan.txt"],
    ["the link is replaced", (at) => ({ kind: "edit", ...diffOf(at("link")) }), "rm -f link; cp evil link"],
    ["it has a second name", (at) => ({ kind: "edit", ...diffOf(at("plan.txt")) }), "cp evil alias"],
    [
      "another file was refused with it",
      (at) => ({ kind: "edit", content: [...diffOf(at("evil")).content, ...diffOf(at("plan.txt")).content] }),
      "cp evil plan.txt",
    ],
  ])("the file stays as it was, although %s", async (_, ask, command) => {
    await using host = await sharedHost(withRules({ allow: "kind:execute" }));
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const at = (name: string) => join(host.project, name);
    mkdirSync(at("here"));
    for (const [name, text] of [
      ["plan.txt", "old"],
      ["evil", "evil"],
    ] as const)
      writeFileSync(at(name), text);
    symlinkSync("plan.txt", at("link"));
    linkSync(at("plan.txt"), at("alias"));
    const turnId = await submit(screen, threadId, askPermission("c1", ask(at)), runs(command));
    await answer(screen, threadId, "reject_once");
    await turnEnd(screen, turnId);
    await output(screen, threadId, command);
    expect([readFileSync(at("plan.txt"), "utf8"), readFileSync(at("link"), "utf8")]).toEqual(["old", "old"]);
  });

  it("a write of the same file asks again, though the person allowed it before", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const path = join(host.project, "a.txt");
    const write: Step = { ask: "fs/write_text_file", params: { path, content: "x" } };
    const turnId = await submit(screen, threadId, asksToWrite("c1", path), asksToWrite("c2", path), write);
    await answer(screen, threadId, "allow_once");
    await answer(screen, threadId, "reject_once");
    await answer(screen, threadId, "reject_once");
    await turnEnd(screen, turnId);
    expect(existsSync(path)).toBe(false);
    expect(viewOf(screen.received, threadId).permissions).toHaveLength(3);
  });
});

describe("a rule about a path", () => {
  it("hides it from every command where it denies, and lets a command that names it ask where it asks", async () => {
    await using host = await sharedHost(
      withRules({ allow: "kind:execute" }, { deny: "path:**/.env" }, { ask: "path:notes.txt" }),
    );
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    for (const [name, text] of [
      [".env", "KEY=hunter3"],
      ["notes.txt", "my notes"],
    ] as const)
      writeFileSync(join(host.project, name), text);
    const turnId = await submit(screen, threadId, runs("grep -rs . ."), runs("cat notes.txt"));
    await answer(screen, threadId, "allow_once");
    await turnEnd(screen, turnId);
    expect(await output(screen, threadId, "grep -rs . .")).not.toMatch(/hunter3|my notes/);
    expect(await output(screen, threadId, "cat notes.txt")).toBe("my notes");
    await turnEnd(screen, await submit(screen, threadId, runs("cat .env")));
    expect(viewOf(screen.received, threadId).permissions.at(-1)).toMatchObject({
      status: "denied",
      decided_by: "rule",
    });
  });
});
