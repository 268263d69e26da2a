// The modes and options that the agent offers for this session. An error is shown beside them.
import type { ThreadStateRow } from "@signalbox/protocol";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { ErrorText } from "../shared/error-text.tsx";
import { readModes, readOptions } from "./option-choices.ts";
import { choose } from "./session-choices.ts";

export function SessionOptions({ threadId, state }: { threadId: string; state: ThreadStateRow | null }) {
  const { connection } = useSignalbox();
  const { attempt, error } = useAttempt();
  if (state === null) return null;
  const modes = readModes(state.modes);
  const options = readOptions(state.config_options, { withoutMode: modes.length > 0 });
  const setMode = (mode_id: string) => void attempt(() => choose(connection, threadId, { mode_id }));
  const setOption = (config_id: string, value: string | boolean) =>
    void attempt(() => choose(connection, threadId, { config_id, value }));
  return (
    <>
      {modes.length > 0 && (
        <label className="pick" title="Mode">
          <span className="visually-hidden">Mode</span>
          <select value={state.current_mode_id ?? ""} onChange={(event) => setMode(event.target.value)}>
            {modes.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      {options.map((option) =>
        option.type === "boolean" ? (
          <label className="pick" key={option.id} title={option.description}>
            <input
              type="checkbox"
              checked={option.value}
              onChange={(event) => setOption(option.id, event.target.checked)}
            />
            {option.name}
          </label>
        ) : (
          <label className="pick" key={option.id} title={option.description || option.name}>
            <span className={option.isNamed ? undefined : "visually-hidden"}>{option.name}</span>
            <select value={option.value} onChange={(event) => setOption(option.id, event.target.value)}>
              {option.choices.map(({ value, name, description }) => (
                <option key={value} value={value} title={description}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        ),
      )}
      <ErrorText error={error} isInline />
    </>
  );
}
