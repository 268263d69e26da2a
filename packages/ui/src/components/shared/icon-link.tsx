// A link that shows only an icon. Its name is for screen readers and the tooltip.
import { Icon, type IconName } from "./icon.tsx";

interface IconLinkProps {
  readonly icon: IconName;
  readonly name: string;
  readonly href: string;
  /** The tooltip, where it says more than the name. */
  readonly title?: string;
}

export function IconLink({ icon, name, href, title = name }: IconLinkProps) {
  return (
    <a className="icon-button" href={href} aria-label={name} title={title}>
      <Icon name={icon} />
    </a>
  );
}
