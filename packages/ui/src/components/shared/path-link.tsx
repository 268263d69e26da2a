// Links paths to the Changes view of the thread that they stand in. A path outside of the thread's folder is only named.
import { type ReactNode, useMemo } from "react";
import { useCheckedPath, useThreadPlace } from "../../hooks/open-thread.tsx";
import { formatRoute } from "../../hooks/use-route.ts";
import { pathInText } from "../../text/path-in-text.ts";
import { shortPath } from "../../text/paths.ts";

interface PathLinkProps {
  /** Absolute, or from the thread's folder. */
  readonly path: string;
  readonly line?: number | undefined;
  readonly className?: string;
  readonly children: ReactNode;
}

export function PathLink({ path, line, className = "", children }: PathLinkProps) {
  const place = useThreadPlace();
  const inside = place === null ? path : shortPath(path, place.folder);
  if (place === null || inside.startsWith("/") || inside.startsWith("../") || inside === "")
    return <span className={className}>{children}</span>;
  const address = formatRoute({
    page: "changes",
    threadId: place.threadId,
    path: inside,
    ...(line !== undefined && { line }),
  });
  return (
    <a className={`${className} path-link`.trim()} href={address} title={path}>
      {children}
    </a>
  );
}

/** A part of a text that may name a file: a link once the host knows the file. */
export function TextPathLink({ text, children }: { text: string; children: ReactNode }) {
  const named = useMemo(() => pathInText(text), [text]);
  const file = useCheckedPath(named?.path ?? null);
  if (file === null) return children;
  return (
    <PathLink path={file} line={named?.line}>
      {children}
    </PathLink>
  );
}
