// Mode, model and thinking of a new thread. An agent names its choices only inside a session: they come from its latest thread, else from its
// last test.

import type { AgentRow, Json } from "@signalbox/protocol";
import { useQuery, useThreads } from "@signalbox/react";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { listModes } from "../composer/mode-words.ts";
import { readCategoryChoices, readModes } from "../composer/option-choices.ts";
import { ErrorText } from "../shared/error-text.tsx";
import { ListBox } from "../shared/list-box.tsx";

/** The optional parameters of `session.create`. */
export interface StartChoices {
  readonly mode_id?: string;
  readonly model?: string;
  readonly thinking?: string;
}

interface Offers {
  readonly modes: Json;
  readonly config_options: Json;
  readonly available_commands: Json;
}

/** Null while nothing is known. */
export function useOffers(agent: AgentRow | undefined): Offers | null {
  const last = useThreads()?.find((thread) => thread.agent_id === agent?.id && thread.machine === undefined);
  const { rows } = useQuery("state.get", last === undefined ? null : { thread_id: last.id });
  const state = rows?.[0];
  if (state !== undefined && state.thread_id === last?.id) return state;
  return agent?.offers ?? null;
}

interface StartOptionsProps {
  readonly agent: AgentRow | undefined;
  readonly offers: Offers | null;
  readonly value: StartChoices;
  readonly onChange: (choices: StartChoices) => void;
  /** The agent was asked what it offers. */
  readonly onAsked: () => void;
}

export function StartOptions({ agent, offers, value, onChange, onAsked }: StartOptionsProps) {
  if (agent === undefined || agent.readiness !== "ready") return null;
  if (offers === null) return <AskOffers agent={agent} onAsked={onAsked} />;
  const modes = listModes(agent.id, agent.label, readModes(offers.modes));
  const choose = (key: keyof StartChoices, chosen: string) => {
    const { [key]: _before, ...others } = value;
    onChange(chosen === "" ? others : { ...others, [key]: chosen });
  };
  return (
    <>
      {modes.length > 0 && (
        <ListBox
          look="chip"
          label="Mode"
          value={value.mode_id ?? ""}
          onChange={(chosen) => choose("mode_id", chosen)}
          options={[{ value: "", name: "Mode: agent's default" }, ...modes]}
        />
      )}
      <Choice
        label="Model"
        usual={agent.model?.name}
        choices={readCategoryChoices(offers.config_options, "model")}
        value={value.model}
        onChange={(chosen) => choose("model", chosen)}
      />
      <Choice
        label="Thinking"
        choices={readCategoryChoices(offers.config_options, "thought_level")}
        value={value.thinking}
        onChange={(chosen) => choose("thinking", chosen)}
      />
    </>
  );
}

interface ChoiceProps {
  readonly label: string;
  /** The value that the agent uses where none is chosen, if it is known. */
  readonly usual?: string | null | undefined;
  readonly choices: readonly { readonly value: string; readonly name: string; readonly description?: string }[];
  readonly value: string | undefined;
  readonly onChange: (value: string) => void;
}

function Choice({ label, usual, choices, value = "", onChange }: ChoiceProps) {
  if (choices.length === 0) return null;
  return (
    <ListBox
      look="chip"
      label={label}
      value={value}
      onChange={onChange}
      options={[
        { value: "", name: `${label}: ${usual ?? "agent's default"}` },
        ...choices.map(({ value: chosen, name, description }) => ({ value: chosen, name, hint: description })),
      ]}
    />
  );
}

/** A test of the agent opens a session, in which it says what it offers. */
function AskOffers({ agent, onAsked }: { agent: AgentRow; onAsked: () => void }) {
  const { connection } = useSignalbox();
  const { attempt, error, isBusy } = useAttempt();
  const ask = async () => {
    await attempt(() => connection.request("agents.test", { agent_id: agent.id }));
    onAsked();
  };
  return (
    <>
      <button type="button" className="quiet" disabled={isBusy} onClick={() => void ask()}>
        {isBusy ? `Starting ${agent.label} …` : "Model and mode …"}
      </button>
      <ErrorText error={error} isInline />
    </>
  );
}
