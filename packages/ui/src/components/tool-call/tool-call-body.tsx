// Shows an open tool call: file changes, terminals, text and pictures. Raw input and output are shown only where there is nothing else.
import {
  type ContentBlock,
  isTextBlock,
  type Json,
  listShownTerminals,
  type ToolCallContent,
  type ToolCallRow,
} from "@signalbox/protocol";
import { bytes } from "@signalbox/protocol/sizes";
import { readCommand } from "@signalbox/rules";
import { useMemo } from "react";
import { useFolder, useTerminal } from "../../hooks/open-thread.tsx";
import { useWholeTexts, type WholeTexts } from "../../hooks/use-whole-texts.ts";
import { shortPath } from "../../text/paths.ts";
import { FileDiff } from "../diff/file-diff.tsx";
import { isCommandInHead } from "../permission/answers.ts";
import { BlobText } from "../shared/blob-text.tsx";
import { ContentBlockView, readTextBlob } from "../shared/content-block.tsx";
import { LongText } from "../shared/long-text.tsx";
import { PathLink } from "../shared/path-link.tsx";
import { Markdown } from "../timeline/markdown.tsx";
import { CallTitle } from "./call-title.tsx";
import { comparedChange, type FileChange, fileChanges, readFileChange, wholeContentRef } from "./file-changes.ts";
import { LargeOutput } from "./large-output.tsx";
import { formatJson } from "./raw-parts.tsx";
import { TerminalText } from "./terminal-text.tsx";
import { TerminalView } from "./terminal-view.tsx";

/** Of a long change, so many rows are shown at first. */
const firstRows = 60;

interface ToolCallBodyProps {
  readonly toolCall: ToolCallRow;
  /** The commands that the host ran for it. */
  readonly commands?: readonly ToolCallRow[];
  /** Also shows what a head above it would say. */
  readonly isWhole?: boolean;
}

export function ToolCallBody({ toolCall, commands = [], isWhole = false }: ToolCallBodyProps) {
  const { raw_input: input, raw_output: output } = toolCall;
  const { content, problem } = useWholeContent(toolCall);
  const command = readCommand(input);
  const others = listOtherParts(content, commands);
  // The bar names the file of a single change.
  const hasHeads = fileChanges({ content }).length > 1;
  return (
    <div className="body">
      {command !== undefined && (isWhole || !isCommandInHead(toolCall)) && (
        <LongText text={`$ ${command}`} className="command" />
      )}
      {problem !== null && <p className="hint">{problem}</p>}
      {content.map((part, index) => (
        <Part key={index} part={part} toolCall={toolCall} commands={commands} hasHead={hasHeads} />
      ))}
      {others.map(({ item, part }, index) => (
        <Part key={`${item.seq} ${index}`} part={part} toolCall={item} commands={noCommands} hasHead />
      ))}
      {content.length === 0 && output !== null && <LongText text={formatJson(output)} />}
      {content.length === 0 && output === null && command === undefined && input !== null && (
        <LongText text={formatJson(input)} />
      )}
    </div>
  );
}

const noCommands: readonly ToolCallRow[] = [];

/** The parts of the host's items of which the call itself does not show the terminal or the file. */
function listOtherParts(content: readonly ToolCallContent[], items: readonly ToolCallRow[]) {
  const terminals = new Set(listShownTerminals(content));
  const files = new Set(content.map((part) => readFileChange(part)?.path));
  return items
    .filter((item) => !listShownTerminals(item.content).some((id) => terminals.has(id)))
    .flatMap((item) => item.content.map((part) => ({ item, part })))
    .filter(({ part }) => {
      const change = readFileChange(part);
      return change === null || !files.has(change.path);
    });
}

/** The content, loaded in full where the row has only the beginning of its JSON. */
function useWholeContent({ content }: ToolCallRow): { content: readonly ToolCallContent[]; problem: string | null } {
  const ref = wholeContentRef(content);
  const whole = useWholeTexts([ref]);
  const text = whole.status === "loaded" ? (whole.texts[0] ?? "") : "";
  const parsed = useMemo(() => (text === "" ? null : (JSON.parse(text) as readonly ToolCallContent[])), [text]);
  if (ref === null || parsed !== null) return { content: parsed ?? content, problem: null };
  return { content: whole.status === "loading" ? [] : content, problem: describeProblem(whole) };
}

function describeProblem(whole: WholeTexts): string | null {
  switch (whole.status) {
    case "loaded":
      return null;
    case "loading":
      return "Loading …";
    case "too_large":
      return `Too large to show in full (${bytes(whole.size)}).`;
    case "failed":
      return `Could not be loaded in full: ${whole.error}`;
  }
}

interface PartProps {
  readonly part: ToolCallContent;
  readonly toolCall: ToolCallRow;
  readonly commands: readonly ToolCallRow[];
  /** Whether a change has its file's name above it. */
  readonly hasHead: boolean;
}

function Part({ part, toolCall, commands, hasHead }: PartProps) {
  const change = useMemo(() => readFileChange(part), [part]);
  if (change !== null) {
    return change.wholeTexts === null ? (
      <Change source={part} change={change} hasHead={hasHead} />
    ) : (
      <LargeChange change={change} hasHead={hasHead} />
    );
  }
  const { type, terminalId, content } = part as Record<string, Json | undefined>;
  if (type === "terminal" && typeof terminalId === "string") {
    const item = commands.find((command) => listShownTerminals(command.content).includes(terminalId));
    return <Terminal id={terminalId} toolCall={toolCall} item={item} />;
  }
  if (type === "content" && typeof content === "object" && content !== null) {
    return <Block block={content as ContentBlock} toolCall={toolCall} />;
  }
  return <LongText text={JSON.stringify(part, null, 2)} />;
}

function Change({ source, change, hasHead }: { source: object; change: FileChange; hasHead: boolean }) {
  const folder = useFolder();
  const compared = comparedChange(source, change);
  if (compared !== null) return <FileDiff file={compared} folder={folder} maxRows={firstRows} hasHead={hasHead} />;
  return (
    <>
      <p className="path">
        <PathLink path={change.path}>{shortPath(change.path, folder)}</PathLink>
      </p>
      <p className="hint">Too large to compare. This is the new text.</p>
      <LongText text={change.after} />
    </>
  );
}

/** A change whose texts are not in the row: compared when both are loaded in full, never by their beginnings. */
function LargeChange({ change, hasHead }: { change: FileChange; hasHead: boolean }) {
  const folder = useFolder();
  const whole = useWholeTexts([change.wholeTexts?.before ?? null, change.wholeTexts?.after ?? null]);
  const complete = useMemo(() => (whole.status === "loaded" ? completed(change, whole.texts) : null), [change, whole]);
  if (complete !== null) return <Change source={complete} change={complete} hasHead={hasHead} />;
  const after = change.wholeTexts?.after ?? null;
  return (
    <>
      <p className="path">
        <PathLink path={change.path}>{shortPath(change.path, folder)}</PathLink>
      </p>
      <p className="hint">{describeProblem(whole)}</p>
      {whole.status !== "loading" && after !== null && <BlobText preview={change.after} blob={after} />}
    </>
  );
}

function completed(change: FileChange, [before, after]: readonly string[]): FileChange {
  return {
    path: change.path,
    before: (change.wholeTexts?.before ?? null) === null ? change.before : (before ?? ""),
    after: (change.wholeTexts?.after ?? null) === null ? change.after : (after ?? ""),
    wholeTexts: null,
  };
}

/** Whether the call's head says the same as the host's item. */
function isSameCommand({ title, raw_input }: ToolCallRow, item: ToolCallRow): boolean {
  return item.title === title || item.title === `\`${readCommand(raw_input)?.trim()}\``;
}

/** `item`: the host's item of the command. If the call names another command, or none, the host's own words say what ran. */
function Terminal({ id, toolCall, item }: { id: string; toolCall: ToolCallRow; item?: ToolCallRow | undefined }) {
  const terminal = useTerminal(id, toolCall);
  if (terminal === null) return <p className="hint">No output of this terminal was saved.</p>;
  return (
    <>
      {item !== undefined && !isSameCommand(toolCall, item) && (
        <p className="hint">
          <CallTitle title={item.title} />
        </p>
      )}
      <TerminalView terminal={terminal} />
    </>
  );
}

/** Output of a command looks like a terminal; text in code fences is Markdown; other text is shown as it is. */
function Block({ block, toolCall }: { block: ContentBlock; toolCall: ToolCallRow }) {
  const blob = isTextBlock(block) ? readTextBlob(block) : null;
  if (blob !== null && toolCall.kind === "execute")
    return <LargeOutput blob={blob} end={null} label={toolCall.title} />;
  if (!isTextBlock(block) || blob !== null) return <ContentBlockView block={block} />;
  if (/^\s*(?:```|~~~)/.test(block.text)) {
    return (
      <div className="padded">
        <Markdown text={block.text} />
      </div>
    );
  }
  const isTerminal = toolCall.kind === "execute" || block.text.includes("\u001b[");
  if (!isTerminal) return <LongText text={block.text} />;
  const { status, title } = toolCall;
  return (
    <TerminalText text={block.text} isLive={status === "in_progress"} startsAtEnd={status === "failed"} label={title} />
  );
}
