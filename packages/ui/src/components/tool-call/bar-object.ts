// Decides what the bar of a tool call names: the command or the file it is about, and the agent's own words where they say more.
import { isHostItem, type ToolCallRow } from "@signalbox/protocol";
import { readCommand } from "@signalbox/rules";
import { lastName, shortPath } from "../../text/paths.ts";
import { agentTitle } from "../../text/title-pieces.ts";
import { isCommandTitle } from "../permission/answers.ts";
import { fileChanges } from "./file-changes.ts";

interface BarObject {
  /** Shown as code; null where the title is all there is. */
  readonly object: string | null;
  /** The agent's words; null where the object says it all. */
  readonly words: string | null;
}

/** The icon says what is done, so a title like "Read `src/a.ts`" is shown without its verb. */
const verbAndObject = /^(?:read|edit|write|create|delete|list|search|run) (?=[`"])/i;

export function describeBar(toolCall: ToolCallRow, folder: string): BarObject {
  const { title, kind, raw_input: input } = toolCall;
  // The host's own title says what runs, without the shell around it.
  const command = kind === "execute" && !isHostItem(toolCall) ? readCommand(input)?.trim() : undefined;
  if (command !== undefined && command !== "") {
    return { object: command, words: isCommandTitle(title, command) ? null : plainTitle(title) };
  }
  const [file, ...others] = [...new Set(fileChanges(toolCall).map(({ change }) => change.path))];
  if (file === undefined || kind === "execute") return { object: null, words: title.replace(verbAndObject, "") };
  const object = shortPath(file, folder) + (others.length > 0 ? ` +${others.length}` : "");
  return { object, words: title.includes(lastName(file)) ? null : plainTitle(title) };
}

const plainTitle = (title: string) => agentTitle(title).replaceAll("`", "");
