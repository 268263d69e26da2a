// Notifications of this browser that also come while the page is closed. The service worker denies with a token of this device, never with the page's.
import type { DeviceRow } from "@signalbox/protocol";
import type { HostConnection } from "@signalbox/react";
import { pair } from "../connection/exchange-code.ts";
import { pushDevice, sound } from "./preferences.ts";

export const canPush = "serviceWorker" in navigator && "PushManager" in window;

/** Throws with what a person can do about it. */
export async function enablePush(
  connection: HostConnection,
  devices: readonly DeviceRow[],
  pageToken: string,
): Promise<void> {
  if ((await Notification.requestPermission()) !== "granted")
    throw new Error("The browser blocks notifications from this page. Change it in the site settings.");
  const registration = await registered();
  const { rows } = await connection.query("push.get", {});
  const applicationServerKey = rows[0]?.public_key ?? "";
  const subscription = await registration.pushManager
    .subscribe({ userVisibleOnly: true, applicationServerKey })
    .catch((error: unknown) => {
      throw new Error("The browser could not reach its service for notifications. Try again later.", { cause: error });
    });
  const device = await findThisDevice(connection, devices, pageToken);
  const { endpoint, keys = {} } = subscription.toJSON();
  await connection.request("push.subscribe", {
    device_id: device.id,
    subscription: { endpoint: endpoint ?? "", p256dh: keys.p256dh ?? "", auth: keys.auth ?? "" },
  });
}

export async function disablePush(connection: HostConnection, deviceId: string): Promise<void> {
  await connection.request("push.unsubscribe", { device_id: deviceId });
  const registration = await navigator.serviceWorker.getRegistration();
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
}

/** The service worker reads it from there: it has no other storage in common with the page. */
export async function keepForWorker(values: { readonly token?: string; readonly sound?: boolean }): Promise<void> {
  if (!("caches" in window)) return;
  const cache = await caches.open("signalbox-device");
  const known = await cache.match("/device");
  const before = known === undefined ? {} : ((await known.json()) as object);
  await cache.put("/device", new Response(JSON.stringify({ ...before, ...values })));
}

/** This browser as a device: the one that it was paired as, or a new one for its notifications. */
async function findThisDevice(
  connection: HostConnection,
  devices: readonly DeviceRow[],
  pageToken: string,
): Promise<{ id: string }> {
  const paired = devices.find((device) => device.own);
  if (paired !== undefined) {
    await keepForWorker({ token: pageToken, sound: sound.get() });
    return paired;
  }
  const known = devices.find((device) => device.id === pushDevice.get());
  if (known !== undefined) return known;
  const { code } = await connection.request("devices.pair", {});
  const { device_id: id, token } = await pair(code, `${browserName()} on this computer`);
  await keepForWorker({ token, sound: sound.get() });
  pushDevice.set(id);
  return { id };
}

async function registered(): Promise<ServiceWorkerRegistration> {
  await navigator.serviceWorker.register("/service-worker.js").catch((error: unknown) => {
    throw new Error("Notifications need an address with a certificate that this browser trusts, or http://localhost.", {
      cause: error,
    });
  });
  return await navigator.serviceWorker.ready;
}

export function browserName(): string {
  const [, phone] = /\b(iPhone|iPad|Android)\b/.exec(navigator.userAgent) ?? [];
  const [, browser] = /\b(Firefox|Edg|Chrome|Safari)\b/.exec(navigator.userAgent) ?? [];
  return phone ?? (browser === "Edg" ? "Edge" : (browser ?? "Browser"));
}
