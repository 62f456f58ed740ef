import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

export interface ButtonProps {
  readonly onClick?: () => void;
  readonly look?: 'primary' | 'danger' | 'plain' | 'quiet';
  readonly isBusy?: boolean;
  readonly isDisabled?: boolean;
  /** A screen reader says it where the words on the button need their surroundings. */
  readonly label?: string;
  readonly children: ComponentChildren;
}

/** Without `onClick` it submits its form. */
export const Button = ({
  onClick,
  look = 'plain',
  isBusy = false,
  isDisabled = false,
  label,
  children,
}: ButtonProps) => (
  <button
    type={onClick === undefined ? 'submit' : 'button'}
    class={`button button-${look}`}
    onClick={onClick}
    disabled={isDisabled || isBusy}
    aria-busy={isBusy}
    aria-label={label}
  >
    {isBusy && <span class="spinner" aria-hidden="true" />}
    {children}
  </button>
);

const COPIED_MS = 2_000;

/** Copies ids and new keys. Revealed data has no such button: other programs read a clipboard. */
export function Copy({ text, what }: { readonly text: string; readonly what: string }) {
  const [result, setResult] = useState<'copied' | 'select it' | undefined>();
  useEffect(() => {
    if (result === undefined) return undefined;
    const timer = setTimeout(() => setResult(undefined), COPIED_MS);
    return () => clearTimeout(timer);
  }, [result]);
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setResult('copied'),
      () => setResult('select it'),
    );
  };
  return (
    <Button look="quiet" onClick={copy} label={`Copy ${what}`}>
      <span role="status">{result ?? 'Copy'}</span>
    </Button>
  );
}
