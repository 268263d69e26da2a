// The card of one permission question: what would happen, as the host knows it; how far to allow it; or to deny it, and what to do instead.

import type { PermissionRow, ThreadRow } from "@signalbox/protocol";
import { mildestOptions, useAgentLabel } from "@signalbox/react";
import type { RememberScope } from "@signalbox/rules";
import { useRef, useState } from "react";
import { useFolderName } from "../../hooks/use-folder-name.ts";
import { useJustAppeared, useTypedLetters } from "../../hooks/use-just-appeared.ts";
import { useKeys } from "../../hooks/use-keys.ts";
import { useLayer } from "../../stores/layers.ts";
import { findPrompt } from "../../stores/prompt-focus.ts";
import { LineCounts } from "../diff/line-counts.tsx";
import { Icon } from "../shared/icon.tsx";
import { CallTitle } from "../tool-call/call-title.tsx";
import { AnswerButtons, focusAnswer } from "./answer-buttons.tsx";
import { describeWish, hasRisk, inOrder, isAllow, isChoice, isOnlyAlways } from "./answers.ts";
import { focusCard } from "./focus-card.ts";
import { allButton, LikeQuestions } from "./like-questions.tsx";
import { QuestionBody } from "./question-body.tsx";
import { listRiskMarks } from "./risk-marks.ts";
import { Scopes, scopeButton } from "./scopes.tsx";
import { useAnswer } from "./use-answer.ts";
import { useAskedFiles } from "./use-asked-files.ts";
import { useUnread } from "./use-unread.ts";

interface Question {
  readonly question: PermissionRow;
  /** The sub-agent that makes the call, and its task where it is known. */
  readonly subAgent: { readonly task: string | null } | null;
  readonly thread: ThreadRow;
  /** Other waiting questions that can get the same answer. */
  readonly alike: readonly PermissionRow[];
  /** How many more questions wait. */
  readonly behind: number;
}

export function QuestionCard({ question, subAgent, thread, alike, behind }: Question) {
  const agent = useAgentLabel()(thread.agent_id);
  const folderName = useFolderName();
  const answer = useAnswer(question, alike);
  const { isBusy } = answer;
  const [isPanelOpen, setPanelOpen] = useState(false);
  const card = useRef<HTMLDivElement>(null);
  const commentField = useRef<HTMLInputElement>(null);
  const hasJustAppeared = useJustAppeared();
  const isTyped = useTypedLetters();
  const asked = useAskedFiles(question);
  const { subject, hunks, outside } = question;
  // As the host described the question: an answer covers what is shown here, and the row of the thread is not part of it.
  const folder = subject?.thread_folder ?? thread.cwd;
  const options = inOrder(question.options);
  const { allow, deny } = mildestOptions(options);
  const hasButtons = isChoice(options, subject?.kind ?? "");
  const canRemember = allow !== undefined && question.remember_scopes.length > 0;
  const agentOptions = options.filter(
    (option) => !hasButtons && option !== allow && option !== deny && !(canRemember && isOnlyAlways(option)),
  );
  const scopes: readonly RememberScope[] = canRemember ? ["once", ...question.remember_scopes] : ["once"];
  const hasPanel = scopes.length > 1 || agentOptions.length > 0;
  const late = (action: () => void) => () => {
    if (!hasJustAppeared()) action();
  };
  const openPanel = () => {
    if (!hasPanel) return;
    setPanelOpen(true);
    focusCard();
  };
  useLayer(isPanelOpen, () => {
    setPanelOpen(false);
    card.current?.focus();
  });
  const unread = useUnread(question, asked);
  const isRisky = unread.isUnread || hasRisk(question, asked.files);
  /** Where there is a risk, a key only goes to the button, and Enter presses it. */
  const press = (button: string, action: () => void) =>
    late(() => {
      if (!isRisky) return action();
      if (!focusAnswer(button)) openPanel();
    });
  const allowKey = press(allow?.optionId ?? "", () => answer.allow(allow));
  const denyKey = late(() => answer.answer(deny));
  const allKey = press(allButton, () => alike.length > 0 && answer.answerAll(allow));
  const toComment = () => commentField.current?.focus();
  useKeys(
    {
      a: allowKey,
      d: denyKey,
      l: allKey,
      x: toComment,
      A: openPanel,
      "alt+a": allowKey,
      "alt+d": denyKey,
      "alt+l": allKey,
      "alt+x": toComment,
      "alt+shift+a": openPanel,
      ...Object.fromEntries(
        options.map((option, index) => {
          const action = () => answer.answer(option);
          return [String(index + 1), isAllow(option) ? press(option.optionId, action) : late(action)];
        }),
      ),
      ...(isPanelOpen
        ? Object.fromEntries(
            scopes.map((each, index) => [String(index + 1), press(scopeButton(each), () => answer.allow(allow, each))]),
          )
        : {}),
    },
    { part: card, isExact: true, isTyped },
  );
  // One step out: from a button or the comment to the card, from there to the prompt.
  const leave = () => (document.activeElement === card.current ? findPrompt() : card.current)?.focus();
  useKeys({ Escape: leave }, { part: card });
  const outsideFiles = hunks.filter(({ path }) => outside.includes(path));
  const isCommand = typeof subject?.command === "string";
  // A command runs in its folder, whatever paths it names.
  const isElsewhere =
    outside.length > 0 && (isCommand ? subject?.folder !== null : outsideFiles.length === hunks.length);
  return (
    <div
      className="card ask"
      role="group"
      aria-label="Question"
      data-danger={isRisky || undefined}
      ref={card}
      data-card
      tabIndex={-1}
    >
      <div className="card-head">
        <Icon name={isCommand ? "execute" : hunks.length > 0 ? "edit" : (subject?.kind ?? "other")} />
        <p className="why">
          {subAgent !== null && "A sub-agent of "}
          <b>{agent}</b> wants to {describeWish(question)} {isElsewhere ? "outside" : "in"}{" "}
          <code title={folder}>{folderName(folder)}</code>
          {outside.length > 0 &&
            !isElsewhere &&
            (outsideFiles.length > 0 ? `, ${outsideFiles.length} of them outside` : ", with paths outside it")}{" "}
          {question.rule === null ? "· no matching rule" : `· rule: ask ${question.rule}`}
        </p>
        <span className="right">
          {subject !== null && subject.command_lines > 1 && <>{subject.command_lines.toLocaleString("en")} lines </>}
          {hunks.length > 1 && <LineCounts files={hunks} />}
          {behind > 0 && ` ${behind} more waiting`}
        </span>
        <span className="risk-marks">
          {listRiskMarks(question, unread.isUnread).map(({ label, isDanger }) => (
            <span key={label} className="tag" data-risk={isDanger ? "danger" : "caution"}>
              {label}
            </span>
          ))}
        </span>
      </div>
      <div className="ask-body">
        {/* Text of the agent, so not part of the sentence above. */}
        {typeof subAgent?.task === "string" && (
          <p className="message task">
            Sub-agent: <CallTitle title={subAgent.task} />
          </p>
        )}
        <QuestionBody question={question} asked={asked} unread={unread} agent={agent} folder={folder} />
      </div>
      {isPanelOpen && (
        <Scopes
          folder={folder}
          agent={agent}
          scopes={scopes}
          onScope={(scope) => answer.allow(allow, scope)}
          rules={answer.rules}
          rule={answer.rule}
          onRule={answer.setRule}
          agentOptions={agentOptions}
          onOption={answer.answer}
          isBusy={isBusy}
        />
      )}
      <AnswerButtons
        options={options}
        answer={answer}
        isChoice={hasButtons}
        isRisky={isRisky}
        isUnread={unread.isUnread}
        panel={hasPanel ? { isOpen: isPanelOpen, toggle: () => setPanelOpen(!isPanelOpen) } : undefined}
        commentField={commentField}
      />
      {alike.length > 0 && (
        <LikeQuestions
          questions={alike}
          chosen={answer.chosen}
          onToggle={answer.toggle}
          onAllow={() => answer.answerAll(allow)}
          onDeny={() => answer.answerAll(deny)}
          folder={folder}
          isBusy={isBusy}
          isRisky={isRisky}
        />
      )}
      <LettersNote />
      {answer.error !== null && (
        <p role="alert" className="error">
          {answer.error}
        </p>
      )}
    </div>
  );
}

/** Where letters go now. CSS shows one of the two: the first while the card itself has the focus. */
function LettersNote() {
  return (
    <p className="letters-note">
      <span data-on="card">
        This card has the focus, so letters answer it. <kbd>Esc</kbd> goes back to the prompt; nothing is stopped.
      </span>
      <span data-on="prompt">
        Letters go to the prompt. <kbd>Alt ↑</kbd> moves to the card.
      </span>
    </p>
  );
}
