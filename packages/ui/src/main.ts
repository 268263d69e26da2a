// Starts the page: opens the connection, and loads the components while the first rows are on their way.
import { loadMarkdown } from "./components/timeline/load-markdown.ts";
import { loadPart } from "./connection/load-part.ts";
import { readToken } from "./connection/token.ts";
import { routeOf } from "./hooks/use-route.ts";
import { Signalbox } from "./stores/signalbox.ts";
import "./styles/page.css";

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");
const token = readToken();
const route = routeOf(location.hash);
const signalbox =
  token === null ? null : new Signalbox({ token, firstThread: route.page === "thread" ? route.threadId : null });
// Without the renderer, texts are shown as they are.
const markdown = route.page === "thread" ? loadMarkdown().catch(() => {}) : null;
// Not awaited here: the loaded components import modules of this file and would wait for it.
Promise.all([loadPart(() => import("./draw-page.tsx")), signalbox?.whenFirstThreadLoaded(), markdown])
  .then(([{ drawPage }]) => drawPage(root, signalbox))
  .catch((error: unknown) => {
    root.textContent = error instanceof Error ? error.message : String(error);
  });
