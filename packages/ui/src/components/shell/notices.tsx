// What went wrong with something that was asked for from a menu.
import { useStore } from "../../hooks/use-store.ts";
import { dismiss, notices } from "../../stores/notices.ts";

export function Notices() {
  return useStore(notices).map(({ id, text }) => (
    <p key={id} role="alert">
      {text}
      <button type="button" onClick={() => dismiss(id)}>
        Close
      </button>
    </p>
  ));
}
