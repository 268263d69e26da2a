// Remembers which connections belong to which paired device, to end them immediately when the device is removed.
import type { Duplex } from "node:stream";

export class DeviceSockets {
  readonly #byDevice = new Map<string, Set<Duplex>>();

  add(deviceId: string, socket: Duplex): void {
    const sockets = this.#byDevice.get(deviceId) ?? new Set();
    if (sockets.has(socket)) return;
    sockets.add(socket);
    this.#byDevice.set(deviceId, sockets);
    socket.once("close", () => {
      sockets.delete(socket);
      if (sockets.size === 0) this.#byDevice.delete(deviceId);
    });
  }

  end(deviceId: string): void {
    for (const socket of this.#byDevice.get(deviceId) ?? []) socket.destroy();
  }
}
