// Shows the command that a question is about: all of a short one; of a long one its first and last lines, how many there are, and the rest on a click.
import type { QuestionSubject } from "@signalbox/protocol";
import { count } from "@signalbox/protocol/sizes";
import { describeRights, isWithin } from "@signalbox/rules";
import { Fragment } from "react";
import { shortPath } from "../../text/paths.ts";
import { visible } from "../../text/visible.ts";

const maxLines = 12;
const edgeLines = 4;
const maxLineLength = 600;

interface CommandProps {
  readonly subject: QuestionSubject;
  readonly command: string;
  /** Paths outside the folder that the question names. */
  readonly outside: readonly string[];
  readonly folder: string;
  /** Lines and parts of lines between the ends are shown too. */
  readonly isWhole: boolean;
  readonly onWhole: () => void;
  /** The person runs it, so no agent asks for its rights. */
  readonly isByPerson?: boolean;
}

/** Whether a part of the command is only shown on a click. */
export function isCommandFolded({ command, command_end: end }: QuestionSubject): boolean {
  if (command === null) return false;
  return end !== null || hasTooManyLines(command) || command.split("\n").some((line) => line.length > maxLineLength);
}

const hasTooManyLines = (command: string) => command.split("\n").length > maxLines;

export function CommandView(props: CommandProps) {
  const { subject, command, isWhole, onWhole } = props;
  const lines = command.split("\n");
  const end = subject.command_end?.split("\n") ?? [];
  const all = [...lines, ...end];
  const isFolded = !isWhole && (hasTooManyLines(command) || end.length > 0);
  const hidden = subject.command_lines - 2 * edgeLines;
  return (
    <div className="ask-command" role="group" aria-label="Command">
      {isFolded ? (
        <>
          <Lines lines={all.slice(0, edgeLines)} isWhole={false} onWhole={onWhole} />
          <button type="button" className="more fold" onClick={onWhole}>
            Show {hidden > 0 ? `${hidden.toLocaleString("en")} lines` : "all"} between
          </button>
          <Lines lines={all.slice(-edgeLines)} isWhole={false} onWhole={onWhole} isEnd />
        </>
      ) : (
        <>
          <Lines lines={lines} isWhole={isWhole} onWhole={onWhole} />
          {end.length > 0 && (
            <>
              <p className="hint">
                {count(subject.command_length - command.length - (subject.command_end?.length ?? 0))} characters between
                are not shown here; the tool call has them.
              </p>
              <Lines lines={end} isWhole={isWhole} onWhole={onWhole} isEnd />
            </>
          )}
        </>
      )}
      <CommandNotes {...props} />
    </div>
  );
}

interface LinesProps extends Pick<CommandProps, "isWhole" | "onWhole"> {
  readonly lines: readonly string[];
  readonly isEnd?: boolean;
}

function Lines({ lines, isWhole, onWhole, isEnd = false }: LinesProps) {
  return (
    <pre className="command" dir="ltr">
      {lines.map((line, index) => (
        <Line key={index} text={!isEnd && index === 0 ? `$ ${line}` : line} isWhole={isWhole} onWhole={onWhole} />
      ))}
    </pre>
  );
}

interface LineProps extends Pick<CommandProps, "isWhole" | "onWhole"> {
  readonly text: string;
}

/** Of a very long line the beginning and the end: what is hidden must not be at the end, where it would not be seen. */
function Line({ text, isWhole, onWhole }: LineProps) {
  if (isWhole || text.length <= maxLineLength) return `${visible(text)}\n`;
  const half = maxLineLength / 2;
  return (
    <>
      {visible(text.slice(0, half))}
      <button type="button" className="more" onClick={onWhole}>
        … {count(text.length - maxLineLength)} more characters …
      </button>
      {`${visible(text.slice(-half))}\n`}
    </>
  );
}

const networkLabels = {
  off: "nothing: it runs without network",
  on: "any host: it can use the network",
  "allow-list": "the hosts that your config allows",
} as const;

/** After the hosts that the command names. */
const namedHostLabels: Readonly<Record<keyof typeof networkLabels, string>> = {
  off: "named in it, but it runs without network",
  on: "named in it; it can use the network",
  "allow-list": "named in it; it can reach those that your config allows",
};

/** Shows which rights beyond the sandbox the command asks for, and the agent's reason. */
function Escalation({ escalation }: Pick<QuestionSubject, "escalation">) {
  if (escalation === null) return null;
  const { to, folder, reason } = escalation;
  return (
    <div className="ask-note ask-rights" data-caution role="note" aria-label="More rights">
      <p>
        Asks for more rights. <strong>{visible(describeRights(folder === null ? { to } : { to, folder }))}</strong>
      </p>
      <p>
        <span className="fact">Reason given</span> {reason === "" ? "none" : `“${visible(reason)}”`}
      </p>
    </div>
  );
}

function CommandNotes({ subject, outside, folder, isByPerson = false }: CommandProps) {
  const { environment, shell, is_command_exact: isExact, escalation } = subject;
  // With more rights than the sandbox gives, also the thread's own folder is named.
  const runsIn = subject.folder ?? (escalation === null ? null : subject.thread_folder);
  return (
    <>
      {!isByPerson && <Escalation escalation={escalation} />}
      {runsIn !== null && (
        <p className="ask-note">
          <span className="fact">Runs in</span>{" "}
          <code>{visible(subject.folder === null ? runsIn : shortPath(runsIn, folder))}</code>
        </p>
      )}
      <Programs subject={subject} />
      {environment.length > 0 && (
        <p className="ask-note">
          <span className="fact">Environment</span> <code>{visible(environment.join(" "))}</code>
        </p>
      )}
      {shell !== null && (
        <p className="ask-note">
          <span className="fact">Shell</span> <code>{shell}</code>
        </p>
      )}
      {subject.network !== null && (
        <p className="ask-note">
          <span className="fact">Reaches</span>{" "}
          {subject.command_hosts.map((host) => (
            <Fragment key={host}>
              <code className="host">{visible(host)}</code>{" "}
            </Fragment>
          ))}
          {(subject.command_hosts.length > 0 ? namedHostLabels : networkLabels)[subject.network]}
        </p>
      )}
      {!isExact && (
        <p className="ask-note" data-caution>
          The agent names more than one command line: which one would run is not known.
        </p>
      )}
      <EarlierAnswers subject={subject} outside={outside} />
    </>
  );
}

/** Shows which files would run. One that the thread's commands can write is not what its name says. */
function Programs({ subject: { programs, thread_folder: folder } }: Pick<CommandProps, "subject">) {
  return programs.map((file) => {
    const isOwn = isWithin(file, folder);
    return (
      <p key={file} className="ask-note" data-caution={isOwn ? "" : undefined}>
        <span className="fact">Program</span> <code>{visible(file)}</code>
        {isOwn && ", which this thread’s agent can change"}
      </p>
    );
  });
}

/** How it differs from an earlier question about the same command, and how that one was answered. */
function EarlierAnswers({ subject, outside }: Pick<CommandProps, "subject" | "outside">) {
  const { asked_before: before, denied_before: wasDenied } = subject;
  if (before === null) return null;
  const others = before.filter((path) => !outside.includes(path));
  return (
    <p className="ask-note" data-caution>
      Another question about the same command.{" "}
      {others.length > 0 && (
        <>
          The one before was about access to <code>{visible(others.join(", "))}</code>.{" "}
        </>
      )}
      {before.length === 0 && outside.length > 0 && "The one before was about the command itself. "}
      {wasDenied && "You denied it."}
    </p>
  );
}
