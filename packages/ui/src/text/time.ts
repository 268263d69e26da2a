// Formats times for people.

/** "now", "4 m", "3 h", "Fri", "12 Mar", "12 Mar 2025". Without Intl, whose first use delays the first drawing by 60 ms. */
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

/** "14:03:22"; with the date when it was another day. */
export function clock(time: number): string {
  const date = new Date(time);
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday ? date.toLocaleTimeString() : date.toLocaleString();
}
