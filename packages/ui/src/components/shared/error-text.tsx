// Says why something that a person asked for failed; without an error it is nothing.

interface ErrorTextProps {
  readonly error: string | null;
  /** In one line with what was pressed. */
  readonly isInline?: boolean;
}

export function ErrorText({ error, isInline = false }: ErrorTextProps) {
  if (error === null) return null;
  if (isInline) {
    return (
      <span role="alert" className="small-error">
        {error}
      </span>
    );
  }
  return (
    <p role="alert" className="error">
      {error}
    </p>
  );
}
