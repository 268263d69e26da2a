import { applyChange, applySnapshot, type JsonObject } from "@signalbox/protocol";
import { describe, expect, it } from "vitest";
import { fact, threadWithTurn, toolCall, toolUpdate } from "../testing/entries.ts";
import { indexed, storedRows } from "../testing/stored-rows.ts";
import { slow, temporaryRegister } from "../testing/temporary-register.ts";

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index} ✓\n`).join("");
const tells = (told: JsonObject) => toolUpdate("t", { _meta: { claudeCode: { toolName: "Bash" }, ...told } });

describe("a terminal that lives in the agent", slow, () => {
  it("has its whole output, told whole again each time or piece by piece, however big", async () => {
    const { register, path } = await temporaryRegister();
    const id = await threadWithTurn(register);
    register.append(
      id,
      toolCall("t", {
        rawInput: { command: "npm test" },
        _meta: { terminal_info: { terminal_id: "w", cwd: "/work" } },
      }),
    );
    for (let count = 1000; count <= 12_000; count += 1000) {
      register.append(id, tells({ terminal_output: { terminal_id: "w", data: lines(count) } }));
      await register.settled(id);
    }
    register.append(id, tells({ terminal_output_delta: { terminal_id: "d", data: lines(9000) } }));
    register.append(id, tells({ terminal_output_delta: { terminal_id: "d", data: "and the end\n" } }));
    register.append(id, tells({ terminal_exit: { terminal_id: "w", exit_code: 0, signal: null } }));
    register.append(id, tells({ terminal_exit: { terminal_id: "d", exit_code: null, signal: "SIGKILL" } }));
    await register.settled(id);
    const { terminals } = await register.snapshot(id);
    expect(terminals).toMatchObject([
      { terminal_id: "w", command: "npm test", cwd: "/work", exit_code: 0, signal: null },
      { terminal_id: "d", exit_code: null, signal: "SIGKILL" },
    ]);
    const outputs = await Promise.all(
      terminals.map(async ({ output_ref: ref }) =>
        Buffer.from((await register.readBlob(ref?.hash ?? "")).bytes).toString(),
      ),
    );
    expect(outputs).toEqual([lines(12_000), `${lines(9000)}and the end\n`]);
    const [row] = (await register.query("tool_calls.list", { thread_id: id })).rows;
    expect(row).toMatchObject({ meta: { claudeCode: { toolName: "Bash" } } });
    expect(JSON.stringify(row).length).toBeLessThan(2000);
    await indexed(path);
    const live = storedRows(path);
    await register.rebuild();
    expect(storedRows(path)).toEqual(live);
  });

  it("that starts over shows the new output", async () => {
    const { register } = await temporaryRegister();
    const id = await threadWithTurn(register);
    register.append(id, toolCall("t"));
    for (const data of ["first try\n", "first try\nfailed\n", "second try\n"]) {
      register.append(id, tells({ terminal_output: { terminal_id: "w", data } }));
    }
    await register.settled(id);
    expect((await register.snapshot(id)).terminals).toMatchObject([{ output: "second try\n" }]);
  });

  it("cannot speak for a terminal of ours", async () => {
    const { register } = await temporaryRegister();
    const id = await threadWithTurn(register);
    register.append(id, toolCall("t"));
    register.append(id, tells({ terminal_output: { terminal_id: "ours", data: "made up before" } }));
    register.append(id, fact({ type: "terminal_output", terminal_id: "ours", text: "real" }));
    register.append(id, tells({ terminal_output: { terminal_id: "ours", data: "made up after" } }));
    register.append(id, tells({ terminal_output_delta: { terminal_id: "ours", data: " and more" } }));
    await register.settled(id);
    expect((await register.snapshot(id)).terminals).toMatchObject([{ output: "real" }]);
  });
});

describe("a change of a terminal", slow, () => {
  it("carries only what is new; a view that gets all of them has the end of the output", async () => {
    const { register, published } = await temporaryRegister();
    const id = await threadWithTurn(register);
    const first = applySnapshot(null, await register.snapshot(id));
    published.length = 0;
    register.append(id, fact({ type: "terminal_created", terminal_id: "x", command: "npm test", cwd: null }));
    for (let index = 0; index < 300; index++) {
      register.append(id, fact({ type: "terminal_output", terminal_id: "x", text: `${index} ✓ 😀 `.repeat(100) }));
      if (index % 3 === 0) await register.settled(id);
    }
    const ended = { type: "terminal_ended", terminal_id: "x", exit_code: 0, signal: null } as const;
    const isLive = published.length;
    register.append(id, fact(ended));
    await register.settled(id);
    const whole = Array.from({ length: 300 }, (_, index) => `${index} ✓ 😀 `.repeat(100)).join("");
    const changes = published.filter((change) => change.stream === "terminals");
    const live = changes.slice(0, isLive).flatMap((change) => ("row" in change ? [change.row.output] : []));
    expect(changes.length).toBeGreaterThan(50);
    expect(live.join("").length).toBeLessThan(whole.length + 64 * 1024);
    const view = published.filter((change) => change.stream !== "threads").reduce(applyChange, first);
    const [terminal] = view.terminals;
    expect(view.gap).toBe(false);
    expect(terminal?.output.length).toBeGreaterThan(10_000);
    expect(whole.slice(terminal?.output_offset)).toBe(terminal?.output);
    expect((await register.snapshot(id)).terminals).toMatchObject([{ exit_code: 0, truncated: false }]);
  });

  it("of a terminal in the agent carries only what is new too", async () => {
    const { register, published } = await temporaryRegister();
    const id = await threadWithTurn(register);
    register.append(id, toolCall("t"));
    for (const data of ["a\n", "a\nb\n", "a\nb\nc\n", "other\n"]) {
      register.append(id, tells({ terminal_output: { terminal_id: "w", data } }));
      await register.settled(id);
    }
    const parts = published.flatMap((change) =>
      change.stream === "terminals" ? [[change.row.output_offset, change.row.output]] : [],
    );
    expect(parts).toEqual([
      [0, "a\n"],
      [2, "b\n"],
      [4, "c\n"],
      [0, "other\n"],
    ]);
  });
});
