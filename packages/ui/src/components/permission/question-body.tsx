// Shows what a question is about: the command, the changes, or the paths and addresses, and last what the agent calls it.
import type { PermissionRow, QuestionSubject } from "@signalbox/protocol";
import { shortPath } from "../../text/paths.ts";
import { agentTitle } from "../../text/title-pieces.ts";
import { visible } from "../../text/visible.ts";
import { LongText } from "../shared/long-text.tsx";
import { PathLink } from "../shared/path-link.tsx";
import { CallTitle } from "../tool-call/call-title.tsx";
import { AskedChanges, OutsideMark } from "./asked-changes.tsx";
import { CommandView } from "./command-view.tsx";
import type { AskedFiles } from "./use-asked-files.ts";
import type { useUnread } from "./use-unread.ts";

interface QuestionBodyProps {
  readonly question: PermissionRow;
  readonly asked: AskedFiles;
  readonly unread: ReturnType<typeof useUnread>;
  readonly agent: string;
  readonly folder: string;
}

export function QuestionBody({ question, asked, unread, agent, folder }: QuestionBodyProps) {
  const { subject, hunks, outside } = question;
  const command = subject?.command ?? null;
  const elsewhere = outside.filter((path) => !hunks.some((file) => file.path === path));
  const title = agentTitle(subject?.title ?? "");
  return (
    <>
      {elsewhere.length > 0 && (
        <p className="ask-note outside-paths">
          <OutsideMark /> <code>{visible(elsewhere.join(" "))}</code>
        </p>
      )}
      {subject !== null && command !== null && (
        <CommandView
          subject={subject}
          command={command}
          outside={outside}
          folder={folder}
          isWhole={unread.isCommandOpen}
          onWhole={unread.openCommand}
        />
      )}
      {hunks.length > 0 && <AskedChanges asked={asked} outside={outside} folder={folder} onWhole={unread.openFile} />}
      {subject !== null && <OtherPaths subject={subject} changed={hunks.map(({ path }) => path)} folder={folder} />}
      {subject !== null && command === null && hunks.length === 0 && <Unchanging subject={subject} />}
      {title !== "" && !isSaidAbove(title, question, folder) && (
        <p className="ask-note agent-words">
          {agent} calls it “<CallTitle title={title} />”
        </p>
      )}
    </>
  );
}

/** The paths that an answer opens and of which no change is shown. A command is the whole of what its question opens. */
function OtherPaths({
  subject: { kind, command, paths },
  changed,
  folder,
}: {
  subject: QuestionSubject;
  changed: readonly string[];
  folder: string;
}) {
  const isCommand = command !== null && (kind === "execute" || kind === "other");
  const others = isCommand ? [] : paths.filter((path) => !changed.includes(path));
  return others.map((path) => (
    <p key={path} className="path">
      <PathLink path={path}>{visible(shortPath(path, folder))}</PathLink>
    </p>
  ));
}

/** Shows a request that neither runs a command nor changes a known file: its tool, its addresses and its raw input. */
function Unchanging({ subject: { kind, paths, hosts, tool, input } }: { subject: QuestionSubject }) {
  const isOnlyPath = input !== null && paths.length > 0 && isOnlyPaths(input, paths);
  return (
    <>
      {tool !== null && (
        <p className="ask-note">
          Tool <code>{tool}</code>
        </p>
      )}
      {hosts.map((host) => (
        <p key={host} className="path">
          {host}
        </p>
      ))}
      {input !== null && !isOnlyPath && <LongText text={input} />}
      {kind === "execute" && (
        <p className="ask-note" data-caution>
          The agent does not say which command. If Signalbox runs it, you are asked again, with the command.
        </p>
      )}
      {kind !== "execute" && input === null && paths.length + hosts.length === 0 && (
        <p className="ask-note" data-caution>
          The agent does not say what it would do.
        </p>
      )}
    </>
  );
}

function isOnlyPaths(text: string, paths: readonly string[]): boolean {
  const input = parseInput(text);
  if (typeof input !== "object" || input === null) return false;
  return Object.values(input).every((value) => typeof value === "string" && paths.some((path) => path.endsWith(value)));
}

/** A text that was cut is no JSON any more. */
function parseInput(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Whether the title only repeats the command or the file names. */
function isSaidAbove(title: string, { subject, hunks }: PermissionRow, folder: string): boolean {
  const plain = oneLine(title.replace(/^`(.*)`$/s, "$1")).replace(/…$/, "");
  const command = oneLine(subject?.command ?? "");
  if (command !== "") return command.startsWith(plain) || oneLine(`$ ${command}`) === plain;
  const paths = hunks.length > 0 ? hunks.map(({ path }) => path) : (subject?.paths ?? []);
  const names = paths.flatMap((path) => [path, shortPath(path, folder)]);
  const rest = names.reduce((text, name) => text.replaceAll(name, ""), title);
  return names.length > 0 && /^[\s`]*(?:(?:edit|write|read|create|delete|update)(?:ing)?(?: to)?)?[\s`]*$/i.test(rest);
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, " ").trim();
