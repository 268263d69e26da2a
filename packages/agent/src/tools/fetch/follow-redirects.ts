// A page with its redirects followed, each hop checked like the first. Another host is another question for the person.
import { ToolFailure } from "@signalbox/agent-kit";
import { type Page, type RequestOptions, requestPage } from "./request-page.ts";

const mostRedirects = 5;

/** `mayVisit` is asked before a hop to another host; its message says why not. */
export type MayVisit = (
  url: URL,
) => Promise<{ readonly allowed: true } | { readonly allowed: false; readonly message: string }>;

export async function fetchPage(url: URL, options: RequestOptions, mayVisit: MayVisit): Promise<Page> {
  let page = await requestPage(url, options);
  for (let hops = 0; page.location !== undefined; hops++) {
    if (hops === mostRedirects) throw new ToolFailure(`${url.href} redirects more than ${mostRedirects} times.`);
    const next = URL.parse(page.location, page.url.href);
    if (next === null) throw new ToolFailure(`${page.url.href} redirects to ${page.location}, which is no URL.`);
    next.hash ||= page.url.hash;
    if (!sameSite(page.url, next)) {
      const decision = await mayVisit(next);
      if (!decision.allowed) {
        throw new ToolFailure(`${page.url.href} redirects to ${next.href}, which was not fetched: ${decision.message}`);
      }
    }
    page = await requestPage(next, options);
  }
  return page;
}

/** The same host, with or without www; never from https back to http. */
function sameSite(from: URL, to: URL): boolean {
  const samePort = from.port === to.port;
  const isUpgrade = from.protocol === "http:" && to.protocol === "https:";
  return (
    bare(from.hostname) === bare(to.hostname) &&
    (isUpgrade ? to.port === "" : samePort && from.protocol === to.protocol)
  );
}

function bare(host: string): string {
  return host.replace(/^www\./, "");
}
