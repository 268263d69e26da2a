// Text as Markdown. The renderer is loaded when the first text is shown; until then the text stands as it is.
import { lazy, Suspense } from "react";

const Rendered = lazy(() => import("./markdown-rendered.tsx"));

export function Markdown({ text }: { text: string }) {
  return (
    <Suspense fallback={<p className="plain">{text}</p>}>
      <Rendered text={text} />
    </Suspense>
  );
}
