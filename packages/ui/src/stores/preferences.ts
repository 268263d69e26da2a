// What the person chose for this browser: theme, diffs side by side, notifications.
import { StoredValue } from "./stored-value.ts";

export type Theme = "system" | "light" | "dark";

export const theme = new StoredValue<Theme>("theme", "system");
export const splitDiffs = new StoredValue<boolean>("split-diffs", false);
export const notifications = new StoredValue<boolean>("notifications", false);
export const sidePanel = new StoredValue<boolean>("side-panel", true);
