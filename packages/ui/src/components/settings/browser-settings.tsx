// Settings of this browser: theme, notifications, diffs, editor.
import { useStore } from "@signalbox/react";
import { useState } from "react";
import { editor, notifications, splitDiffs, type Theme, theme } from "../../stores/preferences.ts";
import { type Editor, editors } from "../../text/editor-links.ts";
import { ErrorText } from "../shared/error-text.tsx";
import { Section } from "./section.tsx";

/** `hostEditor`: what the host's command for opening files is called, where it has one. */
export function BrowserSettings({ hostEditor }: { hostEditor: string | null }) {
  const chosen = useStore(theme);
  const notifies = useStore(notifications);
  const isSplit = useStore(splitDiffs);
  const chosenEditor = useStore(editor);
  const [refusal, setRefusal] = useState<string | null>(null);
  const setNotifies = async (isWanted: boolean) => {
    setRefusal(null);
    if (isWanted && (await Notification.requestPermission()) !== "granted") {
      setRefusal("The browser blocks notifications from this page. Change it in the site settings.");
      return;
    }
    notifications.set(isWanted);
  };
  return (
    <Section title="This browser" lead="Saved in this browser only.">
      <div className="row">
        <label>
          Theme
          <select value={chosen} onChange={(event) => theme.set(event.target.value as Theme)}>
            <option value="system">system</option>
            <option value="light">light</option>
            <option value="dark">dark</option>
          </select>
        </label>
        <label>
          Open files in
          <select value={chosenEditor} onChange={(event) => editor.set(event.target.value as Editor)}>
            {Object.entries(editors).map(([id, name]) =>
              id === "command" && hostEditor === null && chosenEditor !== "command" ? null : (
                <option key={id} value={id}>
                  {id === "command" ? `${hostEditor ?? "editor"}, started by Signalbox` : name}
                </option>
              ),
            )}
          </select>
        </label>
        <label className="pick">
          <input type="checkbox" checked={isSplit} onChange={(event) => splitDiffs.set(event.target.checked)} />
          Show diffs side by side
        </label>
        {"Notification" in window && (
          <label className="pick">
            <input type="checkbox" checked={notifies} onChange={(event) => void setNotifies(event.target.checked)} />
            Notify me when an agent is waiting
          </label>
        )}
      </div>
      <ErrorText error={refusal} />
    </Section>
  );
}
