// A process that writes a whole session and dies by SIGKILL at a chosen write, for crash tests: node crash-child PATH KILL_AT.
// It prints every change that it was notified of, one JSON line each, before it does anything else.
import { writeSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { openRegister } from "../open-register.ts";
import { endTurn, fact, output, says, startTurn, thinks, toolCall, toolUpdate, update } from "./entries.ts";

const [path = "", killAt = "0"] = process.argv.slice(2);

let writes = 0;
let isArmed = false;

function countWrite(): void {
  if (isArmed && ++writes === Number(killAt)) process.kill(process.pid, "SIGKILL");
}

/** Counts every statement that writes, before it runs. */
function watchStatements(): void {
  const database = new DatabaseSync(":memory:");
  const statement: object = Object.getPrototypeOf(database.prepare("SELECT 1"));
  database.close();
  for (const name of ["run", "get"] as const) {
    const original: (...values: unknown[]) => unknown = Reflect.get(statement, name);
    Reflect.set(statement, name, function counted(this: StatementSync, ...values: unknown[]): unknown {
      if (!this.sourceSQL.startsWith("SELECT")) countWrite();
      return original.apply(this, values);
    });
  }
}

watchStatements();
const register = await openRegister({ path });
register.onChanges((changes) => {
  for (const change of changes) writeSync(1, `${JSON.stringify(change)}\n`);
});
isArmed = true;

const { id } = await register.createThread({ agent_id: "agent", cwd: "/" });
const big = "output line\n".repeat(7000);
startTurn(register, id, "turn-1");
register.append(id, thinks("hm"));
await register.settled(id);
register.append(id, says("Let me "));
await register.settled(id);
register.append(id, says("look."));
register.append(id, toolCall("a", { status: "in_progress" }));
await register.settled(id);
register.append(id, toolUpdate("a", output(big)));
await register.settled(id);
register.append(id, toolUpdate("a", output(`${big}more\n`)));
register.append(
  id,
  fact({ type: "permission_requested", permission_id: "p", tool_call: { toolCallId: "b" }, options: [] }),
);
await register.settled(id);
register.append(id, fact({ type: "terminal_created", terminal_id: "x", command: "ls", cwd: null }));
register.append(id, fact({ type: "terminal_output", terminal_id: "x", text: "a\nb\n" }));
register.append(id, update({ sessionUpdate: "plan", entries: [{ content: "c", priority: "low", status: "pending" }] }));
await register.settled(id);
register.append(id, toolUpdate("a", { status: "completed" }));
register.append(id, says("Done."));
endTurn(register, id, "turn-1");
await register.settled(id);
writeSync(1, `{"writes":${writes}}\n`);
await register.close();
