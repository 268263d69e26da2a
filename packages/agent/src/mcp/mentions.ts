// Reads the resources that a prompt mentions as `@server:uri`, so that the model has them without a call.
import { messageOf, untilAborted } from "@signalbox/tool-calls";
import type { ModelContent } from "../tools/tool.ts";
import type { ManagedServer } from "./managed-server.ts";
import { maxUriLength, readContents } from "./resources.ts";
import type { Caller } from "./server-questions.ts";

export interface Mentions {
  readonly content: readonly ModelContent[];
  /** One sentence for each that could not be read. */
  readonly problems: readonly string[];
}

const maxMentions = 10;
/** Characters of text for each; the model can read the rest by a call. */
const maxText = 50_000;

interface Mention {
  readonly server: ManagedServer;
  readonly uri: string;
}

/** Only of servers that run and have resources: everything else with an `@` means something else. */
export async function readMentions(text: string, servers: readonly ManagedServer[], caller: Caller): Promise<Mentions> {
  const content: ModelContent[] = [];
  const problems: string[] = [];
  for (const { server, uri } of findMentions(text, servers)) {
    try {
      const read = await untilAborted(server.readResource(uri, caller), caller.signal);
      content.push(...readContents(read).map(shortened));
    } catch (error) {
      caller.signal.throwIfAborted();
      problems.push(`${server.config.name} did not give ${uri}: ${messageOf(error)}`);
    }
  }
  return { content, problems };
}

function findMentions(text: string, servers: readonly ManagedServer[]): readonly Mention[] {
  const found = new Map<string, Mention>();
  for (const [, name = "", rest = ""] of text.matchAll(/(?<![\w@])@([^\s:@]+):(\S+)/g)) {
    const server = servers.find(({ config, hasResources }) => hasResources && config.name === name);
    // A sentence may end behind it.
    const uri = rest.replace(/[.,;:!?)\]}'"]+$/, "");
    if (server === undefined || uri === "" || uri.length > maxUriLength || found.size >= maxMentions) continue;
    found.set(`${name}:${uri}`, { server, uri });
  }
  return [...found.values()];
}

function shortened(part: ModelContent): ModelContent {
  if (part.type !== "text" || part.text.length <= maxText) return part;
  const rest = part.text.length - maxText;
  return {
    type: "text",
    text: `${part.text.slice(0, maxText).toWellFormed()}\n[${rest} more characters are left out]`,
  };
}
