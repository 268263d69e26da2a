// Prints what a thread changed on the disk, as a list or as a patch, and what a restore did.
import type { ChangeDiffRow, ChangeRow, RestoreResult } from "@signalbox/protocol";
import { cleanLine, cleanText } from "./clean-text.ts";
import type { Layout, Paint, Style } from "./layout.ts";
import { counted } from "./measures.ts";
import { table } from "./table.ts";

export function changesReport(rows: readonly ChangeRow[], layout: Layout): string {
  return table<ChangeRow>(
    rows,
    [
      { heading: "STATUS", cell: ({ status }) => status, paint: ({ status }, paint) => statusStyle(status, paint) },
      { heading: "ADDED", cell: ({ added }) => lines(added, "+"), align: "right" },
      { heading: "REMOVED", cell: ({ removed }) => lines(removed, "-"), align: "right" },
      { heading: "BY", cell: ({ source }) => source, dropOrder: 2 },
      { heading: "FILE", cell: nameOf, minWidth: 20 },
      { heading: "", cell: remarkOf, minWidth: 10, dropOrder: 1, paint: (_row, paint) => paint.dim },
    ],
    layout,
  );
}

/** As `git diff` prints it. */
export function changePatch(row: ChangeDiffRow, { paint }: Layout): string {
  const { path, old_path, status, hunks } = row;
  const [from, to] = [
    status === "added" ? "/dev/null" : `a/${old_path ?? path}`,
    status === "deleted" ? "/dev/null" : `b/${path}`,
  ];
  const remark = remarkOf(row);
  const head = [
    ...modeLines(row),
    ...(old_path === undefined ? [] : [`rename from ${cleanLine(old_path)}`, `rename to ${cleanLine(path)}`]),
    ...(hunks.length > 0 ? [`--- ${cleanLine(from)}`, `+++ ${cleanLine(to)}`] : []),
    ...(hunks.length === 0 && remark !== "" ? [`${cleanLine(path)}: ${remark}`] : []),
  ];
  const body = hunks.flatMap((hunk) => [
    paint.cyan(`@@ -${hunk.old_start},${hunk.old_lines} +${hunk.new_start},${hunk.new_lines} @@`),
    ...hunk.lines.map((line) => lineStyle(line, paint)(cleanText(line))),
  ]);
  return `${[`diff --git ${cleanLine(`a/${old_path ?? path}`)} ${cleanLine(`b/${path}`)}`, ...head, ...body].join("\n")}\n`;
}

export function restoreReport(
  { turn_id, files, conflicts }: RestoreResult,
  isDryRun: boolean,
  { paint }: Layout,
): string {
  const words = { changed: "put back", created: "made again", deleted: "removed" } as const;
  const would = isDryRun ? "would be " : "";
  const end =
    files.length === 0
      ? ["Nothing to put back."]
      : isDryRun
        ? [`${counted(files.length, "file")} would be put back. Nothing was changed.`]
        : [`${counted(files.length, "file")} put back. Undo it with: --to ${turn_id}`];
  return `${[
    ...files.map(({ path, action }) => `${paint.green(`${would}${words[action]}`)}  ${cleanLine(path)}`),
    ...conflicts.map(({ path, reason }) => `${paint.red("left as it is")}  ${cleanLine(path)}  ${paint.dim(reason)}`),
    ...end,
  ].join("\n")}\n`;
}

function nameOf({ path, old_path }: ChangeRow): string {
  return old_path === undefined ? path : `${old_path} → ${path}`;
}

function remarkOf({ binary, too_big, not_kept, old_mode, new_mode }: Omit<ChangeRow, "source">): string {
  if (not_kept !== undefined) return "not kept";
  if (binary) return "binary";
  if (too_big === true) return "too big to compare";
  const isMode = typeof old_mode === "number" && typeof new_mode === "number";
  return isMode ? `mode ${bits(old_mode)} → ${bits(new_mode)}` : "";
}

function modeLines({ status, old_mode, new_mode }: ChangeDiffRow): readonly string[] {
  if (status === "added") return [`new file mode ${octal(new_mode)}`];
  if (status === "deleted") return [`deleted file mode ${octal(old_mode)}`];
  return old_mode === undefined ? [] : [`old mode ${octal(old_mode)}`, `new mode ${octal(new_mode)}`];
}

function octal(mode: number | null | undefined): string {
  return (mode ?? 0).toString(8);
}

function bits(mode: number): string {
  return (mode & 0o7777).toString(8);
}

function lines(count: number | null, sign: string): string {
  return count === null ? "" : `${sign}${count}`;
}

function statusStyle(status: ChangeRow["status"], paint: Paint): Style {
  if (status === "added") return paint.green;
  return status === "deleted" ? paint.red : (text) => text;
}

function lineStyle(line: string, paint: Paint): Style {
  if (line.startsWith("+")) return paint.green;
  return line.startsWith("-") ? paint.red : (text) => text;
}
