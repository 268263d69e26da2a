// The dialog that gives a thread to another agent, which is told what happened so far.

import type { ThreadRow } from "@signalbox/protocol";
import { useAgentLabel, useQuery } from "@signalbox/react";
import { type FormEvent, useState } from "react";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { handingOver } from "../../stores/handing-over.ts";
import { ErrorText } from "../shared/error-text.tsx";
import { ListBox } from "../shared/list-box.tsx";
import { LoadProblem } from "../shared/load-problem.tsx";
import { Sheet } from "../shared/sheet.tsx";

const close = () => handingOver.set(null);

export default function HandOver({ thread }: { thread: ThreadRow }) {
  const { connection } = useSignalbox();
  const labelOf = useAgentLabel();
  const { attempt, error, isBusy } = useAttempt();
  const list = useQuery("agents.list", {});
  const agents = list.rows?.filter(({ id, readiness }) => id !== thread.agent_id && readiness !== "not_installed");
  const [chosen, setChosen] = useState("");
  const agentId = chosen === "" ? (agents?.[0]?.id ?? "") : chosen;
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    const params = { thread_id: thread.id, agent_id: agentId };
    if (await attempt(() => connection.request("session.hand_over", params))) close();
  };
  return (
    <Sheet title="Hand over to another agent" onClose={close}>
      <form className="hand-over" onSubmit={(event) => void onSubmit(event)}>
        <p>
          The thread goes on with the agent that you choose. It is told what happened and which files changed; it does
          not have the memory of {labelOf(thread.agent_id)}.
        </p>
        <LoadProblem what="The agents" state={list} />
        {agents?.length === 0 && (
          <p className="hint">No other agent is installed. Settings shows how to install one.</p>
        )}
        <span className="labelled">
          Agent
          <ListBox
            label="Agent"
            value={agentId}
            onChange={setChosen}
            options={(agents ?? []).map(({ id, label }) => ({ value: id, name: label }))}
          />
        </span>
        <ErrorText error={error} />
        <button type="submit" className="button primary" disabled={isBusy || agentId === ""}>
          {isBusy ? "Starting …" : "Hand over"}
        </button>
      </form>
    </Sheet>
  );
}
