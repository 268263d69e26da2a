// The keys of `agents.<id>`. A project can put an agent into the sandbox, and nothing else.
import { z } from "zod";
import { explained, key, section } from "./config-key.ts";
import { never, onlyTrue } from "./project-policy.ts";

const programs = "it would choose which programs run";

export const agentKeys = section(
  { help: "An agent of your own, or a known agent.", see: "[agents](agents.md#your-own)" },
  {
    command: key(z.string().min(1), {
      project: never(programs),
      help: "The program. Required, unless the entry only has `sandbox` or `return_sessions`.",
    }),
    args: key(z.array(z.string()), { default: [], project: never(programs), help: "Its arguments." }),
    env: key(z.record(z.string(), z.string()), {
      default: {},
      project: never(programs),
      help: "Added to its environment.",
    }),
    label: key(z.string(), { project: never(programs), help: "Its name on the page.", unset: "the id" }),
    quirks: key(
      z
        .strictObject({
          read_missing_file: explained(
            z.enum(["not_found", "empty"]),
            "What reading a missing file answers: `not_found`, or `empty` text, without which some agents cannot create files.",
          ),
          ends_at_stdin_end: explained(
            z.boolean(),
            "`false`: the agent ignores the end of stdin, so it is stopped by a signal immediately.",
          ),
        })
        .partial(),
      {
        project: never(programs),
        help: "How it differs from the protocol. Overrides what is known about the agent.",
        see: "[agents](agents.md#your-own)",
        unset: "what is known about the agent",
      },
    ),
    sandbox: key(z.boolean(), {
      project: onlyTrue("it would let the agent out of its sandbox"),
      help: 'Whether the whole agent runs in the sandbox, with everything that it starts. May stand alone: `"gemini": { "sandbox": true }`.',
      see: "[sandbox](sandbox.md#a-whole-agent-inside)",
      unset: "depends on the agent, see the [table](agents.md#inside-the-sandbox)",
    }),
    return_sessions: key(z.boolean(), {
      project: never("it would write in the agent's own folder"),
      help: "Whether sessions that the agent makes in the sandbox go to its own folder when it ends, so that you can resume them in a terminal: Claude Code and pi. May stand alone.",
      see: "[sandbox](sandbox.md#a-whole-agent-inside)",
      unset: "no",
    }),
  },
  ({ command, sandbox, return_sessions, ...others }, context) => {
    const hasChoice = sandbox !== undefined || return_sessions !== undefined;
    if (command !== undefined || (hasChoice && Object.keys(others).length === 0)) return;
    context.addIssue({ code: "custom", path: ["command"], message: "expected the program to start" });
  },
);
