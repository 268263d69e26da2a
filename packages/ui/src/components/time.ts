// Times as a person reads them at a glance.

/** "now", "4 m", "3 h", "Fri", "12 Mar". */
export function ago(time: number, now = Date.now()): string {
  const minutes = Math.floor((now - time) / 60_000);
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes} m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h`;
  const date = new Date(time);
  if (hours < 24 * 6) return date.toLocaleDateString(undefined, { weekday: "short" });
  return date.toLocaleDateString(undefined, { day: "numeric", month: "short" });
}

/** "0.02 s", "2.4 s", "3 min 12 s". */
export function duration(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 0.1) return `${seconds.toFixed(2)} s`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
