// The mode to begin in. An agent names its modes only inside a session, so they are known from its last thread here.

import { useQuery } from "../../hooks/use-query.ts";
import { useThreads } from "../../hooks/use-threads.ts";
import { modesOf } from "../composer/option-choices.ts";

interface Mode {
  readonly agentId: string;
  readonly value: string;
  readonly onChange: (modeId: string) => void;
}

export function ModeField({ agentId, value, onChange }: Mode) {
  const last = useThreads()?.find((thread) => thread.agent_id === agentId);
  const { rows } = useQuery("state.get", last === undefined ? null : { thread_id: last.id });
  const state = rows?.[0];
  const modes = last === undefined || state?.thread_id !== last.id ? [] : modesOf(state.modes);
  if (modes.length === 0) return null;
  return (
    <label>
      Mode
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">as the agent begins</option>
        {modes.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
