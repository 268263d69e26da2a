// The command palette: commands, and threads of any age, found by a few letters.
import { type KeyboardEvent, useDeferredValue, useMemo, useState } from "react";
import { useAgentLabel } from "../../hooks/use-agent-label.ts";
import { useQuery } from "../../hooks/use-query.ts";
import { go } from "../../hooks/use-route.ts";
import { useThreads } from "../../hooks/use-threads.ts";
import { theme } from "../../stores/preferences.ts";
import { fuzzyFilter } from "../../text/fuzzy.ts";
import { Sheet } from "../shared/sheet.tsx";
import { statusLabel } from "../threads/thread-status.tsx";

interface Command {
  readonly id: string;
  readonly name: string;
  readonly hint: string;
  readonly run: () => void;
}

const maxResults = 12;
/** Of these the best are shown. */
const maxFound = 200;

export function CommandPalette({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  const recent = useThreads();
  const labelOf = useAgentLabel();
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState(0);
  const text = useDeferredValue(typed.trim());
  const older = useQuery("threads.list", text === "" ? null : { text, limit: maxFound }).rows;
  const threads = useMemo(() => {
    const loaded = recent ?? [];
    const here = new Set(loaded.map((thread) => thread.id));
    return [...loaded, ...(older ?? []).filter((thread) => !here.has(thread.id))];
  }, [recent, older]);
  const commands = useMemo((): readonly Command[] => {
    const own: Omit<Command, "id">[] = [
      { name: "New thread", hint: "N", run: () => go({ page: "new" }) },
      { name: "Search everything", hint: "/", run: () => go({ page: "search" }) },
      { name: "Statistics", hint: "", run: () => go({ page: "statistics" }) },
      { name: "Tool calls", hint: "of all threads", run: () => go({ page: "tool-calls" }) },
      { name: "Settings", hint: "agents, rules, data", run: () => go({ page: "settings" }) },
      { name: "Theme: light", hint: "", run: () => theme.set("light") },
      { name: "Theme: dark", hint: "", run: () => theme.set("dark") },
      { name: "Theme: system", hint: "", run: () => theme.set("system") },
      { name: "Keys", hint: "?", run: onHelp },
    ];
    const open = threads.map((thread) => ({
      id: thread.id,
      name: thread.title ?? "Untitled",
      hint: `${labelOf(thread.agent_id)} · ${statusLabel(thread)}`,
      run: () => go({ page: "thread", threadId: thread.id }),
    }));
    return [...own.map((command) => ({ ...command, id: command.name })), ...open];
  }, [threads, onHelp, labelOf]);
  const found = useMemo(
    () => fuzzyFilter(typed, commands, (command) => command.name).slice(0, maxResults),
    [typed, commands],
  );
  const selected = Math.min(chosen, found.length - 1);
  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    onClose();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") setChosen((selected + 1) % found.length);
    else if (event.key === "ArrowUp") setChosen((selected + found.length - 1) % found.length);
    else if (event.key === "Enter") run(found[selected]);
    else return;
    event.preventDefault();
  };
  return (
    <Sheet title="Commands" onClose={onClose}>
      <input
        className="palette-field"
        aria-label="Command or thread"
        placeholder="Command or thread"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={`palette-${selected}`}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div className="palette" role="listbox" id="palette-list" aria-label="Commands">
        {found.map((command, index) => (
          <div
            key={command.id}
            id={`palette-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === selected}
            onClick={() => run(command)}
          >
            <b>{command.name}</b>
            <small>{command.hint}</small>
          </div>
        ))}
      </div>
      {found.length === 0 && <p className="hint">No matches.</p>}
    </Sheet>
  );
}
