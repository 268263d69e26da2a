// Formats counts, sizes and costs, alike on the page and in a terminal: "1.2 MB", "76 k", "$0.41".

export function bytes(size: number): string {
  if (size < 1000) return `${size} B`;
  const units = ["KB", "MB", "GB", "TB"];
  let value = size / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

export function count(value: number): string {
  const whole = Math.round(value);
  if (whole < 1000) return String(whole);
  if (whole < 10_000) return `${Math.floor(whole / 1000)},${String(whole % 1000).padStart(3, "0")}`;
  if (value < 999_500) return `${Math.round(value / 1000)} k`;
  return `${(value / 1_000_000).toFixed(1)} M`;
}

export function money(amount: number, currency: string): string {
  try {
    const format = new Intl.NumberFormat("en", {
      style: "currency",
      currency,
      maximumFractionDigits: amount < 1 ? 3 : 2,
    });
    // A little that was spent is not nothing.
    return amount > 0 && amount < 0.001 ? `under ${format.format(0.001)}` : format.format(amount);
  } catch {
    // The agent named an unknown currency.
    return `${amount.toFixed(2)} ${currency}`;
  }
}
