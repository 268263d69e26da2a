// A page of your own for a Signalbox host: the threads, one of them live, its questions, and a field for the next prompt.
// Start the host with --page-origin, and open this page with the address that it printed as the fragment: page.html#http://127.0.0.1:4280/#token=…
import {
  parseAddress,
  SignalboxClient,
  SignalboxProvider,
  usePermission,
  useSessionUpdates,
  useThreads,
} from "@signalbox/react";
import { type FormEvent, useState } from "react";
import { createRoot } from "react-dom/client";

function Page() {
  const [open, setOpen] = useState<string | null>(null);
  return (
    <>
      {(useThreads() ?? []).map(({ id, title, status }) => (
        <input type="button" key={id} value={`${title ?? "Untitled"} (${status})`} onClick={() => setOpen(id)} />
      ))}
      {open !== null && <Thread key={open} threadId={open} />}
    </>
  );
}

function Thread({ threadId }: { threadId: string }) {
  const { items, error, send } = useSessionUpdates(threadId);
  const { question, allow, deny } = usePermission(threadId);
  const [text, setText] = useState("");
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void send(text).then(() => setText(""));
  };
  return (
    <main>
      {error !== null && <p role="alert">{error}</p>}
      {items.map((item) => (
        <p key={item.seq}>{item.type === "message" ? item.text : `${item.title}: ${item.status}`}</p>
      ))}
      {question !== null && (
        <fieldset>
          <legend>Allow {question.subject?.command ?? question.title ?? "this"}?</legend>
          <input type="button" value="Allow once" onClick={() => void allow()} />
          <input type="button" value="Deny" onClick={() => void deny("Not from this page.")} />
        </fieldset>
      )}
      <form onSubmit={onSubmit}>
        <input aria-label="Prompt" value={text} onChange={(event) => setText(event.target.value)} />
      </form>
    </main>
  );
}

const client = new SignalboxClient(parseAddress(decodeURIComponent(location.hash.slice(1))));
createRoot(document.body).render(
  <SignalboxProvider client={client}>
    <Page />
  </SignalboxProvider>,
);
