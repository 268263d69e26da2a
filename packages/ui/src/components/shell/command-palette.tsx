// The command palette: every action on the open thread, views, settings of this browser, and threads of any age, found by a few letters. It also
// chooses the thread that is opened beside another.

import type { ThreadRow } from "@signalbox/protocol";
import { useAgentLabel, useQuery, useStore, useThreads } from "@signalbox/react";
import { type KeyboardEvent, useDeferredValue, useMemo, useState } from "react";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { go } from "../../hooks/use-route.ts";
import { finding } from "../../stores/finding.ts";
import { outline } from "../../stores/outline.ts";
import {
  coveringDetails,
  hasRoomForTwo,
  isPaired,
  openSecondPane,
  showThread,
  toggleDetails,
} from "../../stores/panes.ts";
import { changesBeside, editor, sidePanel, splitDiffs, theme } from "../../stores/preferences.ts";
import { type Editor, editors } from "../../text/editor-links.ts";
import { fuzzyFilter } from "../../text/fuzzy.ts";
import { type SettingSection, settingSections } from "../../text/setting-sections.ts";
import { LoadProblem } from "../shared/load-problem.tsx";
import { Sheet } from "../shared/sheet.tsx";
import { choiceActions, threadActions } from "../threads/thread-actions.ts";
import { statusLabel } from "../threads/thread-status.tsx";

interface PaletteProps {
  /** The thread that is open. */
  readonly threadId: string | null;
  /** Only threads, and the chosen one is opened beside the one that is open. */
  readonly isForBeside: boolean;
  readonly onClose: () => void;
  readonly onHelp: () => void;
  readonly onBeside: () => void;
}

interface Command {
  readonly id: string;
  readonly name: string;
  /** Found by these words too. */
  readonly words?: string;
  readonly hint: string;
  readonly run: () => void;
}

const ofThisThread = "this thread";
const maxResults = 12;
const someThreads = 4;
/** Of these the best are shown. */
const maxFound = 200;

export function CommandPalette({ threadId, isForBeside, onClose, onHelp, onBeside }: PaletteProps) {
  const recent = useThreads();
  const signalbox = useSignalbox();
  const { machines } = useStore(signalbox.machine);
  const isBesidePanel = useStore(sidePanel);
  const isCovering = useStore(coveringDetails) === threadId;
  const isPanelOpen = isPaired() ? isCovering : isBesidePanel;
  const isSplit = useStore(splitDiffs);
  const isBeside = useStore(changesBeside);
  const openThread = recent?.find(({ id }) => id === threadId) ?? null;
  const states = useQuery("state.get", openThread === null ? null : { thread_id: openThread.id });
  const [state] = states.rows ?? [];
  const labelOf = useAgentLabel();
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState(0);
  const text = useDeferredValue(typed.trim());
  const olderThreads = useQuery("threads.list", text === "" ? null : { text, limit: maxFound });
  const older = olderThreads.rows;
  const threads = useMemo(() => {
    const loaded = recent ?? [];
    const here = new Set(loaded.map((thread) => thread.id));
    return [...loaded, ...(older ?? []).filter((thread) => !here.has(thread.id))];
  }, [recent, older]);
  const commands = useMemo((): readonly Command[] => {
    const views: Omit<Command, "id">[] = [
      { name: "New thread", hint: "Alt+N", run: () => go({ page: "new" }) },
      { name: "Search everything", hint: "Ctrl+Shift+F", run: () => go({ page: "search" }) },
      { name: "Statistics", hint: "", run: () => go({ page: "statistics" }) },
      { name: "Tool calls", hint: "of all threads", run: () => go({ page: "tool-calls" }) },
      { name: "Settings", hint: "agents, rules, data", run: () => go({ page: "settings" }) },
      { name: "Keys", hint: "Alt+/", run: onHelp },
    ];
    const settings: Omit<Command, "id">[] = [
      { name: isPanelOpen ? "Hide details" : "Show details", hint: "Alt+.", run: () => toggleDetails(threadId ?? "") },
      {
        name: isBeside ? "Thread without its changes beside it" : "Changes beside the thread",
        hint: "on a wide screen",
        run: () => changesBeside.set(!isBeside),
      },
      { name: isSplit ? "Diffs in one column" : "Diffs side by side", hint: "", run: () => splitDiffs.set(!isSplit) },
      ...(Object.keys(editors) as Editor[]).map((each) => ({
        name: `Open files in ${editors[each]}`,
        hint: "",
        run: () => editor.set(each),
      })),
      { name: "Theme: light", hint: "", run: () => theme.set("light") },
      { name: "Theme: dark", hint: "", run: () => theme.set("dark") },
      { name: "Theme: system", hint: "", run: () => theme.set("system") },
      ...(Object.keys(settingSections) as SettingSection[]).map((section) => ({
        name: `Settings: ${section}`,
        hint: settingSections[section],
        words: settingSections[section],
        run: () => go({ page: "settings", section }),
      })),
    ];
    const open = threads.map((thread) => ({
      id: thread.id,
      name: thread.title ?? "Untitled",
      hint: `${labelOf(thread.agent_id)} · ${statusLabel(thread)}`,
      run: () => (isForBeside ? openSecondPane : showThread)(thread.id),
    }));
    if (isForBeside) return open.filter(({ id }) => id !== threadId);
    if (hasRoomForTwo()) views.push({ name: "Open a thread beside …", hint: "Alt+B", run: onBeside });
    const ofThread =
      openThread === null ? [] : listThreadCommands(threadActions(signalbox, machines, openThread), openThread);
    const choices = state === undefined ? [] : choiceActions(signalbox, state.thread_id, state);
    const named = (list: readonly Omit<Command, "id">[]) => list.map((command) => ({ ...command, id: command.name }));
    // Before anything is typed, some of each are shown.
    return [
      ...named(views),
      ...open.slice(0, someThreads),
      ...named([...ofThread, ...settings]),
      ...choices.map((choice) => ({ ...choice, hint: ofThisThread })),
      ...open.slice(someThreads),
    ];
  }, [
    threads,
    openThread,
    state,
    signalbox,
    machines,
    isPanelOpen,
    isSplit,
    isBeside,
    isForBeside,
    threadId,
    onHelp,
    onBeside,
    labelOf,
  ]);
  const found = useMemo(
    () =>
      fuzzyFilter(typed, commands, ({ name, words }) => (words === undefined ? name : `${name} ${words}`)).slice(
        0,
        maxResults,
      ),
    [typed, commands],
  );
  const label = isForBeside ? "Thread to open beside" : "Command or thread";
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
    <Sheet title={isForBeside ? "Open beside" : "Commands"} onClose={onClose}>
      <input
        className="palette-field"
        aria-label={label}
        placeholder={label}
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
      <div className="palette" role="listbox" id="palette-list" aria-label={isForBeside ? "Threads" : "Commands"}>
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
      <LoadProblem what="What the agent of this thread offers" state={states} />
      {text !== "" && <LoadProblem what="Older threads" state={olderThreads} />}
      {found.length === 0 && <p className="hint">No matches.</p>}
    </Sheet>
  );
}

/** Lists the actions on the open thread, and its views. */
function listThreadCommands(
  actions: ReturnType<typeof threadActions>,
  { id: threadId }: ThreadRow,
): Omit<Command, "id">[] {
  const hint = ofThisThread;
  return [
    { name: "Changes", hint, run: () => go({ page: "changes", threadId }) },
    { name: "Outline", hint, run: () => outline.set(threadId) },
    { name: "Find in this thread", hint: "Ctrl+F", run: () => finding.set(threadId) },
    ...actions.map(({ name, words, run }) => ({ name, hint, run, ...(words !== undefined && { words }) })),
  ];
}
