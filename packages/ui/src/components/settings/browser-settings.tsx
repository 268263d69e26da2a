// What holds for this browser only: theme, notifications, diffs.
import { useState } from "react";
import { useStore } from "../../hooks/use-store.ts";
import { notifications, splitDiffs, type Theme, theme } from "../../stores/preferences.ts";
import { Section } from "./section.tsx";

export function BrowserSettings() {
  const chosen = useStore(theme);
  const notifies = useStore(notifications);
  const isSplit = useStore(splitDiffs);
  const [refusal, setRefusal] = useState<string | null>(null);
  const setNotifies = async (isWanted: boolean) => {
    setRefusal(null);
    if (isWanted && (await Notification.requestPermission()) !== "granted") {
      setRefusal("The browser does not allow notifications for this address. Its site settings can change that.");
      return;
    }
    notifications.set(isWanted);
  };
  return (
    <Section title="This browser" lead="Kept in this browser only.">
      <div className="row">
        <label>
          Theme
          <select value={chosen} onChange={(event) => theme.set(event.target.value as Theme)}>
            <option value="system">as the system</option>
            <option value="light">light</option>
            <option value="dark">dark</option>
          </select>
        </label>
        <label className="pick">
          <input type="checkbox" checked={isSplit} onChange={(event) => splitDiffs.set(event.target.checked)} />
          Changes side by side
        </label>
        {"Notification" in window && (
          <label className="pick">
            <input type="checkbox" checked={notifies} onChange={(event) => void setNotifies(event.target.checked)} />
            Notify me when an agent waits
          </label>
        )}
      </div>
      {refusal !== null && (
        <p role="alert" className="error">
          {refusal}
        </p>
      )}
    </Section>
  );
}
