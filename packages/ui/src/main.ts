// Starts the page: opens the connection, and loads the components while the first rows are on their way.
import { messageOf } from "@signalbox/protocol";
import { loadMarkdown } from "./components/timeline/load-markdown.ts";
import { loadPart } from "./connection/load-part.ts";
import { readPageCode, readPairing, readToken, redeemPageCode } from "./connection/token.ts";
import { go, parseRoute } from "./hooks/use-route.ts";
import { Signalbox } from "./stores/signalbox.ts";
import "./styles/page.css";

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");
const showProblem = (error: unknown) => {
  root.textContent = messageOf(error);
};
const pageCode = readPageCode();
// The page starts again with the token.
if (pageCode !== null) redeemPageCode(pageCode).then(() => location.reload(), showProblem);
else startPage(root);
// After everything else: it is for the next visit. Without it (an address that the browser does not trust) only the offline page and push are missing.
if ("serviceWorker" in navigator) addEventListener("load", () => void registerWorker().catch(() => {}));

async function registerWorker(): Promise<void> {
  navigator.serviceWorker.addEventListener(
    "message",
    ({ data }: MessageEvent<{ type?: string; threadId?: string }>) => {
      if (data.type === "open-thread" && data.threadId !== undefined) go({ page: "thread", threadId: data.threadId });
    },
  );
  await navigator.serviceWorker.register("/service-worker.js");
}

function startPage(element: HTMLElement): void {
  const pairing = readPairing();
  const token = pairing === null ? readToken() : null;
  const route = parseRoute(location.hash);
  const signalbox =
    token === null ? null : new Signalbox({ token, firstThread: route.page === "thread" ? route.threadId : null });
  // Without the renderer, texts are shown as they are.
  const markdown = route.page === "thread" ? loadMarkdown().catch(() => {}) : null;
  // Not awaited here: the loaded components import modules of this file and would wait for it.
  Promise.all([loadPart(() => import("./draw-page.tsx")), signalbox?.whenFirstThreadLoaded(), markdown])
    .then(([{ drawPage }]) => drawPage(element, signalbox, pairing))
    .catch(showProblem);
}
