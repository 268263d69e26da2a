// Two chips of the composer: who answers (agent, model and what else the agent lets one choose), and its mode. An error is shown beside them.
import type { ThreadRow, ThreadStateRow } from "@signalbox/protocol";
import { useAgentLabel } from "@signalbox/react";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { ErrorText } from "../shared/error-text.tsx";
import { Icon } from "../shared/icon.tsx";
import { ListBox } from "../shared/list-box.tsx";
import { Mark } from "../shared/mark.tsx";
import { listAgentOptions, readSetting } from "./agent-options.ts";
import { listModes } from "./mode-words.ts";
import { readModes } from "./option-choices.ts";
import { choose } from "./session-choices.ts";

interface SessionOptionsProps {
  readonly thread: ThreadRow;
  readonly state: ThreadStateRow | null;
  /** The model for the next prompt only; empty: the session's. */
  readonly once: string;
  readonly onOnce: (model: string) => void;
}

export function SessionOptions({ thread, state, once, onOnce }: SessionOptionsProps) {
  const { connection } = useSignalbox();
  const { attempt, error } = useAttempt();
  const agent = useAgentLabel()(thread.agent_id);
  if (state === null) return null;
  const modes = listModes(thread.agent_id, agent, readModes(state.modes));
  const { options, summary } = listAgentOptions(state, once);
  const chooseOption = (value: string) => {
    const setting = readSetting(value);
    if ("once" in setting) onOnce(setting.once);
    else void attempt(() => choose(connection, thread.id, setting));
  };
  return (
    <>
      {options.length > 0 && (
        <ListBox look="chip" label="Agent and model" value="" onChange={chooseOption} options={options}>
          <Mark agentId={thread.agent_id} name={agent} />
          <b>{agent}</b>
          <span className="cut">{summary}</span>
        </ListBox>
      )}
      {modes.length > 0 && (
        <ListBox
          look="chip"
          label="Mode"
          value={state.current_mode_id ?? ""}
          onChange={(mode_id) => void attempt(() => choose(connection, thread.id, { mode_id }))}
          options={modes}
        >
          <Icon name="shield" isSmall />
          <b>{modes.find(({ value }) => value === state.current_mode_id)?.name ?? state.current_mode_id}</b>
        </ListBox>
      )}
      <ErrorText error={error} isInline />
    </>
  );
}
