// Formats permission rules, and what a rule would have decided.
import type { RuleDifference, RuleRow, RuleTestRow } from "@signalbox/protocol";
import { cleanLine } from "./clean-text.ts";
import type { Layout } from "./layout.ts";
import { formatTable } from "./table.ts";

const sources: Readonly<Record<string, string>> = {
  user_config: "your config.json",
  project_config: "the project's config.json",
  flag: "a flag of a run",
  remembered: "saved",
  turn: "this turn only",
};

export function formatRules(rows: readonly RuleRow[], layout: Layout): string {
  return formatTable<RuleRow>(
    rows,
    [
      // Only saved rules can be removed, and only their ids are the same next time.
      { heading: "ID", cell: (row) => (row.source === "remembered" ? row.id.slice(0, 8) : "") },
      { heading: "ACTION", cell: (row) => row.decision },
      { heading: "RULE", cell: (row) => row.match, minWidth: 20 },
      { heading: "WHERE", cell: ({ scope }) => (scope === null ? "everywhere" : scope.id), minWidth: 10 },
      { heading: "SOURCE", cell: (row) => sources[row.source] ?? row.source, dropOrder: 1 },
    ],
    layout,
  );
}

export function formatRuleTest(test: RuleTestRow, layout: Layout): string {
  const { rule, would_allow, would_deny, would_ask, differs } = test;
  const counts = `${cleanLine(rule)}: would allow ${would_allow}, deny ${would_deny}, leave ${would_ask} to you.\n`;
  if (differs.length === 0) return counts;
  const table = formatTable<RuleDifference>(
    differs,
    [
      { heading: "THREAD", cell: (row) => row.thread_id },
      { heading: "YOU", cell: (row) => row.was },
      { heading: "RULE", cell: (row) => row.would },
      { heading: "QUESTION", cell: (row) => row.title, minWidth: 20 },
    ],
    layout,
  );
  return `${counts}It would have reversed ${differs.length === 1 ? "one answer" : `${differs.length} answers`} of yours:\n${table}`;
}
