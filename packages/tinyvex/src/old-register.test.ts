// Opens a register that schema version 5 wrote, and checks that every query still answers what that version answered.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Json, RegisterQueryName } from "@signalbox/protocol";
import { expect, it } from "vitest";
import { openRegister } from "./open-register.ts";
import type { Register } from "./register.ts";
import { integrity } from "./testing/stored-rows.ts";
import { temporaryFolder } from "./testing/temporary-register.ts";

interface Expected {
  readonly ended: string;
  readonly archived: string;
  readonly open: string;
  readonly answers: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  readonly search: Readonly<Record<string, readonly { thread_id: string; item_id: string; snippet: string }[]>>;
}

const expected: Expected = JSON.parse(gunzipSync(testData("register-v5.json.gz")).toString("utf8"));

it("keeps every row, event and search hit of a register of version 5", async () => {
  const { register } = await oldRegister();
  await expectSameAnswers(register);
  await register.close();
});

it("rebuilds a register of version 5 to the same rows", async () => {
  const { register, path } = await oldRegister();
  await register.rebuild();
  await expectSameAnswers(register);
  await register.close();
  expect(integrity(path)).toBe("ok");
});

it("ends what was open in a register of version 5", async () => {
  const { register } = await oldRegister();
  const { thread, turns, permissions, elicitations, timeline } = await register.snapshot(expected.open);
  expect(thread.status).toBe("interrupted");
  expect(turns.map(({ status }) => status)).toEqual(["interrupted", "queued"]);
  expect(permissions).toMatchObject([{ permission_id: "perm-2", status: "cancelled" }]);
  expect(elicitations).toMatchObject([{ elicitation_id: "form-2", status: "cancelled" }]);
  expect(timeline).toMatchObject([{ role: "user" }, { text: "I am still talk" }, { status: "failed" }]);
  await register.close();
});

async function expectSameAnswers(register: Register): Promise<void> {
  for (const [threadId, answers] of Object.entries(expected.answers)) {
    for (const [name, rows] of Object.entries(answers)) {
      const answer = await register.query(name as RegisterQueryName, {
        thread_id: threadId,
        limit: 1000,
        text: "",
        hash: "",
      });
      expect(answer.rows, name).toMatchObject((sinceThen[name] ?? Object)(rows));
    }
  }
  for (const [text, hits] of Object.entries(expected.search)) {
    const { rows } = await register.query("search", { text });
    expect(rows, text).toMatchObject(hits);
  }
}

/** What version 5 answered, in the terms of today. */
const sinceThen: Readonly<Record<string, (rows: Json) => object>> = {
  "terminals.list": notTruncated,
  "state.get": withCurrentMode,
};

/** In version 5 `modes` named the mode that the session began with. */
function withCurrentMode(rows: Json): object[] {
  return (Array.isArray(rows) ? rows : []).map((row) => {
    const { modes, current_mode_id } = Object(row);
    return { ...Object(row), modes: modes === null ? null : { ...modes, currentModeId: current_mode_id } };
  });
}

/** In version 5 `truncated` said that the row has only the end of the output; `output_offset` says that now. */
function notTruncated(rows: Json): object[] {
  return (Array.isArray(rows) ? rows : []).map((row) => ({ ...Object(row), truncated: false }));
}

async function oldRegister(): Promise<{ readonly register: Register; readonly path: string }> {
  const path = join(temporaryFolder(), "signalbox.db");
  writeFileSync(path, gunzipSync(testData("register-v5.db.gz")));
  return { path, register: await openRegister({ path }) };
}

function testData(name: string): Buffer {
  return readFileSync(new URL(`../test-data/${name}`, import.meta.url));
}
