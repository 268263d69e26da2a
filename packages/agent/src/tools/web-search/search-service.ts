// Makes requests for the two search services, and reads their answers.

export interface WebSearchEndpoint {
  readonly engine: "searxng" | "brave";
  /** Of a SearXNG its address; of Brave the full address of its web search. */
  readonly url: string;
  /** Brave needs one. */
  readonly apiKey?: string;
}

export interface SearchHit {
  readonly title: string;
  readonly url: string;
  readonly excerpt: string;
}

interface SearchRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

export function searchRequest(
  { engine, url: base, apiKey }: WebSearchEndpoint,
  query: string,
  limit: number,
): SearchRequest {
  const url = new URL(base);
  switch (engine) {
    case "searxng":
      if (!url.pathname.endsWith("/search")) url.pathname = `${url.pathname.replace(/\/$/, "")}/search`;
      url.searchParams.set("q", query);
      url.searchParams.set("format", "json");
      return { url, headers: { accept: "application/json" } };
    case "brave":
      url.searchParams.set("q", query);
      url.searchParams.set("count", String(limit));
      return {
        url,
        headers: { accept: "application/json", ...(apiKey === undefined ? {} : { "x-subscription-token": apiKey }) },
      };
  }
}

/** Undefined when the answer is not what the service promises. */
export function searchHits(engine: WebSearchEndpoint["engine"], answer: string): readonly SearchHit[] | undefined {
  let json: unknown;
  try {
    json = JSON.parse(answer);
  } catch {
    return undefined;
  }
  switch (engine) {
    case "searxng": {
      const { results } = fields(json);
      return Array.isArray(results) ? results.flatMap((result) => hit(result, "content")) : undefined;
    }
    case "brave": {
      // Without any result Brave leaves `web` out.
      const { web, type } = fields(json);
      const { results = [] } = fields(web);
      if (type !== "search" && web === undefined) return undefined;
      return Array.isArray(results) ? results.flatMap((result) => hit(result, "description")) : undefined;
    }
  }
}

function hit(result: unknown, excerptName: string): SearchHit[] {
  const { title, url, [excerptName]: excerpt } = fields(result);
  if (typeof url !== "string" || !/^https?:\/\//.test(url)) return [];
  return [{ title: withoutTags(title) || url, url, excerpt: withoutTags(excerpt).slice(0, 500) }];
}

/** Without the tags that mark the searched words. */
function withoutTags(value: unknown): string {
  return typeof value === "string"
    ? value
        .replace(/<\/?\w+>/g, "")
        .replace(/\s+/g, " ")
        .trim()
    : "";
}

function fields(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
