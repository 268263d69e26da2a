// Lists the resources of a server and reads one, as text for the model.
import type { ReadResourceResult } from "@modelcontextprotocol/client";
import { cleanLine } from "@signalbox/agent-kit";
import { z } from "zod";
import type { ModelContent } from "../tools/tool.ts";
import { resourceContent } from "./server-result.ts";

export interface ListedResource {
  /** A template has `{names}` to fill in. */
  readonly uri: string;
  readonly isTemplate: boolean;
  readonly name: string;
  readonly description: string;
  readonly mimeType: string;
}

export const maxUriLength = 2000;
const maxTextLength = 200;

const listed = z.looseObject({
  uri: z.string().min(1).max(maxUriLength).optional(),
  uriTemplate: z.string().min(1).max(maxUriLength).optional(),
  name: z.string().catch(""),
  description: z.string().catch(""),
  mimeType: z.string().catch(""),
});

/** Undefined when it is no resource and no template. */
export function readListedResource(value: unknown): ListedResource | undefined {
  const { data } = listed.safeParse(value);
  const uri = data?.uri ?? data?.uriTemplate;
  // A URI with a line break could look like another entry of the list.
  if (data === undefined || uri === undefined || /[\s\p{Cc}]/u.test(uri)) return undefined;
  return {
    uri,
    isTemplate: data.uri === undefined,
    name: cleanLine(data.name, maxTextLength),
    description: cleanLine(data.description, maxTextLength),
    mimeType: cleanLine(data.mimeType, maxTextLength),
  };
}

/** One line each, those that fit `filter` where it is given. */
export function resourceList(resources: readonly ListedResource[], filter: string | undefined): string {
  const words = filter?.toLowerCase();
  const fitting = resources.filter(
    ({ uri, name, description }) =>
      words === undefined || [uri, name, description].some((text) => text.toLowerCase().includes(words)),
  );
  if (fitting.length === 0) return resources.length === 0 ? "It lists no resources." : "No resource fits.";
  const line = ({ uri, name, description, mimeType }: ListedResource) =>
    [uri, name, mimeType, description]
      .filter((text, index) => text !== "" && (index === 0 || text !== uri))
      .join(" · ");
  const [whole, templates] = [fitting.filter((each) => !each.isTemplate), fitting.filter((each) => each.isTemplate)];
  return [
    ...whole.map(line),
    ...(templates.length === 0 ? [] : ["Fill in the parts in braces:", ...templates.map(line)]),
  ].join("\n");
}

export function readContents({ contents }: ReadResourceResult): readonly ModelContent[] {
  return contents.length === 0 ? [{ type: "text", text: "The resource is empty." }] : contents.map(resourceContent);
}
