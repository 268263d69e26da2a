// What a search found: where, when, and the words around it.
import type { SearchHitRow } from "@signalbox/protocol";
import { cleanLine } from "./clean-text.ts";
import type { Look } from "./look.ts";
import { moment } from "./measures.ts";
import { fit } from "./text-width.ts";
import { shownId, threadTitle } from "./threads-report.ts";

export function searchReport(hits: readonly SearchHitRow[], look: Look): string {
  return hits.map((hit) => hitReport(hit, look)).join("\n");
}

function hitReport(hit: SearchHitRow, look: Look): string {
  const { paint } = look;
  const id = shownId(hit.thread_id, look);
  const where = `${id}  ${hit.kind}  ${moment(hit.ts, look)}  ${hit.agent_id}`;
  const title = fit(threadTitle({ title: hit.thread_title }), look.width - where.length - 2);
  const head = `${paint.cyan(id)}${paint.dim(cleanLine(where).slice(id.length))}  ${paint.bold(title)}`;
  return `${head.trimEnd()}\n  ${highlight(cleanLine(hit.snippet), look)}\n`;
}

/** The register marks hits with two private letters; on a terminal they become colour, elsewhere nothing. */
function highlight(snippet: string, { paint }: Look): string {
  return snippet
    .replaceAll(/\ue000([^\ue001]*)\ue001/g, (_whole, hit: string) => paint.bold(paint.yellow(hit)))
    .replaceAll(/[\ue000\ue001]/g, "");
}
