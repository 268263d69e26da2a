// A thread of a Signalbox host in assistant-ui: messages, tool calls, and Allow and Deny where the agent asks.
// Start the host with --page-origin, and open this page with the address that it printed as the fragment: page.html?thread=ID#http://127.0.0.1:4280/#token=…
import {
  AssistantRuntimeProvider,
  ComposerPrimitive,
  MessagePrimitive,
  ThreadPrimitive,
  type ToolCallMessagePartProps,
} from "@assistant-ui/react";
import { parseAddress, SignalboxClient, SignalboxProvider } from "@signalbox/react";
import { createRoot } from "react-dom/client";
import { useSignalboxRuntime } from "./use-signalbox-runtime.ts";

function Page({ threadId }: { threadId: string }) {
  return (
    <AssistantRuntimeProvider runtime={useSignalboxRuntime(threadId)}>
      <ThreadPrimitive.Root>
        <ThreadPrimitive.Messages components={{ Message }} />
        <ComposerPrimitive.Root>
          <ComposerPrimitive.Input aria-label="Prompt" />
          <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
        </ComposerPrimitive.Root>
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  );
}

function Message() {
  return (
    <MessagePrimitive.Root>
      <MessagePrimitive.Parts components={{ tools: { Fallback: ToolCall } }} />
    </MessagePrimitive.Root>
  );
}

function ToolCall({ toolName, argsText, isError, result, approval, respondToApproval }: ToolCallMessagePartProps) {
  const isAsked = approval !== undefined && approval.approved === undefined && approval.resolution === undefined;
  return (
    <fieldset>
      <legend>{toolName}</legend>
      <code>{argsText}</code>
      <span>{result === undefined ? "running" : isError ? "failed" : "done"}</span>
      {isAsked && <input type="button" value="Allow once" onClick={() => void respondToApproval({ approved: true })} />}
      {isAsked && <input type="button" value="Deny" onClick={() => void respondToApproval({ approved: false })} />}
    </fieldset>
  );
}

const client = new SignalboxClient(parseAddress(decodeURIComponent(location.hash.slice(1))));
const threadId = new URLSearchParams(location.search).get("thread") ?? "";
createRoot(document.body).render(
  <SignalboxProvider client={client}>
    <Page threadId={threadId} />
  </SignalboxProvider>,
);
