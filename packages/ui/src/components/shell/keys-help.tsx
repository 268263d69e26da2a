// The help sheet: every key in one place.
import { Sheet } from "../shared/sheet.tsx";

const groups: readonly { readonly title: string; readonly keys: readonly (readonly [string, string])[] }[] = [
  {
    title: "A question waits",
    keys: [
      ["A", "allow this once"],
      ["D", "deny"],
      ["R", "how long to remember"],
      ["Alt+ these", "the same while you type"],
      ["Q", "into the agent's form, or to its address"],
      ["A, D, C", "send the form, decline it, cancel it"],
      ["Alt+1 … 9", "the agent's own options, in order"],
      ["W", "go to the next thread that waits"],
    ],
  },
  {
    title: "Drive",
    keys: [
      ["Enter", "send, or queue while the agent works"],
      ["Shift+Enter", "a new line"],
      ["Esc", "stop the turn"],
      ["↑ ↓", "what you said before"],
      ["@", "mention a file"],
      ["/", "a command of the agent, at the beginning of a prompt"],
      ["I", "into the prompt"],
    ],
  },
  {
    title: "Move",
    keys: [
      ["G or End", "to the newest"],
      ["T, Shift+T", "next and previous tool call"],
      ["E, Shift+E", "next and previous error"],
      ["J, K", "next and previous thread"],
      ["Ctrl+F", "find in this thread"],
      ["P", "state of things"],
      ["F2", "rename"],
    ],
  },
  {
    title: "Everywhere",
    keys: [
      ["/", "search everything"],
      ["Ctrl+K", "command palette"],
      ["N", "new thread"],
      ["?", "this sheet"],
    ],
  },
];

export function KeysHelp({ onClose }: { onClose: () => void }) {
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
