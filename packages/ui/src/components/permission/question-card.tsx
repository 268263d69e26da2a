// The card of one permission question: what the agent wants, in full; its options; how long to remember; and the rule that will be saved.
import type { PermissionOption, PermissionRow, ThreadRow, ToolCallRow } from "@signalbox/protocol";
import { commandOf, type RememberScope } from "@signalbox/rules";
import { useState } from "react";
import { useSignalbox } from "../../hooks/signalbox.tsx";
import { useAgentLabel } from "../../hooks/use-agent-label.ts";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { useFolderName } from "../../hooks/use-folder-name.ts";
import { useJustAppeared } from "../../hooks/use-just-appeared.ts";
import { useKeys } from "../../hooks/use-keys.ts";
import { lastName } from "../../text/paths.ts";
import { Icon } from "../shared/icon.tsx";
import { KeyHint } from "../shared/key-hint.tsx";
import { LongText } from "../shared/long-text.tsx";
import { fileChanges } from "../tool-call/file-changes.ts";
import { ToolCallBody } from "../tool-call/tool-call-body.tsx";
import { Title } from "../tool-call/tool-call-item.tsx";
import { isAllow, isOnlyCommand, isTruncatedCommand, keyedOptions, optionLabel, wantsTo } from "./answers.ts";
import { Remember } from "./remember.tsx";

interface Question {
  readonly question: PermissionRow;
  readonly toolCall: ToolCallRow | null;
  /** The sub-agent that makes the call, and its task where it is known. */
  readonly subAgent: { readonly task: string | null } | null;
  readonly thread: ThreadRow;
  /** How many more questions wait. */
  readonly behind: number;
}

export function QuestionCard({ question, toolCall, subAgent, thread, behind }: Question) {
  const { connection } = useSignalbox();
  const labelOf = useAgentLabel();
  const folderName = useFolderName();
  const { attempt, error, isBusy } = useAttempt();
  const [scope, setScope] = useState<RememberScope>("once");
  const hasJustAppeared = useJustAppeared();
  const answer = (option: PermissionOption | undefined) => {
    if (option === undefined || isBusy) return;
    void attempt(() =>
      connection.request({
        control: "permission.respond",
        thread_id: question.thread_id,
        permission_id: question.permission_id,
        option_id: option.optionId,
        ...(scope === "once" ? {} : { remember: scope }),
      }),
    );
  };
  const { allow, deny } = keyedOptions(question.options);
  const byKey = (option: PermissionOption | undefined) => () => {
    if (!hasJustAppeared()) answer(option);
  };
  const scopes: readonly RememberScope[] = ["once", ...question.remember_scopes];
  const nextScope = () => setScope((now) => scopes[(scopes.indexOf(now) + 1) % scopes.length] ?? "once");
  useKeys({
    a: byKey(allow),
    d: byKey(deny),
    r: nextScope,
    "alt+a": byKey(allow),
    "alt+d": byKey(deny),
    "alt+r": nextScope,
    ...Object.fromEntries(question.options.map((option, index) => [`alt+${index + 1}`, byKey(option)])),
  });
  const rule = question.rule_if_remembered;
  return (
    <div className="card ask" role="group" aria-label="Question">
      <div className="card-head">
        <Icon name={toolCall?.kind ?? "other"} />
        <p className="why">
          {subAgent !== null && "A sub-agent of "}
          <b>{labelOf(thread.agent_id)}</b> wants to {wantsTo(toolCall)} in{" "}
          <code title={thread.cwd}>{folderName(thread.cwd)}</code>{" "}
          {question.rule === null ? "· no matching rule" : `· rule: ask ${question.rule}`}
        </p>
        <span className="right">{behind > 0 && `${behind} more waiting`}</span>
      </div>
      <div className="ask-body">
        {/* Text of the agent, so not part of the sentence above. */}
        {typeof subAgent?.task === "string" && (
          <p className="message task">
            Sub-agent: <Title title={subAgent.task} />
          </p>
        )}
        {(toolCall === null || titleAddsSomething(toolCall)) && (
          <p className="message">
            <Title title={toolCall?.title ?? "Unnamed action"} />
          </p>
        )}
        {toolCall !== null && <Action toolCall={toolCall} />}
      </div>
      <div className="acts">
        {question.options.map((option) => (
          <button
            key={option.optionId}
            type="button"
            className={`button ${option === allow ? "go" : isAllow(option) ? "" : "no"}`}
            disabled={isBusy}
            onClick={() => answer(option)}
          >
            {optionLabel(option)}
            {option === allow && <KeyHint letter="A" />}
            {option === deny && <KeyHint letter="D" />}
          </button>
        ))}
        {scopes.length > 1 && <Remember scope={scope} scopes={scopes} onChange={setScope} />}
      </div>
      {scope !== "once" && rule !== null && (
        <p className="rule">
          Will add the rule <code>{rule}</code>
        </p>
      )}
      {error !== null && (
        <p role="alert" className="error">
          {error}
        </p>
      )}
    </div>
  );
}

/** Whether the title has more than the command or the file name, which are shown below it. */
function titleAddsSomething(toolCall: ToolCallRow): boolean {
  const changes = fileChanges(toolCall);
  if (changes.length === 0) return !isOnlyCommand(toolCall) && !isTruncatedCommand(toolCall);
  return !changes.every(({ change }) => toolCall.title.includes(lastName(change.path)));
}

/** The command or the change in full; otherwise the input as sent. */
function Action({ toolCall }: { toolCall: ToolCallRow }) {
  if (commandOf(toolCall.raw_input) !== undefined || toolCall.content.length > 0)
    return <ToolCallBody toolCall={toolCall} isWhole />;
  const paths = toolCall.locations.map((location) => location.path).join("\n");
  const input = toolCall.raw_input === null ? "" : JSON.stringify(toolCall.raw_input, null, 2);
  return <LongText text={[paths, input].filter((text) => text !== "").join("\n")} />;
}
