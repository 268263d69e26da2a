// A question that wants more than yes or no: the agent's form, or an address that it wants opened. Nothing is opened and nothing is told to
// the agent but by the person.
import type { ElicitationRow, ThreadRow } from "@signalbox/protocol";
import { useSignalbox } from "../../hooks/signalbox.tsx";
import { useAgentLabel } from "../../hooks/use-agent-label.ts";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { useDeafness } from "../../hooks/use-deafness.ts";
import { useKeys } from "../../hooks/use-keys.ts";
import { Icon } from "../shared/icon.tsx";
import { AddressToOpen } from "./address-to-open.tsx";
import { ElicitationForm } from "./elicitation-form.tsx";
import type { Respond } from "./respond.ts";

interface ElicitationCardOf {
  readonly question: ElicitationRow;
  readonly thread: ThreadRow;
  /** How many more wait after this one. */
  readonly behind: number;
}

export function ElicitationCard({ question, thread, behind }: ElicitationCardOf) {
  const { connection } = useSignalbox();
  const labelOf = useAgentLabel();
  const { attempt, error, isBusy } = useAttempt();
  const isDeaf = useDeafness();
  const { thread_id, elicitation_id } = question;
  const respond: Respond = async (action, content) => {
    await connection.request({
      control: "elicitation.respond",
      thread_id,
      elicitation_id,
      action,
      ...(content === undefined ? {} : { content: content as never }),
    });
  };
  const answer = (action: "accept" | "decline" | "cancel") => void attempt(() => respond(action));
  const byKey = (action: "decline" | "cancel") => () => {
    if (!isDeaf()) answer(action);
  };
  useKeys({ d: byKey("decline"), c: byKey("cancel"), "alt+d": byKey("decline"), "alt+c": byKey("cancel") });
  return (
    <div className="card ask" role="group" aria-label="Question">
      <div className="card-head">
        <Icon name={question.mode === "url" ? "fetch" : "think"} />
        <span className="title">
          {labelOf(thread.agent_id)} {question.mode === "url" ? "wants you to open an address" : "wants to know"}
        </span>
        <span className="right">{behind > 0 && `${behind} more behind this`}</span>
      </div>
      <div className="ask-body">
        <p className="message" dir="auto">
          {question.message}
        </p>
        {question.mode === "url" ? (
          <AddressToOpen address={question.url ?? ""} onOpen={() => answer("accept")} />
        ) : (
          <ElicitationForm schema={question.schema} respond={respond} isDeaf={isDeaf} />
        )}
      </div>
      <div className="acts">
        {question.mode === "form" && (
          <button type="submit" form="elicitation" className="button go" disabled={isBusy}>
            Send <kbd>A</kbd>
          </button>
        )}
        <button type="button" className="button no" disabled={isBusy} onClick={() => answer("decline")}>
          Decline <kbd>D</kbd>
        </button>
        <button type="button" className="button" disabled={isBusy} onClick={() => answer("cancel")}>
          Cancel <kbd>C</kbd>
        </button>
      </div>
      {error !== null && (
        <p role="alert" className="error">
          {error}
        </p>
      )}
    </div>
  );
}
