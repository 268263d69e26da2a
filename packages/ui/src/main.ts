// Starts the page: first the line to the host, which needs little; then, while the first rows are on their way, everything that draws.
import { loadMarkdown } from "./components/timeline/load-markdown.ts";
import { loadPart } from "./connection/load-part.ts";
import { takeToken } from "./connection/token.ts";
import { routeOf } from "./hooks/use-route.ts";
import { Signalbox } from "./stores/signalbox.ts";
import "./styles/page.css";

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");
const token = takeToken();
const route = routeOf(location.hash);
const signalbox = token === null ? null : new Signalbox(token, route.page === "thread" ? route.threadId : null);
// Without it texts stand as they were written, which is no reason not to draw.
const markdown = route.page === "thread" ? loadMarkdown().catch(() => {}) : null;
// Not awaited here: what draws imports what this file imports, and would wait for it in turn.
Promise.all([loadPart(() => import("./draw-page.tsx")), signalbox?.firstSight(), markdown])
  .then(([{ drawPage }]) => drawPage(root, signalbox))
  .catch((error: unknown) => {
    root.textContent = error instanceof Error ? error.message : String(error);
  });
