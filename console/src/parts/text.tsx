import type { ComponentChildren } from 'preact';
import { useNow } from '../session/use-session.ts';
import { distanceOf, readableTime } from '../instant.ts';
import { jsonText } from '../json-input.ts';
import { visibleText } from './visible-text.ts';

/** A text that others wrote: isolated in its direction, with nothing in it unseen. */
export const Text = ({ children }: { readonly children: string }) => (
  <bdi class="text">{visibleText(children)}</bdi>
);

/** Shows an id, a container, or another text of machines. */
export const Code = ({ children }: { readonly children: string }) => (
  <code class="text" dir="auto">
    {visibleText(children)}
  </code>
);

/** JSON that others wrote, as text of several lines. */
export const JsonText = ({ value, label }: { readonly value: unknown; readonly label: string }) => (
  <pre class="json" tabIndex={0} role="region" aria-label={label} dir="auto">
    {visibleText(jsonText(value), { mayHaveLines: true })}
  </pre>
);

export function Time({ iso }: { readonly iso: string }) {
  const now = useNow();
  return (
    <time dateTime={iso} title={readableTime(iso)}>
      {distanceOf(iso, now)}
    </time>
  );
}

/** An instant to the second, for those who compare. */
export const Instant = ({ iso }: { readonly iso: string }) => (
  <time dateTime={iso} class="instant">
    {readableTime(iso)}
  </time>
);

const WORDS = {
  reveal: 'reveal',
  mask: 'mask',
  redact: 'redact',
  nothing: 'nothing',
  depends: 'depends',
} as const;

export type Visibility = keyof typeof WORDS;

/** Shows how much a caller sees, by a word, a sign and a colour. */
export const Seen = ({
  shown,
  children,
}: {
  readonly shown: Visibility;
  readonly children?: ComponentChildren;
}) => <span class={`seen seen-${shown}`}>{children ?? WORDS[shown]}</span>;

export const Badge = ({ tone, children }: { readonly tone: string; readonly children: string }) => (
  <span class={`badge badge-${tone}`}>{children}</span>
);

/** Says by which name of its own a tool finds a resource. Without one it says nothing. */
export const ExternalId = ({ of }: { readonly of: string | undefined }) =>
  of === undefined ? null : (
    <>
      <dt>External id</dt>
      <dd>
        <Code>{of}</Code>
      </dd>
    </>
  );
