// The place that matched, what matched marked. The marks are private characters that no agent's text can forge into markup.
export function Snippet({ text }: { text: string }) {
  return (
    <span className="snippet" dir="auto">
      {text.split("\uE000").map((part, index) => {
        const [hit, rest] = index === 0 ? ["", part] : splitAt(part);
        return (
          <span key={index}>
            {hit !== "" && <mark>{hit}</mark>}
            {rest}
          </span>
        );
      })}
    </span>
  );
}

function splitAt(part: string): readonly [string, string] {
  const end = part.indexOf("\uE001");
  return end < 0 ? ["", part] : [part.slice(0, end), part.slice(end + 1)];
}
