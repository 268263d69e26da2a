// `signalbox rules` lists the rules that answer agents' questions, tests a rule on past questions, and adds and removes saved rules.
import { resolve } from "node:path";
import type { HostConnection } from "@signalbox/client";
import { defaultDataFolder } from "@signalbox/host/data";
import { listStoredRules, testRule } from "@signalbox/host/rules";
import type { RuleRow } from "@signalbox/protocol";
import { formatRules, formatRuleTest } from "@signalbox/reports";
import { isRuleDecision, ruleProblem, splitRule, type WrittenRule } from "@signalbox/rules";
import { suggest, UsageError } from "../arguments.ts";
import { command, exitCodes, jsonFlag, type Program, registerFlags } from "../command.ts";
import { connectToHost } from "../host/find-host.ts";
import { openHost } from "../host/open-host.ts";
import { nothingKept } from "../nothing-kept.ts";
import { Output } from "../output.ts";
import { whileShowing } from "../progress.ts";
import { findThread, openForReading } from "../register/open-for-reading.ts";

const actions = ["list", "test", "add", "remove"] as const;

interface GivenFlags {
  readonly folder: string | undefined;
  readonly thread: string | undefined;
  readonly days: number | undefined;
  readonly json: boolean;
  readonly "data-dir": string | undefined;
}

export const rules = command({
  usage: "signalbox rules list | test RULE… | add RULE… | remove RULE|ID… [flags]",
  about: [
    "Lists the rules that answer agents' questions, reports what a rule alone would have decided about past questions, and adds or removes saved rules.",
    "RULE is `allow`, `ask` or `deny` with terms such as command:git *, kind:edit,path:src/** or tool:bash. Quote it: the shell would expand the star.",
  ].join("\n"),
  words: { name: actions.join("|"), min: 1, max: 200, isAction: true },
  flags: {
    folder: { type: "string", value: "DIR", help: "add: only for threads in this folder" },
    thread: { type: "string", value: "THREAD", help: "add: only for this thread" },
    days: { type: "number", value: "N", min: 1, max: 36_500, help: "test: only questions of the last N days" },
    ...jsonFlag("one rule per line; test: one object {rule, would_allow, would_deny, would_ask, differs} per rule"),
    ...registerFlags,
  },
  examples: [
    ["signalbox rules list", "all rules, with where they come from"],
    [
      "signalbox rules test 'allow command:git *'",
      "what it would have decided, and which of your answers it would reverse",
    ],
    ["signalbox rules add 'deny path:secrets/**' --folder .", "save a rule for a folder"],
    ["signalbox rules remove 3f2c", "remove a saved rule"],
  ],
  async run(flags, program, { given: [wanted = "", ...words] }) {
    const action = actions.find((name) => name === wanted);
    if (action === undefined)
      throw new UsageError(`"${wanted}" is not one of ${actions.join(", ")}.${suggest(wanted, actions)}`);
    const texts = joinDecisions(words);
    if ((texts.length === 0) !== (action === "list"))
      throw new UsageError(action === "list" ? `Unexpected argument "${texts[0]}".` : "RULE is missing.");
    const output = new Output();
    switch (action) {
      case "list":
        return await list(flags, output);
      case "test":
        return await test(texts.map(readRule), flags, output);
      case "add":
        return await add(texts.map(readRule), flags, program, output);
      case "remove":
        return await remove(texts, flags, program, output);
    }
  },
});

/** `allow 'command:git *'` in two words is the same as in one. */
function joinDecisions(words: readonly string[]): readonly string[] {
  return words.flatMap((word, index) => {
    const before = words[index - 1];
    if (isRuleDecision(word) && index + 1 < words.length) return [];
    return [isRuleDecision(before) ? `${before} ${word}` : word];
  });
}

function readRule(text: string): WrittenRule {
  const { decision, match } = splitRule(text);
  if (decision === undefined) throw new UsageError(`Write what the rule does: allow, ask or deny before "${text}".`);
  const problem = ruleProblem(match);
  if (problem !== undefined) throw new UsageError(problem);
  return { decision, match };
}

const format = ({ decision, match }: WrittenRule) => `${decision} ${match}`;

async function list(flags: GivenFlags, output: Output): Promise<number> {
  const rows = await readRules(flags["data-dir"]);
  if (flags.json) await output.all(rows.map((row) => `${JSON.stringify(row)}\n`));
  else if (rows.length > 0) output.write(formatRules(rows, output.layout));
  else output.line("No rules yet. `signalbox rules add RULE` saves one.");
  return exitCodes.ok;
}

/** Starts nothing: without a host the files are read. */
async function readRules(dataFolder: string | undefined): Promise<readonly RuleRow[]> {
  const connection = await connectToHost(dataFolder);
  if (connection === null)
    return listStoredRules(resolve(dataFolder ?? defaultDataFolder()), (problem) => console.error(problem));
  try {
    return (await connection.query("rules.list", {})).rows;
  } finally {
    await connection.close();
  }
}

async function test(wanted: readonly WrittenRule[], flags: GivenFlags, output: Output): Promise<number> {
  const register = await openForReading(flags["data-dir"]);
  if (register === null) return nothingKept(output, flags.json);
  try {
    for (const rule of wanted) {
      const found = await whileShowing("Reading past questions …", () =>
        testRule((name, args) => register.query(name, args), format(rule), flags.days),
      );
      output.write(flags.json ? `${JSON.stringify(found)}\n` : formatRuleTest(found, output.layout));
    }
    return exitCodes.ok;
  } finally {
    await register.close();
  }
}

async function add(
  wanted: readonly WrittenRule[],
  flags: GivenFlags,
  program: Program,
  output: Output,
): Promise<number> {
  if (flags.folder !== undefined && flags.thread !== undefined)
    throw new UsageError("A rule is for a folder or for a thread: give --folder or --thread.");
  const { connection, close } = await openHost(flags["data-dir"], program);
  try {
    const scope = await readScope(flags, connection);
    for (const rule of wanted) await connection.request("rules.save", { ...rule, scope });
    const { rows } = await connection.query("rules.list", {});
    const added = rows.filter(
      (row) =>
        row.source === "remembered" &&
        row.scope?.id === scope?.id &&
        wanted.some((rule) => format(rule) === format(row)),
    );
    print(added, "Added", flags.json, output);
    return exitCodes.ok;
  } finally {
    await close();
  }
}

async function readScope(flags: GivenFlags, connection: HostConnection): Promise<RuleRow["scope"]> {
  if (flags.folder !== undefined) return { type: "folder", id: resolve(flags.folder) };
  if (flags.thread === undefined) return null;
  const { id } = await findThread({ query: (name, args) => connection.query(name, args) }, flags.thread);
  return { type: "thread", id };
}

async function remove(wanted: readonly string[], flags: GivenFlags, program: Program, output: Output): Promise<number> {
  const { connection, close } = await openHost(flags["data-dir"], program);
  try {
    const { rows } = await connection.query("rules.list", {});
    const found = wanted.map((text) => findRule(rows, text));
    for (const { id } of found) await connection.request("rules.delete", { rule_id: id });
    print(found, "Removed", flags.json, output);
    return exitCodes.ok;
  } finally {
    await close();
  }
}

/** Finds a saved rule by its text, its id, or the beginning of its id. */
function findRule(rows: readonly RuleRow[], text: string): RuleRow {
  const named = rows.filter((row) => (text !== "" && row.id.startsWith(text)) || format(row) === text.trim());
  const saved = named.filter(({ source }) => source === "remembered");
  const [rule, ...others] = saved;
  if (rule === undefined && named.length > 0)
    throw new UsageError(`"${text}" is not a saved rule. Rules of a config.json are changed there.`);
  if (rule === undefined) throw new UsageError(`There is no rule "${text}". \`signalbox rules list\` lists them.`);
  if (others.length > 0)
    throw new UsageError(`Several rules fit "${text}": ${saved.map(({ id }) => id.slice(0, 8)).join(", ")}.`);
  return rule;
}

function print(rows: readonly RuleRow[], done: "Added" | "Removed", isJson: boolean, output: Output): void {
  for (const row of rows)
    output.line(isJson ? JSON.stringify(row) : `${done} ${format(row)} (${row.scope?.id ?? "everywhere"}).`);
}
