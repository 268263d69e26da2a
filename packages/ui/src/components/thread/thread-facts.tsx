// The second row of a thread's head: who works, where, how safe, how much. Each chip opens its detail; those at the right go first where room is short.
import type { ThreadRow, ThreadStateRow } from "@signalbox/protocol";
import { count, money } from "@signalbox/protocol/sizes";
import { useAgentLabel } from "@signalbox/react";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { useFolderName } from "../../hooks/use-folder-name.ts";
import { handingOver } from "../../stores/handing-over.ts";
import { Detail } from "../shared/detail.tsx";
import { ErrorText } from "../shared/error-text.tsx";
import { Icon } from "../shared/icon.tsx";
import { Mark } from "../shared/mark.tsx";
import { WaitingNotice } from "../shell/waiting-notice.tsx";
import { gitLabel, gitTitle } from "../threads/git-label.ts";
import { machineLabel } from "../threads/machine-label.ts";
import { sandboxLabel } from "../threads/sandbox-label.ts";
import { readUsage } from "./read-usage.ts";

export function ThreadFacts({ thread, state }: { thread: ThreadRow; state: ThreadStateRow | null }) {
  const { connection } = useSignalbox();
  const { attempt, error } = useAttempt();
  const agent = useAgentLabel()(thread.agent_id);
  const folderName = useFolderName();
  const machine = machineLabel(thread);
  const { git, sandbox, cwd, additional_directories: others } = thread;
  const refreshGit = () => void attempt(() => connection.query("git.state", { thread_id: thread.id }));
  return (
    <div className="head-facts">
      <Detail
        label="Agent"
        name="agent"
        rows={[["Agent", agent], ...(machine === null ? [] : [["Machine", machine] as const])]}
        action={{ name: "Hand over", run: () => handingOver.set(thread.id) }}
      >
        <Mark agentId={thread.agent_id} name={agent} />
        <b>{agent}</b>
      </Detail>
      {machine !== null && (
        <span className="chip machine" title="The machine that this thread is on">
          {machine}
        </span>
      )}
      <Detail
        label="Folder"
        name="folder"
        title={[cwd, ...others].join("\n")}
        rows={[["Folder", cwd], ...others.map((path, index) => [`Folder ${index + 2}`, path] as const)]}
      >
        <Icon name="folder" isSmall />
        <bdi>{folderName(git?.project ?? cwd)}</bdi>
        {others.length > 0 && ` +${others.length}`}
      </Detail>
      {git !== null && (
        <Detail
          label="Branch"
          name="branch"
          title={gitTitle(git)}
          rows={gitTitle(git)
            .split("\n")
            .slice(0, -1)
            .map((line, index) => [index === 0 ? "Git" : " ".repeat(index), line] as const)}
          action={{ name: "Look again", run: refreshGit }}
        >
          <Icon name="branch" isSmall />
          <span className="cut">{gitLabel(git)}</span>
        </Detail>
      )}
      {sandbox !== null && (
        <Detail
          label="Access"
          name="sandbox"
          title={sandbox.detail}
          signal={sandbox.by === "none" ? "caution" : "go"}
          rows={[
            ["Access", sandboxLabel(sandbox)],
            ["Means", sandbox.detail],
          ]}
        >
          <Icon name={sandbox.by === "none" ? "shield-alert" : "shield-check"} isSmall />
          {sandboxLabel(sandbox)}
        </Detail>
      )}
      <Usage state={state} />
      <ErrorText error={error} isInline />
      <WaitingNotice threadId={thread.id} />
    </div>
  );
}

/** How full the context is, as a ring, and what the thread cost. */
function Usage({ state }: { state: ThreadStateRow | null }) {
  const { used, size, part, cost, isPriceUnknown } = readUsage(state);
  const price = isPriceUnknown
    ? "cost not known"
    : cost !== null && cost.amount > 0
      ? money(cost.amount, cost.currency)
      : null;
  const rows: (readonly [string, string])[] = [
    ...(used === null
      ? []
      : [["Context", size === null ? `${count(used)} tokens` : `${count(used)} of ${count(size)} tokens`] as const]),
    ...(price === null ? [] : [["Cost", price] as const]),
  ];
  return (
    <>
      {part !== null && (
        <Detail label="Context" name="context" rows={rows}>
          <svg className="ring" viewBox="0 0 14 14" width="14" height="14" aria-hidden="true">
            <circle cx="7" cy="7" r="5.5" />
            <circle cx="7" cy="7" r="5.5" pathLength="100" strokeDasharray={`${part * 100} 100`} />
          </svg>
          {Math.round(part * 100)} %
        </Detail>
      )}
      {price !== null && (
        <Detail label="Cost" name="cost" rows={rows}>
          {price}
        </Detail>
      )}
    </>
  );
}
