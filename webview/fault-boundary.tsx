import { Component, type ComponentChildren } from 'preact';

interface Props {
  /** What is drawn: once this is another, it is tried again. */
  readonly of: unknown;
  /** Drawn in place of what failed. `retry` draws it once more. */
  readonly fallback: (reason: string, retry: () => void) => ComponentChildren;
  readonly children: ComponentChildren;
}

interface Fault {
  readonly of: unknown;
  readonly reason: string;
}

/** Keeps a part that cannot be drawn from taking the rest with it. */
export class FaultBoundary extends Component<Props, { readonly fault: Fault | null }> {
  override state: { readonly fault: Fault | null } = { fault: null };

  override componentDidCatch(error: unknown): void {
    console.error('Ledgerline: something could not be drawn', error);
    this.setState({ fault: { of: this.props.of, reason: reasonOf(error) } });
  }

  override render(): ComponentChildren {
    const { fault } = this.state;
    const { of, fallback, children } = this.props;
    if (fault === null || fault.of !== of) return children;
    return fallback(fault.reason, () => this.setState({ fault: null }));
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
