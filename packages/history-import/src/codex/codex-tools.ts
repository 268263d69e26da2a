// Describes calls of Codex's tools and their outputs: kind, title, locations and content.
import { resolve } from "node:path";
import type { ToolKind } from "@agentclientprotocol/sdk";
import type { ContentBlock, Json, JsonObject, PlanEntry, ToolCallContent } from "@signalbox/protocol";
import { isJsonObject } from "@signalbox/protocol";
import {
  createToolTitle,
  diffContent,
  findLocations,
  inferToolKind,
  type ToolDescription,
} from "@signalbox/tool-calls";
import { objectOf, objectsOf, parsedObject, textOf } from "../json-fields.ts";
import { patchedFiles } from "./apply-patch.ts";

export function describeCodexTool(name: string, input: JsonObject, cwd: string): ToolDescription {
  const described = (kind: ToolKind, title: string) => ({ name, kind, title, locations: [], content: [] });
  switch (name) {
    case "apply_patch":
      return describePatch(name, textOf(input, "input") ?? textOf(input, "patch") ?? "", cwd);
    case "shell":
    case "shell_command":
    case "local_shell":
    case "container.exec":
    case "exec_command": {
      const [program, patch] = Array.isArray(input.command) ? input.command : [];
      if (program === "apply_patch" && typeof patch === "string") return describePatch(name, patch, cwd);
      return described("execute", createToolTitle("bash", { command: commandOf(input) }, cwd));
    }
    case "write_stdin":
      return described("execute", "Write to a running command");
    case "update_plan":
      return described("think", "Update the plan");
    case "view_image":
      return {
        ...described("read", createToolTitle("view", { path: input.path }, cwd)),
        locations: findLocations({ path: input.path }, cwd),
      };
    case "web_search": {
      const query = textOf(input, "query") ?? textOf(objectOf(input, "action"), "query") ?? "";
      return described("fetch", createToolTitle("web_search", { query }));
    }
    default:
      return {
        ...described(inferToolKind(name), createToolTitle(name, input, cwd)),
        locations: findLocations(input, cwd),
      };
  }
}

export function codexPlan(name: string, input: JsonObject): readonly PlanEntry[] | null {
  if (name !== "update_plan") return null;
  return objectsOf(input.plan).map((step) => ({
    content: textOf(step, "step") ?? "",
    priority: "medium",
    status: textOf(step, "status") ?? "pending",
  }));
}

interface ToolOutput {
  readonly failed: boolean;
  readonly content: readonly ToolCallContent[];
}

/** An output is a text, a text with JSON around the real one, or a list of parts. */
export function codexOutput(output: Json | undefined): ToolOutput {
  if (Array.isArray(output)) return { failed: false, content: objectsOf(output).map(partContent) };
  if (isJsonObject(output)) {
    const text = textOf(output, "content") ?? textOf(output, "output") ?? JSON.stringify(output);
    return { failed: output.success === false, content: textContent(text) };
  }
  const text = typeof output === "string" ? output : "";
  const wrapped = text.startsWith("{") ? parsedObject(text) : {};
  const inner = textOf(wrapped, "output");
  const exitCode = objectOf(wrapped, "metadata").exit_code ?? exitCodeIn(text);
  return { failed: typeof exitCode === "number" && exitCode !== 0, content: textContent(inner ?? text) };
}

function exitCodeIn(text: string): number | null {
  const [, code] = /^(?:Process exited with code|Exit code:) (-?\d+)$/m.exec(text.slice(0, 500)) ?? [];
  return code === undefined ? null : Number(code);
}

function commandOf(input: JsonObject): string {
  const command = input.command ?? input.cmd ?? objectOf(input, "action").command;
  if (typeof command === "string") return command;
  if (!Array.isArray(command)) return "";
  const words = command.map(String);
  // bash -lc "the command itself"
  return words.length === 3 && /^-l?c$/.test(words[1] ?? "") ? (words[2] ?? "") : words.join(" ");
}

function describePatch(name: string, patch: string, cwd: string): ToolDescription {
  const files = patchedFiles(patch);
  const [first, ...rest] = files;
  const more = rest.length > 0 ? ` and ${rest.length} more` : "";
  const absolute = (path: string) => resolve(cwd, path);
  return {
    name,
    kind: "edit",
    title: first === undefined ? "Edit" : `${createToolTitle("edit", { path: first.path }, cwd)}${more}`,
    locations: files.map(({ path }) => ({ path: absolute(path) })),
    content: files.map(({ path, oldText, newText }) => diffContent(absolute(path), oldText, newText)),
  };
}

function textContent(text: string): readonly ToolCallContent[] {
  return text === "" ? [] : [{ type: "content", content: { type: "text", text } }];
}

function partContent(part: JsonObject): ToolCallContent {
  const image = textOf(part, "image_url");
  const text = textOf(part, "text");
  const content: ContentBlock =
    image === null ? { type: "text", text: text ?? JSON.stringify(part) } : imageBlock(image);
  return { type: "content", content };
}

/** An image by its address: its bytes where they are in the address itself. */
export function imageBlock(address: string): ContentBlock {
  const [, mimeType, data] = /^data:([\w/+.-]+);base64,(.*)$/s.exec(address) ?? [];
  return mimeType === undefined || data === undefined
    ? { type: "resource_link", uri: address, name: "image" }
    : { type: "image", mimeType, data };
}
