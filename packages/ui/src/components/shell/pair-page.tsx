// The page that a phone opens from the code: names this device and pairs it.
import { messageOf } from "@signalbox/protocol";
import { type FormEvent, useState } from "react";
import { pair } from "../../connection/exchange-code.ts";
import { keepToken } from "../../connection/token.ts";
import { browserName, keepForWorker } from "../../stores/push-device.ts";
import { ErrorText } from "../shared/error-text.tsx";

export default function PairPage({ code, fingerprint }: { code: string; fingerprint: string | null }) {
  const [name, setName] = useState(browserName);
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    setIsBusy(true);
    pair(code, name)
      .then(async ({ token }) => {
        await keepForWorker({ token }).catch(() => {});
        keepToken(token);
        location.replace("/");
      })
      .catch((problem: unknown) => {
        setError(messageOf(problem));
        setIsBusy(false);
      });
  };
  return (
    <main className="blank pair-page">
      <h1>Pair this device</h1>
      <p>
        It will see your threads, answer questions and send prompts, until you remove it under Settings, Devices, on
        your computer.
      </p>
      {fingerprint !== null && (
        <p>
          Where the browser warned about the certificate: its SHA-256 fingerprint must be the one on your computer's
          screen, <code>{fingerprint}</code>. If it is another one, do not go on.
        </p>
      )}
      <form onSubmit={onSubmit} className="row">
        <label>
          Name of this device
          <input value={name} maxLength={60} onChange={(event) => setName(event.target.value)} />
        </label>
        <button type="submit" className="button primary" disabled={isBusy}>
          Pair
        </button>
      </form>
      <ErrorText error={error} />
    </main>
  );
}
