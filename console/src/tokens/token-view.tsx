import { useState } from 'preact/hooks';
import { Button, Copy } from '../parts/button.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { Loading, Section, View } from '../parts/page.tsx';
import { Badge, Code, Instant, JsonText, Text } from '../parts/text.tsx';
import { linkTo } from '../route.ts';
import { leaveTo } from '../unsaved.ts';
import type { Token } from '../sdk.ts';
import { useAction, useClient, useLoad, useSessionState } from '../session/use-session.ts';
import { shortened } from '../shortened.ts';
import { EditToken } from './edit-token.tsx';
import { Reveal } from './reveal.tsx';

const TITLE = 80;

function Metadata({ metadata }: { readonly metadata: Readonly<Record<string, string>> }) {
  const entries = Object.entries(metadata);
  if (entries.length === 0) return <span class="muted">none</span>;
  return (
    <ul class="plain">
      {entries.map(([key, value]) => (
        <li key={key}>
          <Text>{key}</Text>: <Text>{value}</Text>
        </li>
      ))}
    </ul>
  );
}

function Facts({ token }: { readonly token: Token }) {
  const { access } = useSessionState();
  const {
    id,
    type,
    containers,
    fingerprint,
    metadata = {},
    expires_at: expires,
    created_at: created,
  } = token;
  return (
    <dl class="pairs">
      <dt>Id</dt>
      <dd>
        <Code>{id}</Code> <Copy text={id} what="the id" />
      </dd>
      <dt>Type</dt>
      <dd>
        <Badge tone="type">{type}</Badge>
      </dd>
      <dt>Containers</dt>
      <dd>
        {containers.map((container) => (
          <a class="tag" key={container} href={linkTo(['tokens'], { container })}>
            <Code>{container}</Code>
          </a>
        ))}
      </dd>
      <dt>Metadata</dt>
      <dd>
        <Metadata metadata={metadata} />
      </dd>
      {fingerprint !== undefined && (
        <>
          <dt>Fingerprint</dt>
          <dd>
            <Code>{fingerprint}</Code>
          </dd>
        </>
      )}
      {created !== undefined && (
        <>
          <dt>Created</dt>
          <dd>
            <Instant iso={created} />
          </dd>
        </>
      )}
      <dt>Expires</dt>
      <dd>{expires === undefined ? 'never' : <Instant iso={expires} />}</dd>
      {access.management !== undefined && (
        <>
          <dt>Trail</dt>
          <dd>
            <a href={linkTo(['trail'], { token_id: id })}>Who used it</a>
          </dd>
        </>
      )}
    </dl>
  );
}

function DeleteToken({ token, onClose }: { readonly token: Token; readonly onClose: () => void }) {
  const client = useClient('private');
  return (
    <Confirm
      title="Delete this token?"
      words="Delete token"
      action={useAction()}
      onClose={onClose}
      change={async () => {
        await client.tokens.delete(token.id);
        leaveTo('#/tokens');
      }}
    >
      <p>
        The data of <Code>{shortened(token.id, TITLE)}</Code> ({token.type}) is lost, and its id names nothing
        any more: requests that use it fail. The audit trail keeps its records. This cannot be undone.
      </p>
    </Confirm>
  );
}

export function TokenView({ id }: { readonly id: string }) {
  const [loaded, reload] = useLoad(
    'private',
    (client, signal) => client.tokens.retrieve(id, { transform: 'mask', signal }),
    [id],
  );
  const [mode, setMode] = useState<'read' | 'edit' | 'delete'>('read');
  return (
    <View
      title={shortened(id, TITLE)}
      up={['#/tokens', 'Tokens']}
      actions={
        loaded.value !== undefined && (
          <>
            {mode !== 'edit' && <Button onClick={() => setMode('edit')}>Edit</Button>}
            <Button look="danger" onClick={() => setMode('delete')}>
              Delete
            </Button>
          </>
        )
      }
    >
      <Loading of={loaded} onRetry={reload}>
        {(token) => (
          <>
            <div class="ticket">
              <h2>Masked data</h2>
              {token.data === undefined ? (
                <p class="muted">No data is shown: this token has no mask, or your key sees it redacted.</p>
              ) : (
                <JsonText value={token.data} label="Masked data" />
              )}
              <Reveal token={token} />
            </div>
            {mode === 'edit' ? (
              <Section title="Edit">
                <EditToken token={token} onChanged={reload} onClose={() => setMode('read')} />
              </Section>
            ) : (
              <Facts token={token} />
            )}
            {mode === 'delete' && <DeleteToken token={token} onClose={() => setMode('read')} />}
          </>
        )}
      </Loading>
    </View>
  );
}
