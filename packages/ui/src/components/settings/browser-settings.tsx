// Settings of this browser: theme, notifications, diffs, editor.

import { useStore } from "@signalbox/react";
import { useState } from "react";
import { editor, notifications, splitDiffs, type Theme, theme } from "../../stores/preferences.ts";
import { type Editor, editors } from "../../text/editor-links.ts";
import { Switch } from "../shared/check-box.tsx";
import { ErrorText } from "../shared/error-text.tsx";
import { ListBox } from "../shared/list-box.tsx";
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
        <span className="labelled">
          Theme
          <ListBox
            label="Theme"
            value={chosen}
            onChange={(value) => theme.set(value as Theme)}
            options={["system", "light", "dark"].map((value) => ({ value, name: value }))}
          />
        </span>
        <span className="labelled">
          Open files in
          <ListBox
            label="Open files in"
            value={chosenEditor}
            onChange={(value) => editor.set(value as Editor)}
            options={Object.entries(editors)
              .filter(([id]) => id !== "command" || hostEditor !== null || chosenEditor === "command")
              .map(([value, name]) => ({
                value,
                name: value === "command" ? `${hostEditor ?? "editor"}, started by Signalbox` : name,
              }))}
          />
        </span>
        <label className="pick">
          <Switch isOn={isSplit} onChange={(isOn) => splitDiffs.set(isOn)} />
          Show diffs side by side
        </label>
        {"Notification" in window && (
          <label className="pick">
            <Switch isOn={notifies} onChange={(isOn) => void setNotifies(isOn)} />
            Notify me when an agent is waiting
          </label>
        )}
      </div>
      <ErrorText error={refusal} />
    </Section>
  );
}
