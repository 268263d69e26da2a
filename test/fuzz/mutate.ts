// Makes an input from inputs of the corpus: changes bytes, and, where an input is JSON, values and names in it.
import type { Json } from "@signalbox/protocol";
import type { Random } from "../support/random.ts";

/** Long inputs take long and find no more. */
const maxBytes = 64 * 1024;

/** Pieces of JSON, of rules and commands, and what programs read in different ways. */
const words = [
  ...'{ } [ ] , : " \' \\ null true false 0 -0 1e400 -1 0.1 9007199254740993 [] {} ""'.split(" "),
  ...'\\u0000 \\ud800 \\" "__proto__" "constructor" "toString" "length" "id" "method" "params" "jsonrpc" "sessionId"'.split(
    " ",
  ),
  ..."../ / ~ * ** ? \\, ; && | $( ` $x > < # allow deny ask all command: path: host: kind:".split(" "),
  "\n",
  "\r\n",
  "\0",
  "\u{feff}",
  "\u{202e}",
  "é",
  "🙂",
].map((word) => Buffer.from(word));

const invalidBytes = [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf8, 0x88, 0x80, 0x80, 0x80]].map((each) =>
  Buffer.from(each),
);

const values: readonly Json[] = [
  null,
  true,
  0,
  -1,
  1e21,
  2 ** 53,
  0.5,
  "",
  "x",
  "\0",
  "\ud800",
  "/",
  "../../etc/passwd",
  "x".repeat(5000),
  [],
  {},
  [null],
  { "": "" },
  JSON.parse('{"__proto__":{"status":"completed"}}'),
  JSON.parse(`${"[".repeat(600)}${"]".repeat(600)}`),
];

export function mutate(random: Random, corpus: readonly Buffer[]): Buffer {
  let input = random.choose(corpus);
  for (let left = 1 + random.below(4); left > 0; left--) {
    const change = random.below(2) === 0 ? mutateJson(random, input, corpus) : undefined;
    input = change ?? random.choose(byteMutations)(random, input, corpus);
  }
  return input.subarray(0, maxBytes);
}

type Mutation = (random: Random, input: Buffer, corpus: readonly Buffer[]) => Buffer;

const byteMutations: readonly Mutation[] = [
  (random, input) => replace(random, input, Buffer.from([random.below(256)])),
  (random, input) => replace(random, input, random.choose(words)),
  (random, input) => replace(random, input, random.choose(invalidBytes)),
  (random, input) => replace(random, input, Buffer.alloc(0)),
  (random, input) => input.subarray(0, random.below(input.length + 1)),
  (random, input) => {
    const part = choosePart(random, input);
    const times = random.choose([2, 3, 50, 1000]);
    return replace(random, input, Buffer.concat(Array.from({ length: times }, () => part)).subarray(0, maxBytes));
  },
  (random, input, corpus) => replace(random, input, choosePart(random, random.choose(corpus))),
  (random, input, corpus) => Buffer.concat([input, Buffer.from("\n"), random.choose(corpus)]),
];

/** Puts bytes in the place of a short part, which may be empty. */
function replace(random: Random, input: Buffer, bytes: Buffer): Buffer {
  const start = random.below(input.length + 1);
  const end = Math.min(input.length, start + random.below(8));
  return Buffer.concat([input.subarray(0, start), bytes, input.subarray(end)]);
}

function choosePart(random: Random, input: Buffer): Buffer {
  const start = random.below(input.length + 1);
  return input.subarray(start, start + 1 + random.below(200));
}

/** Changes one value or name of one line; undefined where no line is JSON. */
function mutateJson(random: Random, input: Buffer, corpus: readonly Buffer[]): Buffer | undefined {
  const lines = input.toString("utf8").split("\n");
  const at = random.below(lines.length);
  // A file may be one value over many lines.
  const isWhole = parse(input.toString("utf8")) !== undefined;
  const value = isWhole ? parse(input.toString("utf8")) : parse(lines[at] ?? "");
  if (value === undefined) return undefined;
  const other = parse(random.choose(corpus).toString("utf8").split("\n")[0] ?? "");
  const text = JSON.stringify(changeSomewhere(random, value, other));
  return Buffer.from(isWhole ? text : lines.with(at, text).join("\n"));
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function changeSomewhere(random: Random, value: Json, other: Json | undefined): Json {
  const isLeaf = typeof value !== "object" || value === null;
  if (isLeaf || random.below(4) === 0) return chooseValue(random, value, other);
  if (isList(value)) {
    if (value.length === 0) return [chooseValue(random, value, other)];
    const at = random.below(value.length);
    if (random.below(5) === 0) return value.toSpliced(at, 1);
    return value.with(at, changeSomewhere(random, value[at] ?? null, other));
  }
  const names = Object.keys(value);
  if (names.length === 0 || random.below(8) === 0)
    return {
      ...value,
      [random.choose(["id", "type", "_meta", "status", "__proto__", "x"])]: chooseValue(random, value, other),
    };
  const name = random.choose(names);
  const { [name]: changed = null, ...rest } = value;
  if (random.below(6) === 0) return rest;
  return { ...value, [name]: changeSomewhere(random, changed, other) };
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function chooseValue(random: Random, value: Json, other: Json | undefined): Json {
  switch (random.below(4)) {
    case 0:
      return [value];
    case 1:
      return other === undefined ? null : findSomewhere(random, other);
    default:
      return random.choose(values);
  }
}

function findSomewhere(random: Random, value: Json): Json {
  if (typeof value !== "object" || value === null || random.below(3) === 0) return value;
  const members = Object.values(value);
  return members.length === 0 ? value : findSomewhere(random, random.choose(members) ?? null);
}
