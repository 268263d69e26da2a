// The card of one permission question: what would happen, as the host knows it; how far to allow it; or to deny it, and what to do instead.
import type { PermissionOption, PermissionRow, ThreadRow, ToolCallRow } from "@signalbox/protocol";
import type { RememberScope } from "@signalbox/rules";
import { useRef, useState } from "react";
import { useAgentLabel } from "../../hooks/use-agent-label.ts";
import { useFolderName } from "../../hooks/use-folder-name.ts";
import { useJustAppeared } from "../../hooks/use-just-appeared.ts";
import { useKeys } from "../../hooks/use-keys.ts";
import { Icon } from "../shared/icon.tsx";
import { KeyHint } from "../shared/key-hint.tsx";
import { Title } from "../tool-call/tool-call-item.tsx";
import { inOrder, isAllow, isChoice, isOnlyAlways, keyedOptions, optionLabel, wantsTo } from "./answers.ts";
import { FileCounts } from "./asked-changes.tsx";
import { LikeQuestions } from "./like-questions.tsx";
import { QuestionBody } from "./question-body.tsx";
import { allowLabels, Remember } from "./remember.tsx";
import { useAnswer } from "./use-answer.ts";

interface Question {
  readonly question: PermissionRow;
  readonly toolCall: ToolCallRow | null;
  /** The sub-agent that makes the call, and its task where it is known. */
  readonly subAgent: { readonly task: string | null } | null;
  readonly thread: ThreadRow;
  /** Other waiting questions that can get the same answer. */
  readonly alike: readonly PermissionRow[];
  /** How many more questions wait. */
  readonly behind: number;
}

export function QuestionCard({ question, toolCall, subAgent, thread, alike, behind }: Question) {
  const agent = useAgentLabel()(thread.agent_id);
  const folderName = useFolderName();
  const answer = useAnswer(question, alike);
  const { scope, comment, isBusy } = answer;
  const [isPanelOpen, setPanelOpen] = useState(false);
  const commentField = useRef<HTMLInputElement>(null);
  const hasJustAppeared = useJustAppeared();
  const { subject, hunks, outside } = question;
  const options = inOrder(question.options);
  const { allow, deny } = keyedOptions(options);
  const hasButtons = isChoice(options, subject?.kind ?? "");
  const canRemember = allow !== undefined && question.remember_scopes.length > 0;
  const ownOptions = options.filter(
    (option) => !hasButtons && option !== allow && option !== deny && !(canRemember && isOnlyAlways(option)),
  );
  const scopes: readonly RememberScope[] = canRemember ? ["once", ...question.remember_scopes] : ["once"];
  const hasPanel = scopes.length > 1 || ownOptions.length > 0;
  const late = (action: () => void) => () => {
    if (!hasJustAppeared()) action();
  };
  const openPanel = () => hasPanel && setPanelOpen(true);
  const allowKey = late(() => answer.allow(allow));
  const denyKey = late(() => answer.answer(deny));
  const allKey = late(() => alike.length > 0 && answer.answerAll(allow));
  const toComment = () => commentField.current?.focus();
  useKeys({
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
    ...(isPanelOpen
      ? Object.fromEntries(scopes.map((each, index) => [String(index + 1), () => answer.setScope(each)]))
      : {}),
    ...Object.fromEntries(options.map((option, index) => [`alt+${index + 1}`, late(() => answer.answer(option))])),
  });
  // What is outside the folder, or could not be shown, should not look like the usual thing to allow.
  const isUsual = outside.length === 0 && !hunks.some((file) => file.too_big === true || file.outdated === true);
  const isCommand = typeof subject?.command === "string";
  // A command runs in its folder, whatever paths it names.
  const isElsewhere = outside.length > 0 && (!isCommand || subject?.folder !== null);
  const allowClass = isUsual ? "button go" : "button";
  return (
    <div className="card ask" role="group" aria-label="Question">
      <div className="card-head">
        <Icon name={isCommand ? "execute" : hunks.length > 0 ? "edit" : (subject?.kind ?? "other")} />
        <p className="why">
          {subAgent !== null && "A sub-agent of "}
          <b>{agent}</b> wants to {wantsTo(question)} {isElsewhere ? "outside" : "in"}{" "}
          <code title={thread.cwd}>{folderName(thread.cwd)}</code>
          {outside.length > 0 && !isElsewhere && ", with paths outside it"}{" "}
          {question.rule === null ? "· no matching rule" : `· rule: ask ${question.rule}`}
        </p>
        <span className="right">
          {subject !== null && subject.command_lines > 1 && <>{subject.command_lines.toLocaleString("en")} lines </>}
          {hunks.length > 1 && <FileCounts files={hunks} />}
          {behind > 0 && ` ${behind} more waiting`}
        </span>
      </div>
      <div className="ask-body">
        {/* Text of the agent, so not part of the sentence above. */}
        {typeof subAgent?.task === "string" && (
          <p className="message task">
            Sub-agent: <Title title={subAgent.task} />
          </p>
        )}
        <QuestionBody question={question} toolCall={toolCall} agent={agent} folder={thread.cwd} />
      </div>
      {isPanelOpen && (
        <Remember
          question={question}
          folder={thread.cwd}
          agent={agent}
          scopes={scopes}
          scope={scope}
          onScope={answer.setScope}
          rules={answer.rules}
          rule={answer.rule}
          onRule={answer.setRule}
          ownOptions={ownOptions}
          onOption={answer.answer}
        />
      )}
      <div className="acts">
        {hasButtons &&
          options.map((option) => (
            <OptionButton key={option.optionId} option={option} isBusy={isBusy} onClick={() => answer.answer(option)}>
              {option === allow && <KeyHint letter="A" />}
              {option === deny && <KeyHint letter="D" />}
            </OptionButton>
          ))}
        {!hasButtons && (
          <>
            <span className="split">
              <button type="button" className={allowClass} disabled={isBusy} onClick={() => answer.allow(allow)}>
                {allowLabels[scope]} <KeyHint letter="A" />
              </button>
              {hasPanel && (
                <button
                  type="button"
                  className={allowClass}
                  aria-label="Allow for longer"
                  aria-expanded={isPanelOpen}
                  title="Allow for longer (Shift+A)"
                  onClick={() => setPanelOpen(!isPanelOpen)}
                >
                  ▾
                </button>
              )}
            </span>
            <button type="button" className="button no" disabled={isBusy} onClick={() => answer.answer(deny)}>
              {comment.trim() === "" ? "Deny" : "Deny and send"} <KeyHint letter="D" />
            </button>
          </>
        )}
        {deny !== undefined && (
          <input
            ref={commentField}
            className="comment"
            aria-label="Deny and say what to do instead"
            placeholder="Deny and say what to do instead (X)"
            value={comment}
            onChange={(event) => answer.setComment(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter" && comment.trim() !== "") answer.answer(deny);
              if (event.key !== "Escape") return;
              event.stopPropagation();
              answer.setComment("");
              event.currentTarget.blur();
            }}
          />
        )}
      </div>
      {alike.length > 0 && (
        <LikeQuestions
          questions={alike}
          chosen={answer.chosen}
          onToggle={answer.toggle}
          onAllow={() => answer.answerAll(allow)}
          onDeny={() => answer.answerAll(deny)}
          folder={thread.cwd}
          isBusy={isBusy}
        />
      )}
      {answer.error !== null && (
        <p role="alert" className="error">
          {answer.error}
        </p>
      )}
    </div>
  );
}

interface OptionButtonProps {
  readonly option: PermissionOption;
  readonly isBusy: boolean;
  readonly onClick: () => void;
  readonly children: React.ReactNode;
}

function OptionButton({ option, isBusy, onClick, children }: OptionButtonProps) {
  const look = option.kind === "allow_once" ? "go" : isAllow(option) ? "" : "no";
  return (
    <button type="button" className={`button ${look}`} disabled={isBusy} onClick={onClick}>
      {optionLabel(option)} {children}
    </button>
  );
}
