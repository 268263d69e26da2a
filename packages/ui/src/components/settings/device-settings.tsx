// The Devices section: notifications that also come while the page is closed, the paired devices, and pairing a phone.

import { type DeviceRow, messageOf } from "@signalbox/protocol";
import { useQuery, useStore } from "@signalbox/react";
import { useState } from "react";
import { readToken } from "../../connection/token.ts";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { useNow } from "../../hooks/use-now.ts";
import { pushDevice, sound } from "../../stores/preferences.ts";
import { canPush, disablePush, enablePush, keepForWorker } from "../../stores/push-device.ts";
import { ago } from "../../text/time.ts";
import { Switch } from "../shared/check-box.tsx";
import { ErrorText } from "../shared/error-text.tsx";
import { PairPhone } from "./pair-phone.tsx";
import { Section } from "./section.tsx";

export function DeviceSettings() {
  const { connection } = useSignalbox();
  const devices = useQuery("devices.list", {});
  const rows = devices.rows ?? [];
  const pushId = useStore(pushDevice);
  const own = rows.find((device) => device.own) ?? rows.find((device) => device.id === pushId);
  const isDevice = rows.some((device) => device.own);
  const [error, setError] = useState<string | null>(null);
  const attempt = (work: () => Promise<unknown>) => {
    setError(null);
    work()
      .catch((problem: unknown) => setError(messageOf(problem)))
      .finally(devices.refresh);
  };
  const setPush = (isWanted: boolean) =>
    attempt(() =>
      isWanted || own === undefined ? enablePush(connection, rows, readToken() ?? "") : disablePush(connection, own.id),
    );
  const remove = (device: DeviceRow) => attempt(() => connection.request("devices.remove", { device_id: device.id }));
  return (
    <Section
      title="Devices"
      lead="Each paired device has a token of its own. Removing it ends its connections immediately."
      state={devices}
    >
      <div className="row">
        <label className="pick">
          <Switch isOn={own?.has_push === true} isDisabled={!canPush} onChange={setPush} />
          Notify this browser, also while the page is closed
        </label>
        <SoundField />
      </div>
      <p className="hint">
        {canPush
          ? "A notification has the question, Review and Deny. It comes encrypted through the service of your browser's maker."
          : "Notifications while the page is closed need an address with a certificate that this browser trusts, or http://localhost."}
      </p>
      <ErrorText error={error} />
      <ul className="rows" aria-label="Paired devices">
        {rows.map((device) => (
          <DeviceLine
            key={device.id}
            device={device}
            onRemove={() => remove(device)}
            canRemove={!isDevice || device.own}
          />
        ))}
      </ul>
      {isDevice ? (
        <p className="hint">Other devices are paired and removed on the computer that Signalbox runs on.</p>
      ) : (
        <PairPhone count={rows.length} refresh={devices.refresh} />
      )}
    </Section>
  );
}

function SoundField() {
  const isLoud = useStore(sound);
  return (
    <label className="pick">
      <Switch isOn={isLoud} onChange={setSound} />
      With sound
    </label>
  );
}

function DeviceLine({
  device: { name, last_seen_at, has_push, own },
  canRemove,
  onRemove,
}: {
  device: DeviceRow;
  canRemove: boolean;
  onRemove: () => void;
}) {
  const now = useNow(true, 60_000);
  return (
    <li>
      <span>
        {name}
        {own ? " (this one)" : ""}
      </span>
      <small>
        {last_seen_at === null ? "never seen" : `last seen ${ago(last_seen_at, now)}`}
        {has_push ? " · notifications" : ""}
      </small>
      {canRemove && (
        <button type="button" className="quiet" aria-label={`Remove ${name}`} onClick={onRemove}>
          Remove
        </button>
      )}
    </li>
  );
}

function setSound(isWanted: boolean): void {
  sound.set(isWanted);
  // Where nothing can be stored, notifications sound as the system says.
  keepForWorker({ sound: isWanted }).catch(() => {});
}
