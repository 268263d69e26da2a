// From a tool call as an agent describes it to what rules speak about: kind, tool, command, paths.
import { commandOf, isJsonObject, type Json, type JsonObject } from "@signalbox/protocol";
import type { Subject } from "./rule.ts";

export type Place = Pick<Subject, "agentId" | "threadId" | "cwd">;

export function subjectOf(toolCall: JsonObject, place: Place): Subject {
  const kind = typeof toolCall.kind === "string" ? toolCall.kind : "other";
  return {
    ...place,
    kind,
    tool: toolNameIn(toolCall),
    command: commandOf(toolCall.rawInput) ?? (kind === "execute" ? titleAsCommand(toolCall.title) : null),
    paths: [...new Set(pathsIn(toolCall))],
  };
}

const pathKeys = [
  "path",
  "file_path",
  "filePath",
  "abs_path",
  "absolute_path",
  "notebook_path",
  "target_file",
  "filename",
];

function pathsIn({ locations, content, rawInput }: JsonObject): readonly string[] {
  const found = [...objects(locations), ...objects(content)].map((entry) => entry.path);
  const inputs = isJsonObject(rawInput) ? pathKeys.map((key) => rawInput[key]) : [];
  return [...found, ...inputs].filter((path) => typeof path === "string");
}

/** Agents tell a tool's own name in their `_meta`, each under its own roof. */
export function toolNameIn({ name, _meta }: JsonObject): string | null {
  if (typeof name === "string") return name;
  const look = (value: Json | undefined, depth: number): string | null => {
    if (!isJsonObject(value) || depth > 3) return null;
    const direct = value.toolName ?? value.tool_name;
    if (typeof direct === "string") return direct;
    for (const inner of Object.values(value)) {
      const found = look(inner, depth + 1);
      if (found !== null) return found;
    }
    return null;
  };
  return look(_meta, 0);
}

/** Some agents say the command only in the title, between backticks or bare. */
function titleAsCommand(title: Json | undefined): string | null {
  return typeof title === "string" && title !== "" ? title.replace(/^`(.*)`$/s, "$1") : null;
}

function objects(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
