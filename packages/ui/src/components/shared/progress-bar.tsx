// How far something is. Without a total it only says that something goes on.
interface ProgressBarProps {
  readonly label: string;
  readonly done?: number | undefined;
  readonly total?: number | undefined;
}

export function ProgressBar({ label, done = 0, total }: ProgressBarProps) {
  const share = total === undefined || total === 0 ? undefined : Math.min(1, done / total);
  return (
    <div
      className="progress-bar"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={share === undefined ? undefined : Math.round(share * 100)}
    >
      <i
        style={{ width: share === undefined ? "30%" : `${share * 100}%` }}
        data-unknown={share === undefined || undefined}
      />
    </div>
  );
}
