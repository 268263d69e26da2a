// Scores how well typed letters match a name: all letters in order; whole words and beginnings are best.

/** Null when it does not match; smaller is better. */
function fuzzyScore(typed: string, name: string): number | null {
  const wanted = typed.toLowerCase().trim();
  const text = name.toLowerCase();
  if (wanted === "") return 0;
  const at = text.indexOf(wanted);
  if (at >= 0) return (at === 0 || /[\s/._:-]/.test(text[at - 1] ?? "") ? 0 : 1) + at / 1000;
  let from = 0;
  let gaps = 0;
  for (const letter of wanted) {
    if (letter === " ") continue;
    const found = text.indexOf(letter, from);
    if (found < 0) return null;
    gaps += found - from;
    from = found + letter.length;
  }
  return 2 + gaps / 100;
}

export function fuzzyFilter<Item>(typed: string, items: readonly Item[], nameOf: (item: Item) => string): Item[] {
  return items
    .map((item) => ({ item, score: fuzzyScore(typed, nameOf(item)) }))
    .filter((found): found is { item: Item; score: number } => found.score !== null)
    .toSorted((a, b) => a.score - b.score)
    .map(({ item }) => item);
}
