// A question that needs more than yes or no: a form to fill in, or an address to open. Nothing is opened or sent without the person.

import type { ElicitationRow, ThreadRow } from "@signalbox/protocol";
import { answerElicitation, useAgentLabel } from "@signalbox/react";
import { useRef } from "react";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { useJustAppeared, useTypedLetters } from "../../hooks/use-just-appeared.ts";
import { useKeys } from "../../hooks/use-keys.ts";
import { findPrompt } from "../../stores/prompt-focus.ts";
import { ErrorText } from "../shared/error-text.tsx";
import { Icon } from "../shared/icon.tsx";
import { KeyHint } from "../shared/key-hint.tsx";
import { ElicitationForm, type Respond } from "./elicitation-form.tsx";

interface ElicitationCardProps {
  readonly question: ElicitationRow;
  readonly thread: ThreadRow;
  /** How many more questions wait. */
  readonly behind: number;
}

export default function ElicitationCard({ question, thread, behind }: ElicitationCardProps) {
  const { connection } = useSignalbox();
  const labelOf = useAgentLabel();
  const { attempt, error, isBusy } = useAttempt();
  const hasJustAppeared = useJustAppeared();
  const respond: Respond = async (action, content) => {
    await answerElicitation(connection, question, { action, ...(content === undefined ? {} : { content }) });
  };
  const answer = (action: "accept" | "decline" | "cancel") => void attempt(() => respond(action));
  const byKey = (action: "decline" | "cancel") => () => {
    if (!hasJustAppeared()) answer(action);
  };
  const isTyped = useTypedLetters();
  const card = useRef<HTMLDivElement>(null);
  const toFirst = () => card.current?.querySelector<HTMLElement>("form input, form select, .address a")?.focus();
  useKeys(
    {
      q: toFirst,
      "alt+q": toFirst,
      d: byKey("decline"),
      c: byKey("cancel"),
      "alt+d": byKey("decline"),
      "alt+c": byKey("cancel"),
    },
    { part: card, isExact: true, isTyped },
  );
  const leave = () => (document.activeElement === card.current ? findPrompt() : card.current)?.focus();
  useKeys({ Escape: leave }, { part: card });
  return (
    <div className="card ask" role="group" aria-label="Question" ref={card} data-card tabIndex={-1}>
      <div className="card-head">
        <Icon name={question.mode === "url" ? "fetch" : "think"} />
        <span className="title">
          {labelOf(thread.agent_id)} {question.mode === "url" ? "asks you to open an address" : "asks"}
        </span>
        <span className="right">{behind > 0 && `${behind} more waiting`}</span>
      </div>
      <div className="ask-body">
        <p className="message" dir="auto">
          {question.message}
        </p>
        {question.mode === "url" ? (
          <AddressToOpen address={question.url ?? ""} onOpen={() => answer("accept")} />
        ) : (
          <ElicitationForm card={card} schema={question.schema} respond={respond} hasJustAppeared={hasJustAppeared} />
        )}
      </div>
      <div className="acts">
        {question.mode === "form" && (
          <button type="submit" form="elicitation" className="button primary" disabled={isBusy}>
            Send <KeyHint letter="A" />
          </button>
        )}
        <button type="button" className="button no" disabled={isBusy} onClick={() => answer("decline")}>
          Decline <KeyHint letter="D" />
        </button>
        <button type="button" className="button" disabled={isBusy} onClick={() => answer("cancel")}>
          Cancel <KeyHint letter="C" />
        </button>
      </div>
      <ErrorText error={error} />
    </div>
  );
}

/** An address that the agent wants opened: shown in full, and opened only by a click. */
function AddressToOpen({ address, onOpen }: { address: string; onOpen: () => void }) {
  const url = URL.parse(address);
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    return <p className="message">Not a web address: {address}</p>;
  }
  return (
    <div className="address">
      <code dir="ltr">{address}</code>
      <p>
        Opens <b dir="ltr">{url.host}</b>
        {url.protocol === "http:" && " over an unencrypted connection"}.
      </p>
      <a className="button primary" href={url.href} target="_blank" rel="noreferrer noopener" onClick={onOpen}>
        Open
      </a>
    </div>
  );
}
