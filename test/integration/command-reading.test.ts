// The commands that read the register, as a person and as a script use them: the built program on a register with something in it.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import {
  type EventRow,
  type JsonObject,
  readUpdate,
  type SearchHitRow,
  type StatsRow,
  type ThreadSummaryRow,
} from "@signalbox/protocol";
import { openRegister, type Register } from "@signalbox/tinyvex";
import { describe, expect, it } from "vitest";
import { HostProcess, program, runProgram, TemporaryFolder } from "../support/host-process.ts";

const bigText = `the beginning ${"of something long. ".repeat(8000)}and the end`;

/** A thread with a prompt, an answer around a tool call, a permission, a terminal, a big output and an end. */
async function fillThread(register: Register, title: string): Promise<string> {
  const { id } = await register.createThread({ agent_id: "demo", cwd: "/work/project", title });
  const fact = (value: Extract<Parameters<Register["append"]>[1], { type: "fact" }>["fact"]) =>
    register.append(id, { type: "fact", fact: value });
  const update = (value: JsonObject) =>
    register.append(id, { type: "update", update: readUpdate({ sessionId: "s1", update: value }) });
  const addText = (text: string) =>
    update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text }, _meta: { vendor: 1 } });
  fact({ type: "session_started", session_id: "s1" });
  fact({
    type: "turn_queued",
    turn_id: "turn-1",
    prompt_id: "p1",
    prompt: [{ type: "text", text: "Mend the flaky test" }],
  });
  fact({ type: "turn_started", turn_id: "turn-1" });
  addText("I look \x1b[31mfirst\x1b[0m.");
  update({ sessionUpdate: "tool_call", toolCallId: "c1", title: "Edit `a.ts`", kind: "edit", status: "pending" });
  fact({
    type: "permission_requested",
    permission_id: "q1",
    tool_call: { toolCallId: "c1" },
    options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }],
  });
  fact({
    type: "permission_decided",
    permission_id: "q1",
    status: "allowed",
    option_id: "yes",
    decided_by: "rule",
    rule: "kind:edit",
  });
  update({
    sessionUpdate: "tool_call_update",
    toolCallId: "c1",
    status: "completed",
    content: [
      { type: "diff", path: "/work/project/a.ts", oldText: "one\ntwo\nthree", newText: "one\nzwei\nthree" },
      { type: "content", content: { type: "text", text: "</pre><script>alert(1)</script> ``` fence" } },
      { type: "content", content: { type: "text", text: bigText } },
    ],
  });
  fact({ type: "terminal_created", terminal_id: "x1", command: "npm test", cwd: "/work/project" });
  fact({ type: "terminal_output", terminal_id: "x1", text: "1 passed\n" });
  fact({ type: "terminal_ended", terminal_id: "x1", exit_code: 0, signal: null });
  addText("It is mended.");
  fact({ type: "turn_ended", turn_id: "turn-1", stop_reason: "end_turn" });
  await register.settled(id);
  return id;
}

async function filled(folder: TemporaryFolder, ...titles: string[]): Promise<string[]> {
  const register = await openRegister({ path: folder.in("data/signalbox.db") });
  const ids: string[] = [];
  for (const title of titles) ids.push(await fillThread(register, title));
  await register.close();
  return ids;
}

const linesOf = <Row>(text: string): Row[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Row);

describe("an empty register", () => {
  it.each([["threads"], ["show", "last"], ["search", "x"], ["stats"], ["export", "last"], ["rebuild"]])(
    "%s says what to do, makes nothing, and is silent as JSON",
    async (...words) => {
      using folder = new TemporaryFolder();
      const args = [...words, "--data-dir", folder.in("none")];
      expect(await runProgram(args)).toMatchObject({ code: 0, stdout: expect.stringContaining("signalbox run") });
      expect(await runProgram([...args, "--json"])).toEqual({ code: 0, stdout: "", stderr: "" });
      expect(existsSync(folder.in("none"))).toBe(false);
    },
  );
});

describe("threads", () => {
  it("lists them for a person and, one object a line, for a script; filters are obeyed", async () => {
    using folder = new TemporaryFolder();
    const [first, second] = await filled(folder, "Older", "Newer \x1b]0;title\x07 one");
    const data = ["--data-dir", folder.in("data")];
    const { stdout, code } = await runProgram(["threads", ...data]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^THREAD +STATUS +ACTIVE +AGENT/);
    expect(stdout.split("\n")[1]).toMatch(new RegExp(`^${second} .* Newer +one$`));
    // Neither colour where there is no terminal, nor anything else that an agent smuggles in.
    expect(stdout).not.toContain("\x1b");
    const rows = linesOf<ThreadSummaryRow>((await runProgram(["threads", "--json", ...data])).stdout);
    expect(rows.map(({ id }) => id)).toEqual([second, first]);
    expect(rows[0]).toMatchObject({ agent_id: "demo", cwd: "/work/project", tool_call_count: 1 });
    expect((await runProgram(["threads", "--agent", "other", ...data])).stdout).toBe("No matching threads.\n");
    expect(linesOf((await runProgram(["threads", "--limit", "1", "--json", ...data])).stdout)).toHaveLength(1);
  });

  it("works beside a running host; rebuild does not touch the register that it holds, and names the holder", async () => {
    using folder = new TemporaryFolder();
    const [id] = await filled(folder, "Kept");
    await using host = await HostProcess.start(folder.in("data"));
    const listed = await runProgram(["threads", "--json", "--data-dir", host.ready.data_dir]);
    expect(linesOf<ThreadSummaryRow>(listed.stdout).map((row) => row.id)).toEqual([id]);
    const { code, stdout, stderr } = await runProgram(["rebuild", "--data-dir", folder.in("data")]);
    expect({ code, stdout }).toEqual({ code: 75, stdout: "" });
    expect(stderr).toMatch(/^Rebuilding needs the register for itself\. .* Stop that Signalbox first\.\n$/);
    expect(stderr).toContain(`process ${host.ready.pid}`);
  });
});

describe("show", () => {
  it("prints what happened in order, by the beginning of an id and as `last`", async () => {
    using folder = new TemporaryFolder();
    const [id = ""] = await filled(folder, "A thread");
    const data = ["--data-dir", folder.in("data")];
    const { stdout } = await runProgram(["show", id.slice(0, 8), ...data]);
    const places = [
      "A thread",
      "Mend the flaky test",
      "I look first.",
      "✓ Edit `a.ts`",
      "- two",
      "+ zwei",
      "allowed by rule kind:edit",
      "$ npm test (exit 0)",
      "1 passed",
      "It is mended.",
    ];
    const found = places.map((text) => stdout.indexOf(text));
    expect(found).not.toContain(-1);
    expect(found).toEqual(found.toSorted((a, b) => a - b));
    expect((await runProgram(["show", "last", ...data])).stdout).toBe(stdout);
    expect((await runProgram(["show", "last", "--last", "1", ...data])).stdout).not.toContain("Mend the flaky test");
  });

  it("prints how a turn ended, also when only its end is shown", async () => {
    using folder = new TemporaryFolder();
    const register = await openRegister({ path: folder.in("data/signalbox.db") });
    const id = await fillThread(register, "A thread");
    const facts = [
      { type: "turn_queued", turn_id: "turn-2", prompt_id: "p2", prompt: [{ type: "text", text: "Again" }] },
      { type: "turn_started", turn_id: "turn-2" },
      { type: "turn_failed", turn_id: "turn-2", error: { code: "agent_failed", message: "It died of boredom." } },
    ] as const;
    for (const fact of facts) register.append(id, { type: "fact", fact });
    await register.settled(id);
    await register.close();
    for (const flags of [[], ["--last", "1"]]) {
      const { stdout } = await runProgram(["show", "last", ...flags, "--data-dir", folder.in("data")]);
      expect(stdout).toMatch(/You\nAgain\n\nThe turn failed: It died of boredom\.\n$/);
    }
  });

  it("gives one JSON object, and with --events the log with every field as it was sent", async () => {
    using folder = new TemporaryFolder();
    const [id] = await filled(folder, "A thread");
    const data = ["--data-dir", folder.in("data")];
    const whole = JSON.parse((await runProgram(["show", "last", "--json", ...data])).stdout);
    expect(Object.keys(whole)).toEqual([
      "thread",
      "plan",
      "state",
      "turns",
      "permissions",
      "elicitations",
      "terminals",
      "timeline",
    ]);
    expect(whole.thread.id).toBe(id);
    expect(whole.timeline.map((item: { type: string }) => item.type)).toEqual([
      "message",
      "message",
      "tool_call",
      "message",
    ]);
    // Rows show the beginning of what is big; this has it all.
    expect(whole.timeline[2].content[2].content.text).toBe(bigText);
    const events = linesOf<EventRow>((await runProgram(["show", "last", "--events", ...data])).stdout);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
    expect(events.find(({ kind }) => kind === "agent_message_chunk")?.payload).toMatchObject({
      update: { _meta: { vendor: 1 } },
    });
  });

  it.each([
    [["show"], 64, "THREAD is missing.\n"],
    [["show", "t0nope"], 1, "There is no thread t0nope. `signalbox threads` lists all threads.\n"],
    [["show", "t"], 1, /^Several threads begin with t: /],
    [["show", "last", "--events", "--last", "3"], 64, /--last cannot be combined/],
    [["show", "last", "--evnts"], 64, "There is no flag --evnts. Did you mean --events?\n"],
  ])("%j is refused with a sentence", async (words, code, message) => {
    using folder = new TemporaryFolder();
    await filled(folder, "One", "Two");
    const { code: ended, stderr } = await runProgram([...words, "--data-dir", folder.in("data")]);
    expect({ code: ended, stderr }).toEqual({
      code,
      stderr: typeof message === "string" ? message : expect.stringMatching(message),
    });
  });
});

describe("search", () => {
  it("finds what was said and done, marked for a script, and says so when there is nothing", async () => {
    using folder = new TemporaryFolder();
    const [id] = await filled(folder, "A thread");
    const data = ["--data-dir", folder.in("data")];
    const found = await runProgram(["search", "flaky", "test", ...data]);
    expect(found.stdout).toContain("Mend the flaky test");
    expect(found.stdout).toContain(id);
    const hits = linesOf<SearchHitRow>((await runProgram(["search", "flaky", "--json", ...data])).stdout);
    expect(hits).toMatchObject([
      { thread_id: id, kind: "message", snippet: expect.stringContaining("\ue000flaky\ue001") },
    ]);
    expect((await runProgram(["search", "zebra", ...data])).stdout).toBe("No matches for zebra.\n");
  });
});

describe("stats", () => {
  it("counts turns and tool calls, in tables and as rows", async () => {
    using folder = new TemporaryFolder();
    await filled(folder, "One", "Two");
    const data = ["--data-dir", folder.in("data")];
    const { stdout } = await runProgram(["stats", "--by", "kind", ...data]);
    expect(stdout).toMatch(/Turns\nALL +COUNT.*\nall +2 /);
    expect(stdout).toMatch(/Tool calls\nKIND +COUNT.*\nedit +2 /);
    const rows = linesOf<StatsRow>((await runProgram(["stats", "--json", ...data])).stdout);
    expect(rows).toMatchObject([
      { stat: "tool_calls", agent_id: "demo", kind: "edit", count: 2, failed: 0 },
      { stat: "turns", agent_id: "demo", count: 2, failed: 0 },
    ]);
  });
});

describe("export", () => {
  it("writes Markdown whose fences nothing breaks, with every text whole", async () => {
    using folder = new TemporaryFolder();
    await filled(folder, "A thread");
    const { stdout } = await runProgram(["export", "last", "--data-dir", folder.in("data")]);
    expect(stdout).toMatch(/^# A thread\n/);
    expect(stdout).toContain("## You\n\nMend the flaky test");
    expect(stdout).toContain("-two\n+zwei");
    expect(stdout).toContain("````\n</pre><script>alert(1)</script> ``` fence\n````");
    expect(stdout).toContain("and the end");
    expect(stdout).toContain("$ npm test\n1 passed\n[exit 0]");
  });

  it("writes a page in which nothing of an agent is markup", async () => {
    using folder = new TemporaryFolder();
    await filled(folder, "<b>A thread</b>");
    const { stdout } = await runProgram(["export", "last", "--format", "html", "--data-dir", folder.in("data")]);
    expect(stdout).toContain("<title>&lt;b&gt;A thread&lt;/b&gt;</title>");
    expect(stdout).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(stdout).not.toMatch(/<script|<b>/);
    expect(stdout).toContain("<ins>+ zwei</ins>");
  });

  it.each([
    ["is missing", "PRAGMA foreign_keys = OFF; DELETE FROM blobs", "All of this text is missing in the register."],
    ["lost a part", "DELETE FROM blob_chunks", "bytes of this text is missing in the register."],
  ])("says so where a text %s", async (_, loss, notice) => {
    using folder = new TemporaryFolder();
    await filled(folder, "A thread");
    const database = new DatabaseSync(folder.in("data/signalbox.db"));
    database.exec(loss);
    database.close();
    for (const format of ["md", "html", "json"]) {
      const { stdout, code } = await runProgram([
        "export",
        "last",
        "--format",
        format,
        "--data-dir",
        folder.in("data"),
      ]);
      expect([format, code, stdout.includes(notice)]).toEqual([format, 0, true]);
    }
  });

  it("writes JSON by either flag, and refuses flags that exclude each other", async () => {
    using folder = new TemporaryFolder();
    await filled(folder, "A thread");
    const data = ["--data-dir", folder.in("data")];
    const { stdout } = await runProgram(["export", "last", "--format", "json", ...data]);
    expect(JSON.parse(stdout).thread.title).toBe("A thread");
    expect((await runProgram(["export", "last", "--json", ...data])).stdout).toBe(stdout);
    expect(await runProgram(["export", "last", "--json", "--format", "md", ...data])).toMatchObject({ code: 64 });
  });
});

describe("rebuild", () => {
  it("[R10] makes the same rows again from the log", async () => {
    using folder = new TemporaryFolder();
    await filled(folder, "One", "Two");
    const data = ["--data-dir", folder.in("data")];
    const before = await runProgram(["show", "last", "--json", ...data]);
    const { stdout, code } = await runProgram(["rebuild", "--json", ...data]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ events: expect.any(Number), duration_ms: expect.any(Number) });
    expect(JSON.parse(stdout).events).toBeGreaterThan(20);
    expect(await runProgram(["show", "last", "--json", ...data])).toEqual(before);
  });
});

describe("every command", () => {
  it.each(["threads", "show", "search", "stats", "export", "rebuild"])("%s has help with examples", async (name) => {
    const { stdout, code } = await runProgram([name, "--help"]);
    expect(code).toBe(0);
    for (const part of ["Usage: ", "--json", "--data-dir DIR", "Examples:"]) expect(stdout).toContain(part);
  });

  it("is completed by bash, zsh and fish, with its flags", async () => {
    for (const shell of ["bash", "zsh", "fish"]) {
      const { stdout } = await runProgram(["completion", shell]);
      expect(stdout).toContain("restore");
      expect(stdout).toMatch(/dry-run/);
    }
    const { stdout: script } = await runProgram(["completion", "bash"]);
    const complete = (...words: readonly string[]) =>
      execFileSync("bash", [
        "-c",
        `${script}\nCOMP_WORDS=(${words.join(" ")}); COMP_CWORD=${words.length - 1}; _signalbox; echo "\${COMPREPLY[@]}"`,
      ])
        .toString()
        .trim();
    expect(complete("signalbox", "resto")).toBe("restore");
    expect(complete("signalbox", "restore", "--dry")).toBe("--dry-run");
  });

  it("ends quietly when its output is not read", async () => {
    using folder = new TemporaryFolder();
    await filled(folder, "A thread");
    const shell = `"${process.execPath}" "${program}" show last --json --data-dir "${folder.in("data")}" | head -c 10; echo "code \${PIPESTATUS[0]}"`;
    const child = spawn("bash", ["-c", shell], { stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    await once(child, "close");
    expect({ stdout, stderr }).toEqual({ stdout: '{"thread":code 0\n', stderr: "" });
  });
});
