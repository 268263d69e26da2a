// `signalbox rules` on the built program: with a host that runs, and without one.
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HostConnection } from "@signalbox/client";
import { type PermissionDecided, type RuleRow, type RuleTestRow, readUpdate } from "@signalbox/protocol";
import { openRegister } from "@signalbox/tinyvex";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { HostProcess, runProgram, TemporaryFolder } from "../support/host-process.ts";

const linesOf = <Row>(text: string): Row[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Row);

/** A thread with a question about each command, and how it was answered. */
async function fillRegister(
  folder: TemporaryFolder,
  answers: readonly (readonly [command: string, status: "allowed" | "denied", decidedBy: string])[],
): Promise<string> {
  const register = await openRegister({ path: folder.in("data/signalbox.db") });
  const { id } = await register.createThread({ agent_id: "demo", cwd: "/work/project", title: "Asked" });
  for (const [index, [command, status, decided_by]] of answers.entries()) {
    const call = { toolCallId: `c${index}`, title: command, kind: "execute", rawInput: { command } };
    const update = readUpdate({ sessionId: "s1", update: { sessionUpdate: "tool_call", ...call } });
    register.append(id, { type: "update", update });
    const permission_id = `q${index}`;
    const options = [{ optionId: "yes", name: "Yes", kind: "allow_once" }];
    register.append(id, {
      type: "fact",
      fact: { type: "permission_requested", permission_id, tool_call: call, options },
    });
    const decided: PermissionDecided = {
      type: "permission_decided",
      permission_id,
      status,
      option_id: null,
      decided_by,
      rule: null,
    };
    register.append(id, { type: "fact", fact: decided });
  }
  await register.settled(id);
  await register.close();
  return id;
}

const answers = [
  ["git status", "allowed", "person"],
  ["git push", "denied", "person"],
  ["git log", "denied", "timeout"],
  ["npm test", "allowed", "person"],
] as const;

describe("signalbox rules", () => {
  it("adds, lists and removes saved rules, without a host and with one", async () => {
    using folder = new TemporaryFolder();
    const data = ["--data-dir", folder.in("data")];
    const run = async (...words: string[]) =>
      linesOf<RuleRow>((await runProgram(["rules", ...words, ...data, "--json"])).stdout);
    const [saved] = await run("add", "allow", "command:git *");
    expect(saved).toMatchObject({ decision: "allow", match: "command:git *", scope: null, source: "remembered" });
    await using host = await HostProcess.start(folder.in("data"));
    expect(host.ready.data_dir).toBe(folder.in("data"));
    const [inFolder] = await run("add", "deny path:secrets/**", "--folder", folder.in("project"));
    expect(inFolder).toMatchObject({ decision: "deny", scope: { type: "folder", id: folder.in("project") } });
    // The id is the one that an earlier host gave.
    expect((await run("list")).map(({ id }) => id)).toEqual([saved?.id, inFolder?.id]);
    expect(await run("remove", saved?.id.slice(0, 8) ?? "")).toMatchObject([{ match: "command:git *" }]);
    expect(await run("remove", "deny path:secrets/**")).toMatchObject([{ match: "path:secrets/**" }]);
    expect(await run("list")).toEqual([]);
  });

  it("lists the rules of config.json and saved ones from a folder that cannot be written, and starts nothing", async () => {
    using folder = new TemporaryFolder();
    mkdirSync(folder.in("data"));
    writeFileSync(folder.in("data/config.json"), JSON.stringify({ permissions: [{ deny: "command:rm *" }] }));
    writeFileSync(folder.in("data/permissions.json"), JSON.stringify([{ decision: "allow", match: "kind:edit" }]));
    chmodSync(folder.in("data"), 0o500);
    const { code, stdout } = await runProgram(["rules", "list", "--data-dir", folder.in("data")]);
    chmodSync(folder.in("data"), 0o700);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ID +ACTION +RULE +WHERE +SOURCE\n +deny +command:rm \* +everywhere +your config.json\n/);
    expect(stdout).toMatch(/\n[0-9a-f]{8} +allow +kind:edit +everywhere +saved\n$/);
    expect(readdirSync(folder.in("data")).toSorted()).toEqual(["config.json", "permissions.json"]);
  });

  it("tests a rule on past questions, and names the answers of a person that it would reverse", async () => {
    using folder = new TemporaryFolder();
    const thread_id = await fillRegister(folder, answers);
    const args = ["rules", "test", "allow command:git *", "deny command:npm *", "--data-dir", folder.in("data")];
    const expected = [
      {
        rule: "allow command:git *",
        would_allow: 3,
        would_deny: 0,
        would_ask: 1,
        differs: [{ thread_id, permission_id: "q1", title: "git push", was: "deny", would: "allow" }],
      },
      {
        rule: "deny command:npm *",
        would_allow: 0,
        would_deny: 1,
        would_ask: 3,
        differs: [{ thread_id, permission_id: "q3", title: "npm test", was: "allow", would: "deny" }],
      },
    ];
    expect(linesOf<RuleTestRow>((await runProgram([...args, "--json"])).stdout)).toEqual(expected);
    const { stdout } = await runProgram(args);
    expect(stdout).toContain("allow command:git *: would allow 3, deny 0, leave 1 to you.\n");
    expect(stdout).toMatch(new RegExp(`${thread_id} +deny +allow +git push\n`));

    await using host = await HostProcess.start(folder.in("data"));
    const { url, token } = host.ready;
    const connection = new HostConnection({
      address: new URL(url).origin,
      token,
      reconnects: false,
      openSocket: (to, protocols) => new WebSocket(to, protocols),
    });
    await connection.whenOpen();
    const tested = await connection.query("rules.test", { rule: "allow command:git *" });
    expect(tested.rows).toEqual(expected.slice(0, 1));
    await expect(connection.query("rules.test", { rule: "command:git *" })).rejects.toThrow("allow, ask or deny");
    const { rows: projects } = await connection.query("projects.list", {});
    const path = "/work/project";
    expect(projects).toEqual([{ id: path, name: "project", path, threads: 1, archived: 0 }]);
    await connection.close();
  });

  it.each([
    [["lst"], "Did you mean list?"],
    [["add"], "RULE is missing."],
    [["add", "command:git *"], "allow, ask or deny"],
    [["add", "allow comand:git *"], "is no rule"],
    [["add", "allow all", "--folder", ".", "--thread", "last"], "--folder or --thread"],
    [["list", "x"], 'Unexpected argument "x".'],
  ])("refuses %j with a sentence and exit code 64", async (words, message) => {
    using folder = new TemporaryFolder();
    const { code, stderr } = await runProgram(["rules", ...words, "--data-dir", join(folder.in("data"))]);
    expect(stderr).toContain(message);
    expect(code).toBe(64);
  });
});
