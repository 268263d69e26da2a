// Describes calls of Codex's tools and their outputs: kind, title, locations and content.
import { resolve } from "node:path";
import type { ToolKind } from "@agentclientprotocol/sdk";
import {
  type ContentBlock,
  isJsonObject,
  type Json,
  type JsonObject,
  type PlanEntry,
  readObjects,
  readText,
  type ToolCallContent,
} from "@signalbox/protocol";
import {
  createToolTitle,
  diffContent,
  findLocations,
  inferToolKind,
  type ToolDescription,
} from "@signalbox/tool-calls";
import { parseObject, readObject } from "../json-fields.ts";
import { readPatchedFiles } from "./apply-patch.ts";

export function describeCodexTool(name: string, input: JsonObject, cwd: string): ToolDescription {
  const describe = (kind: ToolKind, title: string) => ({ name, kind, title, locations: [], content: [] });
  switch (name) {
    case "apply_patch":
      return describePatch(name, readText(input, "input") ?? readText(input, "patch") ?? "", cwd);
    case "shell":
    case "shell_command":
    case "local_shell":
    case "container.exec":
    case "exec_command": {
      const [program, patch] = Array.isArray(input.command) ? input.command : [];
      if (program === "apply_patch" && typeof patch === "string") return describePatch(name, patch, cwd);
      return describe("execute", createToolTitle("bash", { command: readCommand(input) }, cwd));
    }
    case "write_stdin":
      return describe("execute", "Write to a running command");
    case "update_plan":
      return describe("think", "Update the plan");
    case "view_image":
      return {
        ...describe("read", createToolTitle("view", { path: input.path }, cwd)),
        locations: findLocations({ path: input.path }, cwd),
      };
    case "web_search": {
      const query = readText(input, "query") ?? readText(readObject(input, "action"), "query") ?? "";
      return describe("fetch", createToolTitle("web_search", { query }));
    }
    default:
      return {
        ...describe(inferToolKind(name), createToolTitle(name, input, cwd)),
        locations: findLocations(input, cwd),
      };
  }
}

export function readCodexPlan(name: string, input: JsonObject): readonly PlanEntry[] | null {
  if (name !== "update_plan") return null;
  return readObjects(input.plan).map((step) => ({
    content: readText(step, "step") ?? "",
    priority: "medium",
    status: readText(step, "status") ?? "pending",
  }));
}

interface ToolOutput {
  readonly failed: boolean;
  readonly content: readonly ToolCallContent[];
}

/** An output is a text, a text with JSON around the real one, or a list of parts. */
export function readCodexOutput(output: Json | undefined): ToolOutput {
  if (Array.isArray(output)) return { failed: false, content: readObjects(output).map(readPart) };
  if (isJsonObject(output)) {
    const text = readText(output, "content") ?? readText(output, "output") ?? JSON.stringify(output);
    return { failed: output.success === false, content: makeTextContent(text) };
  }
  const text = typeof output === "string" ? output : "";
  const wrapped = text.startsWith("{") ? parseObject(text) : {};
  const inner = readText(wrapped, "output");
  const exitCode = readObject(wrapped, "metadata").exit_code ?? findExitCode(text);
  return { failed: typeof exitCode === "number" && exitCode !== 0, content: makeTextContent(inner ?? text) };
}

function findExitCode(text: string): number | null {
  const [, code] = /^(?:Process exited with code|Exit code:) (-?\d+)$/m.exec(text.slice(0, 500)) ?? [];
  return code === undefined ? null : Number(code);
}

function readCommand(input: JsonObject): string {
  const command = input.command ?? input.cmd ?? readObject(input, "action").command;
  if (typeof command === "string") return command;
  if (!Array.isArray(command)) return "";
  const words = command.map(String);
  // bash -lc "the command itself"
  return words.length === 3 && /^-l?c$/.test(words[1] ?? "") ? (words[2] ?? "") : words.join(" ");
}

function describePatch(name: string, patch: string, cwd: string): ToolDescription {
  const files = readPatchedFiles(patch);
  const [first, ...rest] = files;
  const more = rest.length > 0 ? ` and ${rest.length} more` : "";
  const makeAbsolute = (path: string) => resolve(cwd, path);
  return {
    name,
    kind: "edit",
    title: first === undefined ? "Edit" : `${createToolTitle("edit", { path: first.path }, cwd)}${more}`,
    locations: files.map(({ path }) => ({ path: makeAbsolute(path) })),
    content: files.map(({ path, oldText, newText }) => diffContent(makeAbsolute(path), oldText, newText)),
  };
}

function makeTextContent(text: string): readonly ToolCallContent[] {
  return text === "" ? [] : [{ type: "content", content: { type: "text", text } }];
}

function readPart(part: JsonObject): ToolCallContent {
  const image = readText(part, "image_url");
  const text = readText(part, "text");
  const content: ContentBlock =
    image === null ? { type: "text", text: text ?? JSON.stringify(part) } : makeImageBlock(image);
  return { type: "content", content };
}

/** A data: address becomes an image, any other address a link. */
export function makeImageBlock(address: string): ContentBlock {
  const [, mimeType, data] = /^data:([\w/+.-]+);base64,(.*)$/s.exec(address) ?? [];
  return mimeType === undefined || data === undefined
    ? { type: "resource_link", uri: address, name: "image" }
    : { type: "image", mimeType, data };
}
