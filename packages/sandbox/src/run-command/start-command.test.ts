// A helper that breaks off: whatever it does, a command comes to an end, and the end says what is known.
import { chmodSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { TemporaryFolder } from "../testing/temporary-folder.ts";
import { startCommand } from "./start-command.ts";

/** Acts as the helper that stands by: `onRequest` gets the token, and `line(role)` a connection of that role. */
async function endWith(onRequest: string) {
  using folder = new TemporaryFolder({ temp: null });
  const program = folder.at("helper.cjs");
  writeFileSync(
    program,
    `#!${process.execPath}
const { connect } = require("node:net");
process.stdin.on("data", (tokens) => {
  const token = tokens.subarray(0, 32).toString();
  const line = (role) => {
    const socket = connect("\\0" + process.argv[3]);
    socket.write(role + token + "\\n");
    return socket;
  };
  ${onRequest}
});
`,
  );
  chmodSync(program, 0o755);
  const command = startCommand({
    program,
    arguments: ["run"],
    env: {},
    cwd: "/",
    ends: "by-report",
    streams: "joined",
  });
  let output = "";
  for await (const chunk of command.output) output += chunk.toString();
  return { end: await command.end, output };
}

it("one that dies before it connects is tried once more, and then named as the reason", async () => {
  expect(await endWith("process.exit(7);")).toMatchObject({
    end: { kind: "not-started", problem: "the sandbox helper ended (code 7); try again" },
  });
});

it("one that dies between its two connections is not waited for", async () => {
  const { end } = await endWith('line("o").once("connect", () => process.exit(7));');
  expect(end).toMatchObject({ kind: "not-started" });
});

it("lines that close after it began mean that the command was killed", async () => {
  const { end } = await endWith('line("o").end(); line("c").once("data", function () { this.end("b"); });');
  expect(end).toMatchObject({ kind: "signal", signal: "SIGKILL" });
});

it("lines that close before it began mean that it can be tried again", async () => {
  const { end } = await endWith('line("o").end(); line("c").once("data", function () { this.end(); });');
  expect(end).toEqual({ kind: "not-started", problem: "the sandbox helper ended (it was killed); try again" });
});

it("what the helper says about a start that failed is told", async () => {
  const { end } = await endWith('line("o").end("x"); line("c").end("error cannot start a process: no room\\n");');
  expect(end).toEqual({ kind: "not-started", problem: "cannot start a process: no room" });
});

it("output and report come whole, whichever line is first", async () => {
  const { end, output } = await endWith(
    'const c = line("c"); c.once("data", () => { o.end("hello"); c.end("bexit 3\\n"); }); const o = line("o");',
  );
  expect({ end, output }).toEqual({ end: { kind: "exit", code: 3 }, output: "hello" });
});
