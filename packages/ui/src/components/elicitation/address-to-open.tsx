// An address that an agent wants opened: shown in full, with the name of the place it leads to, opened by the person's click and by nothing else.
import { useRef } from "react";
import { useKeys } from "../../hooks/use-keys.ts";

export function AddressToOpen({ address, onOpen }: { address: string; onOpen: () => void }) {
  const link = useRef<HTMLAnchorElement>(null);
  const focus = () => link.current?.focus();
  useKeys({ q: focus, "alt+q": focus });
  const url = URL.parse(address);
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    return <p className="message">This is no address of the web: {address}</p>;
  }
  return (
    <div className="address">
      <code dir="ltr">{address}</code>
      <p>
        It leads to <b dir="ltr">{url.host}</b>
        {url.protocol === "http:" && ", and others can read along"}.
      </p>
      <a ref={link} className="button go" href={url.href} target="_blank" rel="noreferrer noopener" onClick={onOpen}>
        Open this address
      </a>
    </div>
  );
}
