// Prints search hits: thread, time and the text around the match.
import type { SearchHitRow } from "@signalbox/protocol";
import { cleanLine } from "./clean-text.ts";
import type { Layout } from "./layout.ts";
import { moment } from "./measures.ts";
import { fit } from "./text-width.ts";
import { shownId, threadTitle } from "./threads-report.ts";

export function searchReport(hits: readonly SearchHitRow[], layout: Layout): string {
  return hits.map((hit) => hitReport(hit, layout)).join("\n");
}

function hitReport(hit: SearchHitRow, layout: Layout): string {
  const { paint } = layout;
  const id = shownId(hit.thread_id, layout);
  const where = `${id}  ${hit.kind}  ${moment(hit.ts, layout)}  ${hit.agent_id}`;
  const title = fit(threadTitle({ title: hit.thread_title }), layout.width - where.length - 2);
  const head = `${paint.cyan(id)}${paint.dim(cleanLine(where).slice(id.length))}  ${paint.bold(title)}`;
  return `${head.trimEnd()}\n  ${highlight(cleanLine(hit.snippet), layout)}\n`;
}

/** The register marks matches with two private-use characters. They become colour on a terminal and are removed elsewhere. */
function highlight(snippet: string, { paint }: Layout): string {
  return snippet
    .replaceAll(/\ue000([^\ue001]*)\ue001/g, (_whole, hit: string) => paint.bold(paint.yellow(hit)))
    .replaceAll(/[\ue000\ue001]/g, "");
}
