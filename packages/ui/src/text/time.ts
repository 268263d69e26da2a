// Times as a person reads them at a glance.

/** "now", "4 m", "3 h", "Fri", "12 Mar", "12 Mar 2025". Without Intl, whose first use costs 60 ms of the first sight. */
export function ago(time: number, now = Date.now()): string {
  const minutes = Math.floor((now - time) / 60_000);
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes} m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h`;
  const [weekday = "", month = "", day = "", year = ""] = new Date(time).toDateString().split(" ");
  if (hours < 24 * 6) return weekday;
  const isThisYear = year === String(new Date(now).getFullYear());
  return `${Number(day)} ${month}${isThisYear ? "" : ` ${year}`}`;
}

/** "<0.01 s", "0.02 s", "2.4 s", "3 min 12 s", "1 h 2 min". */
export function duration(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 0.01) return "<0.01 s";
  if (seconds < 0.1) return `${seconds.toFixed(2)} s`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

/** "14:03:22" for today's eyes; the date as well when it was another day. */
export function clock(time: number): string {
  const date = new Date(time);
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday ? date.toLocaleTimeString() : date.toLocaleString();
}
