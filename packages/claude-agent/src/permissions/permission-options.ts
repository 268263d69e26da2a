// Lists the answers that a person can give, and what each means to Claude Code. "Always" is Claude Code's own suggestion, which it keeps for the
// session: it would write the rule into settings of the folder, which are not obeyed here.
import type { PermissionOption } from "@agentclientprotocol/sdk";
import { afterRefusal } from "@signalbox/tool-calls";
import type { PermissionMode, PermissionResult, PermissionUpdate } from "../sdk/sdk.ts";
import { parseClientTool } from "../tools/client-tools.ts";

interface Answer {
  readonly option: PermissionOption;
  /** Builds the answer to Claude Code. */
  result(input: Record<string, unknown>): PermissionResult;
}

export const deniedMessage = `The user denied this. ${afterRefusal}`;

export function toolAnswers(suggestions: readonly PermissionUpdate[]): readonly Answer[] {
  return [...(suggestions.length === 0 ? [] : [always(suggestions)]), once, no("Deny")];
}

/** Leaving plan mode also says in which mode to go on. */
export function planAnswers(modes: readonly PermissionMode[]): readonly Answer[] {
  const names: Partial<Record<PermissionMode, string>> = {
    bypassPermissions: "Yes, and ask for nothing",
    acceptEdits: "Yes, and accept edits",
    default: "Yes, and ask before each change",
  };
  const leaving = modes.flatMap((mode): Answer[] => {
    const name = names[mode];
    if (name === undefined) return [];
    return [
      {
        option: { optionId: mode, name, kind: mode === "default" ? "allow_once" : "allow_always" },
        result: (updatedInput) => ({
          behavior: "allow",
          updatedInput,
          updatedPermissions: [{ type: "setMode", mode, destination: "session" }],
        }),
      },
    ];
  });
  return [...leaving, no("No, keep planning")];
}

const once: Answer = {
  option: { optionId: "allow_once", name: "Allow once", kind: "allow_once" },
  result: (updatedInput) => ({ behavior: "allow", updatedInput, decisionClassification: "user_temporary" }),
};

function always(suggestions: readonly PermissionUpdate[]): Answer {
  return {
    option: { optionId: "allow_always", name: alwaysLabel(suggestions), kind: "allow_always" },
    result: (updatedInput) => ({
      behavior: "allow",
      updatedInput,
      updatedPermissions: suggestions.map((update) => ({ ...update, destination: "session" })),
      decisionClassification: "user_permanent",
    }),
  };
}

function no(name: string): Answer {
  return {
    option: { optionId: "reject_once", name, kind: "reject_once" },
    result: () => ({ behavior: "deny", message: deniedMessage, decisionClassification: "user_reject" }),
  };
}

/** Says what will be allowed from now on, all of it. */
export function alwaysLabel(suggestions: readonly PermissionUpdate[]): string {
  return `Always allow ${suggestions.map(updateLabel).join(" and ")} in this session`;
}

function updateLabel(update: PermissionUpdate): string {
  switch (update.type) {
    case "addRules":
    case "replaceRules":
    case "removeRules":
      return update.rules.map(ruleLabel).join(", ");
    case "setMode":
      return update.mode === "acceptEdits" ? "all edits" : `everything that the mode ${update.mode} allows`;
    case "addDirectories":
    case "removeDirectories":
      return `the folder ${update.directories.join(", ")}`;
  }
}

function ruleLabel({ toolName, ruleContent }: { toolName: string; ruleContent?: string }): string {
  const name = parseClientTool(toolName) ?? toolName;
  return ruleContent === undefined ? `${name} for everything` : `${name}(${ruleContent})`;
}
