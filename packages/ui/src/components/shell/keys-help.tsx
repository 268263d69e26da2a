// The help with every key.
import { Sheet } from "../shared/sheet.tsx";

const groups: readonly { readonly title: string; readonly keys: readonly (readonly [string, string])[] }[] = [
  {
    title: "Questions",
    keys: [
      ["A", "allow this once"],
      ["D", "deny"],
      ["Shift+A", "allow for longer"],
      ["X", "deny and say what to do instead"],
      ["L", "allow all that are alike"],
      ["Alt+A, Alt+D, …", "the same while you type"],
      ["Q", "focus the agent's form or link"],
      ["A, D, C", "send, decline or cancel the form"],
      ["Alt+1 … 9", "the agent's own options, in order"],
      ["W", "next waiting thread"],
    ],
  },
  {
    title: "Compose",
    keys: [
      ["Enter", "send, or queue while the agent is working"],
      ["Shift+Enter", "new line"],
      ["Esc", "stop the turn"],
      ["↑ ↓", "earlier prompts"],
      ["@", "mention a file"],
      ["/", "agent command, at the start of a prompt"],
      ["I", "focus the prompt"],
    ],
  },
  {
    title: "Navigate",
    keys: [
      ["Home", "go to the beginning"],
      ["G or End", "go to the end"],
      ["T, Shift+T", "next and previous tool call"],
      ["E, Shift+E", "next and previous error"],
      ["], [", "next and previous prompt"],
      ["O", "outline: all prompts of the thread"],
      ["J, K", "next and previous thread"],
      ["B", "open a thread beside, on a wide screen; in the list: this one"],
      ["F6", "the other of two threads"],
      ["Shift+B", "close this one of two threads"],
      ["↑ ↓ →", "in the list: move, menu"],
      ["Ctrl+F", "find in this thread"],
      ["P", "details"],
      ["C", "changes of this thread"],
      ["F2", "rename the thread"],
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
      ["/", "search everything"],
      ["Ctrl+K", "command palette"],
      ["N", "new thread"],
      ["?", "this help"],
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
