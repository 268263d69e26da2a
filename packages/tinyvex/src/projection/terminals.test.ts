import type { JsonObject } from "@signalbox/protocol";
import { describe, expect, test } from "vitest";
import { fact, threadWithTurn, toolCall, toolUpdate } from "../testing/entries.ts";
import { indexed, storedRows } from "../testing/stored-rows.ts";
import { PATIENT, temporaryRegister } from "../testing/temporary-register.ts";

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index} ✓\n`).join("");
const tells = (told: JsonObject) => toolUpdate("t", { _meta: { claudeCode: { toolName: "Bash" }, ...told } });

describe("a terminal that lives in the agent", PATIENT, () => {
  test("has its whole output, told whole again each time or piece by piece, however big", async () => {
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

  test("that starts over shows the new output", async () => {
    const { register } = await temporaryRegister();
    const id = await threadWithTurn(register);
    register.append(id, toolCall("t"));
    for (const data of ["first try\n", "first try\nfailed\n", "second try\n"]) {
      register.append(id, tells({ terminal_output: { terminal_id: "w", data } }));
    }
    await register.settled(id);
    expect((await register.snapshot(id)).terminals).toMatchObject([{ output: "second try\n" }]);
  });

  test("cannot speak for a terminal of ours", async () => {
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
