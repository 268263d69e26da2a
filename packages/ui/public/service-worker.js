// Works for the page while it is closed or offline: shows that Signalbox is not reachable, and questions as notifications. It stores no threads, so
// nothing old is ever shown as live.
const shell = "signalbox-shell-1";
const shellFiles = ["/offline.html", "/offline.css", "/offline.js", "/offline.svg"];
/** Where the page keeps this device's token for Deny, and whether notifications may sound. */
const deviceCache = "signalbox-device";

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(shell)
      .then((cache) => cache.addAll(shellFiles))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) =>
        Promise.all(names.filter((name) => ![shell, deviceCache].includes(name)).map((name) => caches.delete(name))),
      )
      .then(() => self.clients.claim()),
  );
});

self.addEventListener("fetch", (event) => {
  const { pathname, origin } = new URL(event.request.url);
  if (event.request.mode === "navigate") {
    event.respondWith(fetch(event.request).catch(() => caches.match("/offline.html")));
  } else if (origin === location.origin && shellFiles.includes(pathname)) {
    event.respondWith(fetch(event.request).catch(() => caches.match(pathname)));
  }
});

self.addEventListener("push", (event) => {
  event.waitUntil(showQuestion(readMessage(event.data)));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const question = event.notification.data;
  event.waitUntil(event.action === "deny" ? deny(question) : openThread(question));
});

function readMessage(data) {
  try {
    const message = data.json();
    return typeof message.thread_id === "string" && typeof message.question_id === "string" ? message : null;
  } catch {
    return null;
  }
}

async function showQuestion(question) {
  if (question === null) return;
  const open = await self.clients.matchAll({ type: "window" });
  // Whoever looks at the page sees the question there.
  if (open.some((client) => client.visibilityState === "visible")) return;
  const { sound = true } = await readDevice();
  await self.registration.showNotification(String(question.title), {
    body: String(question.body),
    tag: question.question_id,
    icon: "/icon-192.png",
    requireInteraction: true,
    silent: !sound,
    data: question,
    // Never Allow: that needs a look at what would happen.
    actions: [
      { action: "review", title: "Review" },
      ...(question.can_deny === true ? [{ action: "deny", title: "Deny" }] : []),
    ],
  });
}

async function deny(question) {
  const { token } = await readDevice();
  const problem = await fetch("/push/deny", {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify({ thread_id: question.thread_id, question_id: question.question_id }),
  }).then(
    async (answer) =>
      answer.ok ? null : ((await answer.json().catch(() => ({}))).error ?? `Signalbox answered with ${answer.status}.`),
    () => "Signalbox is not reachable.",
  );
  if (problem === null) return;
  await self.registration.showNotification("Not denied", {
    body: problem,
    // Another one than that of the question, which is being closed: a browser that does it late would close this with it.
    tag: `${question.question_id} not denied`,
    icon: "/icon-192.png",
    data: question,
    actions: [{ action: "review", title: "Review" }],
  });
}

async function openThread({ thread_id: threadId }) {
  const address = `/#/thread/${encodeURIComponent(threadId)}`;
  const [client] = await self.clients.matchAll({ type: "window" });
  if (client === undefined) return await self.clients.openWindow(address);
  await client.focus().catch(() => {});
  // The page goes there by itself: loading it again would lose what is typed.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a client of a worker takes none
  client.postMessage({ type: "open-thread", threadId });
}

async function readDevice() {
  const cache = await caches.open(deviceCache);
  const stored = await cache.match("/device");
  return stored === undefined ? {} : await stored.json();
}
