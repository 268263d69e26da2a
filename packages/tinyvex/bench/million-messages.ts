// A register with a thread of a million messages and one of a thousand, made with SQL because it is only looked at: the
// rows are those that the writer would have written.
import { DatabaseSync } from "node:sqlite";
import { openRegister } from "../src/index.ts";
import { idsPerEvent } from "../src/search/search-index.ts";
import { folderTags, tag, timeTags } from "../src/search/tags.ts";

interface Filled {
  readonly big: string;
  readonly small: string;
}

const allSyllables =
  "con fig re pro mise ta ble in dex ver sion mo dule pa th er ror han dle ser vice da ta ba se que ry up".split(" ");

/** Word number `rank`: the same word each time, made of syllables, so that many words begin alike. */
export function word(rank: number): string {
  let made = "";
  for (let rest = rank + 7; rest > 0; rest = Math.floor(rest / allSyllables.length)) {
    made += allSyllables[rest % allSyllables.length] ?? "";
  }
  return made;
}

const vocabularySize = 30_000;

/** As in a language: the second word comes half as often as the first, the third a third as often. */
function* sentences(): Generator<string, never> {
  const words = Array.from({ length: vocabularySize }, (_, rank) => word(rank));
  let state = 42;
  const random = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
  for (;;) {
    const length = 8 + Math.floor(random() * 16);
    let sentence = "";
    for (let index = 0; index < length; index++) sentence += `${words[Math.floor(vocabularySize ** random()) - 1]} `;
    yield sentence;
  }
}

export async function fillRegister(path: string, messages: number): Promise<Filled> {
  const register = await openRegister({ path });
  const big = await register.createThread({ agent_id: "big-agent", cwd: "/work/big" });
  const small = await register.createThread({ agent_id: "small-agent", cwd: "/work/small" });
  await register.close();
  const database = new DatabaseSync(path);
  database.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -200000");
  const insert = inserter(database);
  database.exec("BEGIN");
  const text = sentences();
  for (let seq = 2; seq < messages + 2; seq++) {
    insert(
      big.id,
      "big-agent",
      "/work/big",
      seq,
      seq === messages / 2 ? `${text.next().value} needleword` : text.next().value,
    );
    if (seq % 50_000 === 0) database.exec("COMMIT; BEGIN");
  }
  for (let seq = 2; seq < 1002; seq++) insert(small.id, "small-agent", "/work/small", seq, text.next().value);
  database.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
  return { big: big.id, small: small.id };
}

function inserter(database: DatabaseSync) {
  const message = database.prepare(
    `INSERT INTO messages(thread_id, item_id, seq, last_seq, role, kind, text, text_len, partial, created_at, updated_at)
     VALUES (?, ?, ?, ?, 'assistant', 'message', ?, ?, 0, ?, ?)`,
  );
  const item = database.prepare(
    "INSERT INTO search_items(id, thread_id, seq, item, item_id, kind, ts) VALUES (?, ?, ?, 'message', ?, 'message', ?)",
  );
  const words = database.prepare("INSERT INTO search_text(rowid, title, body, tags) VALUES (?, '', ?, ?)");
  const count = database.prepare("UPDATE threads SET message_count = ?, last_seq = ?, updated_at = ? WHERE id = ?");
  let id = 0;
  const tags = new Map<string, string>();
  const days = new Map<number, string>();
  const daysTags = (ts: number): string => {
    const day = Math.floor(ts / 86_400_000);
    const known = days.get(day) ?? timeTags(ts).join(" ");
    days.set(day, known);
    return known;
  };
  return (threadId: string, agentId: string, cwd: string, seq: number, text: string): void => {
    const known =
      tags.get(threadId) ??
      [tag("thread", threadId), tag("agent", agentId), tag("kind", "message"), ...folderTags(cwd)].join(" ");
    tags.set(threadId, known);
    const ts = 1_700_000_000_000 + seq * 1000;
    message.run(threadId, `m${seq}`, seq, seq, text, text.length, ts, ts);
    id += idsPerEvent;
    item.run(id, threadId, seq, `m${seq}`, ts);
    words.run(id, text, `${known} ${daysTags(ts)}`);
    if (seq % 1000 === 1) count.run(seq - 1, seq, ts, threadId);
  };
}
