// The help with every key.
import { Sheet } from "../shared/sheet.tsx";

const groups: readonly { readonly title: string; readonly keys: readonly (readonly [string, string])[] }[] = [
  {
    title: "Questions",
    keys: [
      ["Alt+A", "allow this once"],
      ["Alt+D", "deny"],
      ["Alt+X", "deny and say what to do instead"],
      ["Alt+Shift+A", "allow for longer"],
      ["Alt+L", "allow all that are alike"],
      ["Alt+A, D, C", "send, decline or cancel a form"],
      ["Alt+Q", "go to the form or link"],
      ["Alt+↑", "go to the card: there A, D, X, L need no Alt"],
      ["1 … 9", "on the card: its options, or how far to allow"],
      ["Alt+W", "next waiting thread"],
    ],
  },
  {
    title: "Compose",
    keys: [
      ["any letter", "goes into the prompt"],
      ["Enter", "send, or queue while the agent is working"],
      ["Ctrl+Enter", "steer: send into the running turn"],
      ["Shift+Enter", "new line"],
      ["Esc Esc", "stop the turn"],
      ["↑ ↓", "earlier prompts"],
      ["@", "mention a file"],
      ["/", "agent command, at the start of a prompt"],
    ],
  },
  {
    title: "Threads",
    keys: [
      ["Alt+J, Alt+K", "next and previous thread"],
      ["Alt+1, Alt+2", "the thread, its changes"],
      ["Alt+O", "outline: all prompts of the thread"],
      ["Alt+.", "details"],
      ["Alt+G", "go to the end"],
      ["Ctrl+F", "find in this thread"],
      ["F2", "rename the thread"],
      ["Alt+B", "open a thread beside, on a wide screen"],
      ["F6", "the other of two threads"],
      ["Alt+Shift+B", "close this one of two threads"],
      ["↑ ↓ → Alt+Enter", "in the list: move, menu, open beside"],
    ],
  },
  {
    title: "In the timeline, when it has the focus (Esc from the prompt)",
    keys: [
      ["Home, End", "go to the beginning, the end"],
      ["T, Shift+T", "next and previous tool call"],
      ["E, Shift+E", "next and previous error"],
      ["], [", "next and previous prompt"],
      ["Esc", "back to the prompt"],
    ],
  },
  {
    title: "Changes",
    keys: [
      ["], [", "next and previous file"],
      [". ,", "next and previous part of a change"],
      ["Esc", "back to the thread"],
    ],
  },
  {
    title: "Everywhere",
    keys: [
      ["Ctrl+K", "command palette"],
      ["Ctrl+Shift+F", "search everything"],
      ["Alt+N", "new thread"],
      ["Alt+,", "settings"],
      ["Alt+/", "this help"],
      ["Esc", "close what is open on top, and only that"],
    ],
  },
];

export default function KeysHelp({ onClose }: { onClose: () => void }) {
  return (
    <Sheet title="Keys" onClose={onClose}>
      <div className="keys">
        {groups.map(({ title, keys }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {keys.map(([key, meaning]) => (
                <div key={key}>
                  <dt>
                    <kbd>{key}</kbd>
                  </dt>
                  <dd>{meaning}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Sheet>
  );
}
