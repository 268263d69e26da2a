// Where something on the page breaks, only that place shows it; the rest goes on.
import { Component, type ReactNode } from "react";

interface MishapProps {
  readonly children: ReactNode;
  /** What stands there instead. */
  readonly instead: (error: Error) => ReactNode;
}

export class Mishap extends Component<MishapProps, { readonly error: Error | null }> {
  override state: { readonly error: Error | null } = { error: null };

  static getDerivedStateFromError(thrown: unknown): { readonly error: Error } {
    return { error: thrown instanceof Error ? thrown : new Error(String(thrown)) };
  }

  override render(): ReactNode {
    return this.state.error === null ? this.props.children : this.props.instead(this.state.error);
  }
}
