// Pairs a phone: an address under which it reaches this host, and a code to scan that holds for five minutes and one device.

import type { PairingRow } from "@signalbox/protocol";
import { useEffect, useState } from "react";
import { renderSVG } from "uqr";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { useNow } from "../../hooks/use-now.ts";
import { clock } from "../../text/time.ts";
import { ErrorText } from "../shared/error-text.tsx";
import { ListBox } from "../shared/list-box.tsx";

/** `count`: how many devices there are; one more means that the code was used. */
export function PairPhone({ count, refresh }: { count: number; refresh: () => void }) {
  const { connection } = useSignalbox();
  const { attempt, error, isBusy } = useAttempt();
  const [open, setOpen] = useState<{ readonly pairing: PairingRow; readonly count: number } | null>(null);
  const [address, setAddress] = useState("");
  const now = useNow(open !== null);
  const isUsed = open !== null && count > open.count;
  const isOver = open !== null && now >= open.pairing.expires_at;
  const waits = open !== null && !isUsed && !isOver;
  useEffect(() => {
    if (!waits) return;
    const timer = setInterval(refresh, 2000);
    return () => clearInterval(timer);
  }, [waits, refresh]);
  const start = () =>
    attempt(async () => {
      const named = address.trim();
      const pairing = await connection.request("devices.pair", named === "" ? {} : { address: named });
      setOpen({ pairing, count });
    });
  return (
    <>
      <div className="row">
        <label>
          Address of this computer for the phone
          <input
            className="pair-address"
            value={address}
            placeholder="https://box.example.ts.net"
            onChange={(event) => setAddress(event.target.value)}
          />
        </label>
        <button type="button" className="button" disabled={isBusy} onClick={() => void start()}>
          Pair a phone
        </button>
      </div>
      <p className="hint">
        An address that leads here over HTTPS, such as one of <code>tailscale serve</code>, or http://localhost:PORT at
        the end of an SSH tunnel. Empty: the one that was used last, or one of this network if Signalbox was started
        with <code>--host 0.0.0.0 --tls-self-signed</code>.
      </p>
      <ErrorText error={error} />
      {isUsed && <p role="status">Paired.</p>}
      {isOver && !isUsed && <p role="status">The code has expired. Make a new one.</p>}
      {waits && <Code key={open.pairing.code} pairing={open.pairing} />}
    </>
  );
}

function Code({ pairing: { code, addresses, fingerprint, expires_at } }: { pairing: PairingRow }) {
  const [address] = addresses;
  const [chosen, setChosen] = useState(address);
  if (chosen === undefined)
    return (
      <p role="alert" className="error">
        No phone can reach this Signalbox yet: it listens for this computer only. Give an address above that leads here,
        or start it with --host 0.0.0.0 --tls-self-signed.
      </p>
    );
  const certificate = fingerprint === null ? "" : `&certificate=${fingerprint.replaceAll(":", "")}`;
  const link = `${chosen}/#pair=${code}${certificate}`;
  return (
    <div className="pairing">
      <img
        className="qr"
        alt="Code to scan with the phone"
        width={220}
        height={220}
        src={`data:image/svg+xml,${encodeURIComponent(renderSVG(link, { border: 2 }))}`}
      />
      <div>
        {addresses.length > 1 && (
          <span className="labelled">
            Address
            <ListBox
              label="Address"
              value={chosen}
              onChange={setChosen}
              options={addresses.map((each) => ({ value: each, name: each }))}
            />
          </span>
        )}
        <p>Scan it with the phone's camera, or open this address there:</p>
        <p>
          <code className="pair-link">{link}</code>
        </p>
        {fingerprint !== null && (
          <p>
            The phone warns about the certificate unless it knows it. Compare its SHA-256 fingerprint:{" "}
            <code>{fingerprint}</code>
          </p>
        )}
        <p className="hint">For one device, until {clock(expires_at)}.</p>
      </div>
    </div>
  );
}
