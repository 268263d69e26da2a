// Formats a thread's changes to files, as a list or as a patch, and the result of a restore.
import type { ChangeDiffRow, ChangeRow, RestoreResult } from "@signalbox/protocol";
import { cleanLine, cleanText } from "./clean-text.ts";
import type { Layout, Paint, Style } from "./layout.ts";
import { formatCount } from "./measures.ts";
import { formatTable } from "./table.ts";

export function formatChanges(rows: readonly ChangeRow[], layout: Layout): string {
  return formatTable<ChangeRow>(
    rows,
    [
      {
        heading: "STATUS",
        cell: ({ status }) => status,
        paint: ({ status }, paint) => chooseStatusStyle(status, paint),
      },
      { heading: "ADDED", cell: ({ added }) => formatLineCount(added, "+"), align: "right" },
      { heading: "REMOVED", cell: ({ removed }) => formatLineCount(removed, "-"), align: "right" },
      { heading: "BY", cell: ({ source }) => source, dropOrder: 2 },
      { heading: "FILE", cell: formatName, minWidth: 20 },
      { heading: "", cell: formatRemark, minWidth: 10, dropOrder: 1, paint: (_row, paint) => paint.dim },
    ],
    layout,
  );
}

/** As `git diff` prints it. */
export function formatPatch(row: ChangeDiffRow, { paint }: Layout): string {
  const { path, old_path, status, hunks } = row;
  const [from, to] = [
    status === "added" ? "/dev/null" : `a/${old_path ?? path}`,
    status === "deleted" ? "/dev/null" : `b/${path}`,
  ];
  const remark = formatRemark(row);
  const head = [
    ...formatModeLines(row),
    ...(old_path === undefined ? [] : [`rename from ${cleanLine(old_path)}`, `rename to ${cleanLine(path)}`]),
    ...(hunks.length > 0 ? [`--- ${cleanLine(from)}`, `+++ ${cleanLine(to)}`] : []),
    ...(hunks.length === 0 && remark !== "" ? [`${cleanLine(path)}: ${remark}`] : []),
  ];
  const body = hunks.flatMap((hunk) => [
    paint.cyan(`@@ -${hunk.old_start},${hunk.old_lines} +${hunk.new_start},${hunk.new_lines} @@`),
    ...hunk.lines.map((line) => chooseLineStyle(line, paint)(cleanText(line))),
  ]);
  return `${[`diff --git ${cleanLine(`a/${old_path ?? path}`)} ${cleanLine(`b/${path}`)}`, ...head, ...body].join("\n")}\n`;
}

export function formatRestore(
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
        ? [`${formatCount(files.length, "file")} would be put back. Nothing was changed.`]
        : [`${formatCount(files.length, "file")} put back. Undo it with: --to ${turn_id}`];
  return `${[
    ...files.map(({ path, action }) => `${paint.green(`${would}${words[action]}`)}  ${cleanLine(path)}`),
    ...conflicts.map(({ path, reason }) => `${paint.red("left as it is")}  ${cleanLine(path)}  ${paint.dim(reason)}`),
    ...end,
  ].join("\n")}\n`;
}

function formatName({ path, old_path }: ChangeRow): string {
  return old_path === undefined ? path : `${old_path} → ${path}`;
}

function formatRemark({ binary, too_big, not_kept, old_mode, new_mode }: Omit<ChangeRow, "source">): string {
  if (not_kept !== undefined) return "not kept";
  if (binary) return "binary";
  if (too_big === true) return "too big to compare";
  const isMode = typeof old_mode === "number" && typeof new_mode === "number";
  return isMode ? `mode ${formatPermissionBits(old_mode)} → ${formatPermissionBits(new_mode)}` : "";
}

function formatModeLines({ status, old_mode, new_mode }: ChangeDiffRow): readonly string[] {
  if (status === "added") return [`new file mode ${formatMode(new_mode)}`];
  if (status === "deleted") return [`deleted file mode ${formatMode(old_mode)}`];
  return old_mode === undefined ? [] : [`old mode ${formatMode(old_mode)}`, `new mode ${formatMode(new_mode)}`];
}

function formatMode(mode: number | null | undefined): string {
  return (mode ?? 0).toString(8);
}

function formatPermissionBits(mode: number): string {
  return (mode & 0o7777).toString(8);
}

function formatLineCount(count: number | null, sign: string): string {
  return count === null ? "" : `${sign}${count}`;
}

function chooseStatusStyle(status: ChangeRow["status"], paint: Paint): Style {
  if (status === "added") return paint.green;
  return status === "deleted" ? paint.red : (text) => text;
}

function chooseLineStyle(line: string, paint: Paint): Style {
  if (line.startsWith("+")) return paint.green;
  return line.startsWith("-") ? paint.red : (text) => text;
}
