// Opens the page again as soon as Signalbox answers. Says when it was last tried.
const everyMs = 3000;
const tried = document.getElementById("tried");

async function tryAgain() {
  try {
    const answer = await fetch("/health", { cache: "no-store" });
    if (answer.ok) {
      location.reload();
      return;
    }
  } catch {
    // Not reachable.
  }
  tried.textContent = `Tried at ${new Date().toLocaleTimeString()}. Trying again …`;
}

setInterval(() => void tryAgain(), everyMs);
addEventListener("online", () => void tryAgain());
document.getElementById("again").addEventListener("click", () => void tryAgain());
