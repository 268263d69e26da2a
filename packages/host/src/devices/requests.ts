// Answers requests about paired devices: pair one, remove one, switch its notifications on and off.
import { networkInterfaces } from "node:os";
import type { ListeningRow } from "@signalbox/protocol";
import type { Caller } from "../data/caller.ts";
import type { SomeQueries, SomeRequests } from "../data/handlers.ts";
import { HostError } from "../data/host-error.ts";
import type { DeviceStore } from "./device-store.ts";
import type { OneTimeCodes } from "./one-time-codes.ts";
import { encodePublicPushKey } from "./push-key.ts";
import type { QuestionPusher } from "./question-pusher.ts";

interface Services {
  readonly devices: DeviceStore;
  readonly pairing: OneTimeCodes;
  readonly pusher: QuestionPusher;
  readonly listening: ListeningRow | null;
}

export const deviceHandlers = {
  "devices.pair": ({ address }, { devices, pairing, listening }) => {
    if (address !== undefined) devices.addAddress(checkedAddress(address));
    const { code, expiresAt } = pairing.start();
    const addresses = [...devices.addresses, ...listeningAddresses(listening)];
    return { code, expires_at: expiresAt, addresses, fingerprint: listening?.fingerprint ?? null };
  },
  "devices.remove": ({ device_id }, { devices }) => devices.remove(device_id),
  "push.subscribe": async ({ device_id, subscription }, { devices, pusher }, caller) => {
    const id = chooseDevice(device_id, caller);
    await pusher.checkTarget(subscription);
    devices.setPush(id, subscription);
    pusher.refresh();
  },
  "push.unsubscribe": ({ device_id }, { devices }, caller) => devices.setPush(chooseDevice(device_id, caller), null),
} satisfies SomeRequests<Services>;

export const deviceQueryHandlers = {
  "devices.list": (_args, { devices }, caller) => ({
    rows: devices.list().map(({ push, ...device }) => ({
      ...device,
      has_push: push !== null,
      own: caller.type === "device" && caller.deviceId === device.id,
    })),
  }),
  "push.get": (_args, { devices }) => ({ rows: [{ public_key: encodePublicPushKey(devices.pushKey) }] }),
} satisfies SomeQueries<Services>;

/** A device need not name itself. */
function chooseDevice(deviceId: string | undefined, caller: Caller): string {
  const chosen = deviceId ?? (caller.type === "device" ? caller.deviceId : undefined);
  if (chosen === undefined) throw new HostError("bad_request", "Say which device: device_id.");
  return chosen;
}

/** `https://box.example.ts.net`, or `http://localhost:4280` at the end of an SSH tunnel. */
function checkedAddress(address: string): string {
  const url = URL.parse(address.includes("://") ? address : `https://${address}`);
  const isLocal = url !== null && ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  if (url === null || !(url.protocol === "https:" || (url.protocol === "http:" && isLocal)) || url.username !== "")
    throw new HostError(
      "bad_request",
      "A device needs an address that begins with https://, or http://localhost at the end of an SSH tunnel: others could read along.",
    );
  return url.origin;
}

/** Where other machines of the network reach this host; none unless it listens there, encrypted. */
function listeningAddresses(listening: ListeningRow | null): readonly string[] {
  if (listening === null || !listening.tls) return [];
  const { host, port } = listening;
  if (host !== "0.0.0.0" && host !== "::") return [`https://${host.includes(":") ? `[${host}]` : host}:${port}`];
  return Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ internal, family }) => !internal && family === "IPv4")
    .map(({ address }) => `https://${address}:${port}`);
}
