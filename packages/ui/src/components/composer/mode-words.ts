// One set of words for the modes of all agents. A mode that fits none of them keeps the agent's own name, in a group of its own.
import type { ListOption } from "../shared/list-option.ts";

const words = ["Ask first", "Edit freely", "Full access", "Plan"] as const;
type ModeWord = (typeof words)[number];

/** By the id of the mode. The same id means different things in different agents only where `agents` says so. */
const known: Readonly<Record<string, ModeWord>> = {
  default: "Ask first",
  ask: "Ask first",
  approve: "Ask first",
  "read-only": "Ask first",
  acceptEdits: "Edit freely",
  autoEdit: "Edit freely",
  auto_edit: "Edit freely",
  bypassPermissions: "Full access",
  "full-access": "Full access",
  yolo: "Full access",
  plan: "Plan",
};

const agents: Readonly<Record<string, Readonly<Record<string, ModeWord>>>> = {
  signalbox: { sandbox: "Ask first", rwx: "Full access" },
  codex: { auto: "Edit freely" },
  goose: { auto: "Full access" },
};

interface Mode {
  readonly id: string;
  readonly name: string;
}

/** Undefined where the mode fits none of our words. */
function findModeWord(agentId: string, modeId: string): ModeWord | undefined {
  const own = Object.entries(agents).find(([agent]) => agentId.startsWith(agent))?.[1];
  return own?.[modeId] ?? known[modeId];
}

/** The modes in the order of our words, each with the agent's own name beside it, and then the others. */
export function listModes(agentId: string, agentName: string, modes: readonly Mode[]): readonly ListOption[] {
  const named = modes.map((mode) => ({ ...mode, word: findModeWord(agentId, mode.id) }));
  const isAlone = (mode: (typeof named)[number]) => named.filter(({ word }) => word === mode.word).length === 1;
  const ours = words.flatMap((word): readonly ListOption[] =>
    named
      .filter((mode) => mode.word === word && isAlone(mode))
      .map(({ id, name }) => ({ value: id, name: word, hint: name === word ? "" : name })),
  );
  const others = named.filter((mode) => mode.word === undefined || !isAlone(mode));
  const group = ours.length > 0 ? { group: `Only in ${agentName}` } : {};
  return [...ours, ...others.map(({ id, name }) => ({ value: id, name, ...group }))];
}
