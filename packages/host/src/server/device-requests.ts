// Carries out what a person does with paired devices: pair one, remove one, switch its notifications on and off.
import { networkInterfaces } from "node:os";
import type { ClientMessageOf, DeviceRow, ListeningRow, PairingRow } from "@signalbox/protocol";
import { HostError } from "../data/host-error.ts";
import type { Caller } from "../devices/caller.ts";
import { publicPushKey } from "../devices/push-key.ts";
import type { HostServices } from "./host-services.ts";

type DeviceServices = Pick<HostServices, "devices" | "pairing" | "pusher" | "listening">;

export function listDevices(caller: Caller, { devices }: DeviceServices): readonly DeviceRow[] {
  return devices.list().map(({ push, ...device }) => ({
    ...device,
    has_push: push !== null,
    own: caller.type === "device" && caller.deviceId === device.id,
  }));
}

export function pushKeyOf({ devices }: DeviceServices): string {
  return publicPushKey(devices.pushKey);
}

/** Throws a HostError when a device asks, or when the address is none that a device could use safely. */
export function pairDevice(
  { address }: ClientMessageOf<"devices.pair">,
  caller: Caller,
  { devices, pairing, listening }: DeviceServices,
): PairingRow {
  refuseDevices(caller);
  if (address !== undefined) devices.addAddress(checkedAddress(address));
  const { code, expiresAt } = pairing.start();
  const addresses = [...devices.addresses, ...listeningAddresses(listening)];
  return { code, expires_at: expiresAt, addresses, fingerprint: listening?.fingerprint ?? null };
}

/** A device removes itself; others only the owner. */
export function removeDevice(
  { device_id }: ClientMessageOf<"devices.remove">,
  caller: Caller,
  services: DeviceServices,
): void {
  if (caller.type !== "device" || caller.deviceId !== device_id) refuseDevices(caller);
  services.devices.remove(device_id);
}

/** A device sets its own notifications; the owner names the device. */
export async function changePush(
  message: ClientMessageOf<"push.subscribe" | "push.unsubscribe">,
  caller: Caller,
  { devices, pusher }: DeviceServices,
): Promise<void> {
  const own = caller.type === "device" ? caller.deviceId : undefined;
  const deviceId = message.device_id ?? own;
  if (deviceId === undefined) throw new HostError("bad_request", "Say which device: device_id.");
  if (deviceId !== own) refuseDevices(caller);
  if (message.control === "push.unsubscribe") {
    devices.setPush(deviceId, null);
    return;
  }
  await pusher.checkTarget(message.subscription);
  devices.setPush(deviceId, message.subscription);
  pusher.lookAgain();
}

function refuseDevices(caller: Caller): void {
  if (caller.type !== "owner")
    throw new HostError("unauthorized", "Only the computer that Signalbox runs on can do this, not a paired device.");
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
