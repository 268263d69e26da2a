// What an agent wrote reaches a client byte for byte, live and from the log: whatever its numbers, keys, escapes, blanks and unknown fields are.

import { AgentLineParser, type LogEvent, openRegister } from "@signalbox/tinyvex";
import fc from "fast-check";
import { expect, it } from "vitest";
import { TemporaryFolder } from "../../../../test/support/host-process.ts";
import { rounds } from "../../../../test/support/rounds.ts";
import { ClientUpdates, readKnowledge } from "./client-updates.ts";
import { sentNotifications } from "./translate.ts";

const everything = readKnowledge({
  subagents: {},
  plan: {},
  session: { notices: {}, compaction: {}, configOptions: { boolean: {} } },
});

const blank = fc.constantFrom("", " ", "  ", "\t");
/** Texts that an encoder would write in another way. */
const textOf = fc
  .array(
    fc.constantFrom(
      "a",
      "é",
      "\\u00e9",
      "\\u0041",
      "\\/",
      "/",
      "\\n",
      '\\"',
      "\\\\",
      "😀",
      "\\ud83d\\ude00",
      "\\u2028",
      " ",
    ),
    { maxLength: 8 },
  )
  .map((parts) => `"${parts.join("")}"`);
const number = fc.constantFrom(
  "1",
  "1.0",
  "1e3",
  "1E+3",
  "-0",
  "0.10",
  "12345678901234567890",
  "1.7976931348623157e308",
  "5e-324",
  "100000000000000000000.5",
);
const keys = fc.constantFrom(
  '"_meta"',
  '"x"',
  '"\\u0078"',
  '"__proto__"',
  '"vendor.example/y"',
  '"status"',
  '"chunks"',
  '"toString"',
);
const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    textOf,
    number,
    fc.constantFrom("true", "false", "null"),
    fc
      .tuple(blank, fc.array(tie("value"), { maxLength: 3 }))
      .map(([space, items]) => `[${items.join(`,${space}`)}${space}]`),
    members(fc.tuple(keys, tie("value"))).map((inner) => `{${inner}}`),
  ),
}));

/** Members of an object as text, with blanks, and with keys that may repeat. */
function members(pair: fc.Arbitrary<readonly [string, string]>): fc.Arbitrary<string> {
  return fc
    .array(fc.tuple(pair, blank, blank), { maxLength: 4 })
    .map((all) =>
      all.map(([[key, held], before, after]) => `${before}${key}${after}:${after}${held}${before}`).join(","),
    );
}

const kind = fc.constantFrom(
  '"agent_message_chunk"',
  '"agent_thought_chunk"',
  '"tool_call"',
  '"tool_call_update"',
  '"plan"',
  '"dream"',
  '"usage_update"',
);
const update = fc
  .tuple(kind, textOf, members(fc.tuple(keys, value)), fc.boolean())
  .map(([name, text, more, isFirst]) => {
    const known = `"sessionUpdate":${name},"toolCallId":"t","title":"T","entries":[],"content":${name.includes("chunk") ? `{"type":"text","text":${text}}` : "[]"}`;
    const others = more === "" ? [known] : isFirst ? [more, known] : [known, more];
    return `{${others.join(",")}}`;
  });
const params = fc
  .tuple(update, members(fc.tuple(keys, value)), blank)
  .map(
    ([inner, more, space]) =>
      `{${space}"sessionId"${space}:"agent-session",${more === "" ? "" : `${more},`}"update":${space}${inner}}`,
  );
const vendor = members(fc.tuple(keys, value)).map(
  (more) => `{"sessionId":"agent-session"${more === "" ? "" : `,${more}`}}`,
);

interface Line {
  readonly method: string;
  readonly params: string;
}

const line: fc.Arbitrary<Line> = fc.oneof(
  { weight: 5, arbitrary: params.map((text) => ({ method: "session/update", params: text })) },
  { weight: 1, arbitrary: vendor.map((text) => ({ method: "_x.example/pulse", params: text })) },
);

it("[R3] every byte, in order, for any line that an agent can write", async () => {
  using folder = new TemporaryFolder();
  const register = await openRegister({ path: folder.in("register.db") });
  const runs = Number(process.env.SIGNALBOX_BYTE_RUNS ?? rounds({ some: 25, all: 60 }));
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 12 }), async (lines) => {
      const { id } = await register.createThread({ agent_id: "a", cwd: "/" });
      const live: LogEvent[] = [];
      const unfollow = register.followLog(id, (events) => void live.push(...events));
      const parser = new AgentLineParser();
      for (const { method, params: text } of lines) {
        const parsed = parser.parse(Buffer.from(`{"jsonrpc":"2.0","method":"${method}","params":${text}}`));
        if (parsed === null) throw new Error(`no message: ${text}`);
        const { message, source } = parsed;
        register.append(
          id,
          parsed.update !== null
            ? { type: "update", update: parsed.update, source }
            : { type: "notification", method, params: message.params, source },
        );
      }
      await register.settled(id);
      unfollow();
      const read = await register.readSent(id, 0, 1000);
      const sentBy = (events: readonly LogEvent[]) => {
        const updates = new ClientUpdates("T", everything);
        return events
          .flatMap((event) => sentNotifications("T", event, updates))
          .map((one) => `${one.method} ${one.params}`);
      };
      const expected = lines.map(({ method, params: text }) => `${method} ${text.replace('"agent-session"', '"T"')}`);
      expect(sentBy(live)).toEqual(expected);
      // In the history, chunks that differ in nothing but their text are one: everything else is the same bytes.
      const history = sentBy(read);
      const isJoined = history.length < expected.length;
      if (isJoined) expect(textIn(history)).toBe(textIn(expected));
      else expect(history).toEqual(expected);
    }),
    { numRuns: runs },
  );
  await register.close();
});

/** The texts of all chunks, joined, and everything else. */
function textIn(sent: readonly string[]): string {
  return sent
    .map((one) => {
      const text = one.slice(one.indexOf(" ") + 1);
      const { update: inner } = JSON.parse(text) as {
        update?: { sessionUpdate?: string; content?: { text?: string } };
      };
      const isChunk = inner?.sessionUpdate?.endsWith("_chunk") === true;
      return isChunk ? (inner?.content?.text ?? "") : one;
    })
    .join("");
}
