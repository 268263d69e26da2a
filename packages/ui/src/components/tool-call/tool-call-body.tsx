// What a tool call shows when it is open: changes, terminals, text, pictures, then the raw input and output as they were sent.
import {
  type ContentBlock,
  commandOf,
  isTextBlock,
  type Json,
  type ToolCallContent,
  type ToolCallRow,
} from "@signalbox/protocol";
import { useFolder, useTerminal } from "../../hooks/open-thread.tsx";
import { shortPath } from "../../text/paths.ts";
import { isOnlyCommand } from "../permission/answers.ts";
import { blobIn, ContentBlockView } from "../shared/content-block.tsx";
import { LongText } from "../shared/long-text.tsx";
import { Markdown } from "../timeline/markdown.tsx";
import { DiffView, diffOf, type FileChange } from "./diff-view.tsx";
import { TerminalText, TerminalView } from "./terminal-view.tsx";

/** The changes of files that a tool call carries, each with the object it is cached by. */
export function fileChanges(toolCall: Pick<ToolCallRow, "content">): readonly { source: object; change: FileChange }[] {
  return toolCall.content.flatMap((content) => {
    const change = changeOf(content);
    return change === null ? [] : [{ source: content, change }];
  });
}

function changeOf(content: ToolCallContent): FileChange | null {
  const { type, path, oldText, newText } = content as Record<string, Json | undefined>;
  if (type !== "diff" || typeof path !== "string" || typeof newText !== "string") return null;
  return { path, before: typeof oldText === "string" ? oldText : "", after: newText };
}

/** `isWhole`: nothing is left out because a head above says it already. */
export function ToolCallBody({ toolCall, isWhole = false }: { toolCall: ToolCallRow; isWhole?: boolean }) {
  const { content, raw_input: input, raw_output: output } = toolCall;
  const command = commandOf(input);
  return (
    <div className="body">
      {command !== null && (isWhole || !isOnlyCommand(toolCall)) && (
        <LongText text={`$ ${command}`} className="command" />
      )}
      {content.map((part, index) => (
        <Part key={index} part={part} toolCall={toolCall} />
      ))}
      {content.length === 0 && output !== null && <Raw label="Output" value={output} isOpen />}
      {saysMore(input) && (
        <Raw label="Input" value={input} isOpen={command === null && content.length === 0 && output === null} />
      )}
      {content.length > 0 && output !== null && <Raw label="Raw output" value={output} isOpen={false} />}
    </div>
  );
}

/** An input that is only the command was shown already. */
function saysMore(input: Json): boolean {
  if (input === null) return false;
  return commandOf(input) === null || Object.keys(input).length > 1;
}

function Part({ part, toolCall }: { part: ToolCallContent; toolCall: ToolCallRow }) {
  const change = changeOf(part);
  if (change !== null) return <Change source={part} change={change} />;
  const { type, terminalId, content } = part as Record<string, Json | undefined>;
  if (type === "terminal" && typeof terminalId === "string") return <Terminal id={terminalId} toolCall={toolCall} />;
  if (type === "content" && typeof content === "object" && content !== null) {
    return <Block block={content as ContentBlock} toolCall={toolCall} />;
  }
  return <LongText text={JSON.stringify(part, null, 2)} />;
}

function Change({ source, change }: { source: object; change: FileChange }) {
  const folder = useFolder();
  const diff = diffOf(source, change);
  return (
    <>
      <p className="path">{shortPath(change.path, folder)}</p>
      {diff === null ? (
        <LongText text={change.after} />
      ) : (
        <DiffView diff={diff} change={change} label={shortPath(change.path, folder)} />
      )}
    </>
  );
}

function Terminal({ id, toolCall }: { id: string; toolCall: ToolCallRow }) {
  const terminal = useTerminal(id, toolCall);
  if (terminal === null) return <p className="hint">No output of this terminal is kept.</p>;
  const end =
    terminal.signal !== null
      ? `ended by ${terminal.signal}`
      : terminal.exit_code === null
        ? null
        : `exit ${terminal.exit_code}`;
  return (
    <>
      <TerminalView terminal={terminal} />
      {end !== null && (
        <p className="hint" data-failed={terminal.exit_code !== 0 || undefined}>
          {end}
        </p>
      )}
    </>
  );
}

/** Output of a command looks like a terminal; text that an agent formatted (in fences) is Markdown; the rest is as it is. */
function Block({ block, toolCall }: { block: ContentBlock; toolCall: ToolCallRow }) {
  if (!isTextBlock(block) || blobIn(block) !== null) return <ContentBlockView block={block} />;
  if (/^\s*(?:```|~~~)/.test(block.text)) {
    return (
      <div className="padded">
        <Markdown text={block.text} />
      </div>
    );
  }
  const isTerminal = toolCall.kind === "execute" || block.text.includes("\u001b[");
  if (!isTerminal) return <LongText text={block.text} />;
  return <TerminalText text={block.text} isLive={toolCall.status === "in_progress"} label={toolCall.title} />;
}

function Raw({ label, value, isOpen }: { label: string; value: Json; isOpen: boolean }) {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return (
    <details className="raw" open={isOpen}>
      <summary>{label}</summary>
      <LongText text={text} />
    </details>
  );
}
