import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Loaded } from '../session/use-session.ts';
import { Button } from './button.tsx';
import { Loading, View } from './page.tsx';

interface NamedViewProps<T> {
  /** Is shown until the name has arrived. */
  readonly what: string;
  readonly up: readonly [href: string, words: string];
  readonly of: Loaded<T>;
  readonly onRetry: () => void;
  /** Asks before the thing is deleted. */
  readonly remove: (item: T, onClose: () => void) => ComponentChildren;
  readonly children: (item: T) => ComponentChildren;
}

/** Shows one thing with a name, and the button that deletes it. */
export function NamedView<T extends { readonly name: string }>(props: NamedViewProps<T>) {
  const { what, up, of, onRetry, remove, children } = props;
  const [isDeleting, setDeleting] = useState(false);
  const button = (
    <Button look="danger" onClick={() => setDeleting(true)}>
      Delete
    </Button>
  );
  return (
    <View title={of.value?.name ?? what} up={up} actions={of.value !== undefined && button}>
      <Loading of={of} onRetry={onRetry}>
        {(item) => (
          <>
            {children(item)}
            {isDeleting && remove(item, () => setDeleting(false))}
          </>
        )}
      </Loading>
    </View>
  );
}
