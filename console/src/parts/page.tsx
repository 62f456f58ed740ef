import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { visibleText } from './visible-text.ts';
import type { Loaded } from '../session/use-session.ts';
import { counted } from '../counted.ts';
import { shortened } from '../shortened.ts';
import { Button } from './button.tsx';
import { ProblemBox } from './problem-box.tsx';

/** A tab of the browser shows no more of a title. */
const TITLE = 60;

interface ViewProps {
  readonly title: string;
  /** Leads back to the list. */
  readonly up?: readonly [href: string, words: string];
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A view with its heading, which gets the focus when the view opens, for screen readers. */
export function View({ title, up, actions, children }: ViewProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (document.activeElement === document.body || document.activeElement?.closest('nav') !== null)
      heading.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, []);
  useEffect(() => {
    document.title = `${shortened(visibleText(title), TITLE)} · Cloakroom`;
  }, [title]);
  return (
    <main id="main">
      {up !== undefined && (
        <p class="up">
          <a href={up[0]}>← {up[1]}</a>
        </p>
      )}
      <div class="view-head">
        <h1 ref={heading} tabIndex={-1}>
          <bdi class="text">{visibleText(title)}</bdi>
        </h1>
        {actions !== undefined && <div class="view-actions">{actions}</div>}
      </div>
      {children}
    </main>
  );
}

export const Section = ({
  title,
  actions,
  children,
}: {
  readonly title: string;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}) => (
  <section class="section">
    <div class="section-head">
      <h2>{title}</h2>
      {actions}
    </div>
    {children}
  </section>
);

/** Shows the first step where there is nothing yet. */
export const Empty = ({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}) => (
  <div class="empty">
    <h2>{title}</h2>
    {children}
  </div>
);

const SLOW_MS = 2_000;

/** Progress that appears only when there is something to wait for. */
export function Waiting() {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p class="waiting" role="status">
      <span class="spinner" aria-hidden="true" /> {isSlow ? 'Still waiting for the service…' : 'Loading…'}
    </p>
  );
}

interface LoadingProps<T> {
  readonly of: Loaded<T>;
  readonly onRetry: () => void;
  readonly children: (value: T) => ComponentChildren;
}

/** Shows what was loaded, the progress of it, or why it failed. An earlier value stays visible. */
export function Loading<T>({ of, onRetry, children }: LoadingProps<T>) {
  return (
    <>
      {of.kind === 'failed' && <ProblemBox problem={of.problem} onRetry={onRetry} />}
      {of.value !== undefined ? (
        <div class={of.kind === 'loading' ? 'is-stale' : undefined} aria-busy={of.kind === 'loading'}>
          {children(of.value)}
        </div>
      ) : (
        of.kind === 'loading' && <Waiting />
      )}
    </>
  );
}

interface MoreProps {
  readonly shown: number;
  readonly what: string;
  readonly total: string | undefined;
  readonly onMore: (() => void) | undefined;
  readonly isBusy: boolean;
}

/** `1 token`, `50 of 5,000 tokens`; `what` is the plural. */
function wordsOf(shown: number, what: string, total: string | undefined): string {
  const isWhole = total === undefined || total === shown.toLocaleString('en');
  const one = what.replace(/xies$/, 'xy').replace(/ries$/, 'ry').replace(/s$/, '');
  return isWhole ? counted(shown, one, what) : `${shown.toLocaleString('en')} of ${total} ${what}`;
}

/** The end of a list: how much of it is shown, and the next page. */
export const More = ({ shown, what, total, onMore, isBusy }: MoreProps) => (
  <div class="more">
    <p class="muted" role="status">
      {wordsOf(shown, what, total)}
    </p>
    {onMore !== undefined && (
      <Button onClick={onMore} isBusy={isBusy}>
        Show more
      </Button>
    )}
  </div>
);
