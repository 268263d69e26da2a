// Implements the `skill` tool: it returns the instructions of a skill.
import { ToolFailure } from "@signalbox/agent-kit";
import { messageOf } from "@signalbox/tool-calls";
import { z } from "zod";
import type { OtherNames } from "./other-names.ts";
import { type Tool, textResult, tool } from "./tool.ts";

const otherNames: OtherNames = { skill: "name", skillname: "name", command: "name" };

/** The part of a skill that the tool needs. */
export interface SkillText {
  readonly name: string;
  readonly description: string;
  /** The instructions. Rejects with a reason when they cannot be read. */
  readonly read: () => Promise<string>;
}

const input = z.object({ name: z.string().min(1).describe("The skill's name") });

export function skillTool(skills: readonly SkillText[]): Tool<z.infer<typeof input>> {
  const list = skills.map(({ name, description }) => `- ${name}: ${description}`).join("\n");
  return tool({
    name: "skill",
    kind: "read",
    description: `Returns the instructions of a skill. Read a skill before you do work that its description fits, and follow it. The skills are:\n${list}`,
    input,
    otherNames,
    readOnly: true,
    outputLimit: 50_000,
    describe: ({ name }) => ({ title: `Skill ${name}` }),
    async execute({ name }) {
      const skill = skills.find((each) => each.name === name);
      if (skill === undefined) {
        throw new ToolFailure(`There is no skill ${name}. There are: ${skills.map((each) => each.name).join(", ")}.`);
      }
      return textResult(
        await skill.read().catch((error: unknown) => {
          throw new ToolFailure(`The skill ${name} cannot be read: ${messageOf(error)}`);
        }),
      );
    },
  });
}
