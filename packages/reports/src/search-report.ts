// Formats search hits: thread, time and the text around the match.
import type { SearchHitRow } from "@signalbox/protocol";
import { cleanLine } from "./clean-text.ts";
import type { Layout } from "./layout.ts";
import { formatMoment } from "./measures.ts";
import { fit } from "./text-width.ts";
import { formatThreadId, formatThreadTitle } from "./threads-report.ts";

export function formatHits(hits: readonly SearchHitRow[], layout: Layout): string {
  return hits.map((hit) => formatHit(hit, layout)).join("\n");
}

function formatHit(hit: SearchHitRow, layout: Layout): string {
  const { paint } = layout;
  const id = formatThreadId(hit.thread_id, layout);
  const where = `${id}  ${hit.kind}  ${formatMoment(hit.ts, layout)}  ${hit.agent_id}`;
  const title = fit(formatThreadTitle({ title: hit.thread_title }), layout.width - where.length - 2);
  const head = `${paint.cyan(id)}${paint.dim(cleanLine(where).slice(id.length))}  ${paint.bold(title)}`;
  return `${head.trimEnd()}\n  ${highlight(cleanLine(hit.snippet), layout)}\n`;
}

/** The register marks matches with two private-use characters. They become colour on a terminal and are removed elsewhere. */
function highlight(snippet: string, { paint }: Layout): string {
  return snippet
    .replaceAll(/\ue000([^\ue001]*)\ue001/g, (_whole, hit: string) => paint.bold(paint.yellow(hit)))
    .replaceAll(/[\ue000\ue001]/g, "");
}
