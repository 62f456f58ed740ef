import { useEffect, useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { TextField } from '../parts/field.tsx';
import type { KeyKind } from '../session/key-kind.ts';
import { useSession } from '../session/use-session.ts';

interface KeyFormProps {
  readonly words: string;
  readonly hint: string;
  /** The kind that is needed here; any if it is absent. */
  readonly kind?: KeyKind;
  /** Takes the focus: only where the key is all that a person came for. */
  readonly hasFocus?: boolean;
}

/** Takes a key by pasting it and Enter. The text leaves the input with the attempt. */
export function KeyForm({ words, hint, kind, hasFocus = false }: KeyFormProps) {
  const session = useSession();
  const [key, setKey] = useState('');
  const [problem, setProblem] = useState<string | undefined>();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const text = key.trim();
        setProblem(text === '' ? 'Paste a key first.' : session.signIn(text, kind));
        setKey('');
      }}
    >
      <TextField
        label="API key"
        value={key}
        onChange={setKey}
        hint={hint}
        problem={problem}
        placeholder="key_…"
        isMachineText
        isSecret
        hasFocus={hasFocus}
      />
      <Button look="primary">{words}</Button>
    </form>
  );
}

/** Opens in another tab: this one would forget the keys. */
export const DocsLink = () => {
  const { docs_url: docsUrl } = useSession().service;
  return docsUrl === undefined ? null : (
    <a class="docs" href={docsUrl} target="_blank" rel="noopener noreferrer">
      Documentation
    </a>
  );
};

/** The first thing that a person sees: one input. */
export const SignIn = ({ notice }: { readonly notice: string | undefined }) => {
  const { service } = useSession();
  useEffect(() => {
    document.title = 'Cloakroom';
  }, []);
  return (
    <main id="main" class="sign-in">
      <h1>Cloakroom</h1>
      {notice !== undefined && (
        <p class="notice" role="status">
          {notice}
        </p>
      )}
      <KeyForm
        hasFocus
        words="Open"
        hint="The page keeps it in this tab alone, and forgets it when the tab closes or after 15 minutes without you."
      />
      <dl class="pairs">
        <dt>A management key</dt>
        <dd>opens applications, keys, rules, reactors, proxies, the tenant and the audit trail.</dd>
        <dt>A private key</dt>
        <dd>opens tokens. Data is masked until you reveal it, one token at a time.</dd>
      </dl>
      <p class="muted">
        {service.local ? (
          <>
            The address that <code>npm start</code> prints opens this page with the management key of this
            machine, once. After a reload or a sign-out, use the newest one in its terminal: it prints another
            after each use. The key itself is in the credentials file that it names.
          </>
        ) : (
          <>
            The API is at <code>{service.api_url}</code>.
          </>
        )}
      </p>
      <p>
        <DocsLink />
      </p>
    </main>
  );
};
