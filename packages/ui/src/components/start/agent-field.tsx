// Chooses the agent of a new thread: those that are ready first, then those that need something.

import type { AgentReadiness, AgentRow } from "@signalbox/protocol";
import { describeModel } from "../agents/describe-model.ts";
import { readinessLabels } from "../agents/readiness-labels.ts";
import { ListBox } from "../shared/list-box.tsx";
import { Mark } from "../shared/mark.tsx";

interface AgentFieldProps {
  readonly agents: readonly AgentRow[] | null;
  readonly agent: AgentRow | undefined;
  readonly isElsewhere: boolean;
  readonly onChange: (id: string) => void;
}

export function AgentField({ agents, agent, isElsewhere, onChange }: AgentFieldProps) {
  const ordered = isElsewhere ? (agents ?? []) : byReadiness(agents ?? []);
  return (
    <ListBox
      look="chip"
      label="Agent"
      value={agent?.id ?? ""}
      onChange={onChange}
      options={ordered.map(({ id, label, readiness, model }) => ({
        value: id,
        name: label,
        hint: isElsewhere || readiness === "ready" ? describeModel(model) : readinessLabels[readiness],
      }))}
    >
      {agent !== undefined && (
        <>
          <Mark agentId={agent.id} name={agent.label} />
          <b>{agent.label}</b>
          {describeModel(agent.model)}
          {!isElsewhere && agent.readiness !== "ready" && readinessLabels[agent.readiness]}
        </>
      )}
    </ListBox>
  );
}

const order: readonly AgentReadiness[] = ["ready", "needs_login", "broken", "not_installed"];

/** The demo, which is no agent to work with, after those that are ready. */
const rank = ({ demo, readiness }: AgentRow) => order.indexOf(readiness) + (demo === true ? 0.5 : 0);

export function byReadiness(agents: readonly AgentRow[]): readonly AgentRow[] {
  return agents.toSorted((a, b) => rank(a) - rank(b));
}

/** The chosen agent; else that of the latest thread, else the first that is ready, never the demo; else Signalbox's own, which says what it needs. */
export function chooseAgent(
  agents: readonly AgentRow[] | null,
  chosen: string,
  last: string | undefined,
): AgentRow | undefined {
  const all = agents ?? [];
  const find = (wanted: string | undefined) => all.find(({ id }) => id === wanted);
  if (chosen !== "") return find(chosen);
  const ready = all.filter((agent) => agent.readiness === "ready" && agent.demo !== true);
  return ready.find(({ id }) => id === last) ?? ready[0] ?? find("signalbox") ?? all.find(({ demo }) => demo !== true);
}
