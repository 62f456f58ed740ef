import { useState } from 'preact/hooks';
import { KeysSection } from '../applications/keys-section.tsx';
import { Copy } from '../parts/button.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { NewKey } from '../parts/new-key.tsx';
import { NamedView } from '../parts/named-view.tsx';
import { Section, View } from '../parts/page.tsx';
import { Code, ExternalId, Instant, Text } from '../parts/text.tsx';
import { linkTo } from '../route.ts';
import { leaveTo } from '../unsaved.ts';
import type { CreatedStoredProxy, StoredProxy } from '../sdk.ts';
import { changeFrom, withTag } from '../refuse-if-changed.ts';
import { useAction, useClient, useLoad } from '../session/use-session.ts';
import { ProxyForm } from './proxy-form.tsx';
import { changeOf, editedOf, newProxyOf, type EditedProxy } from './edited-proxy.ts';
import { VersionsSection } from './versions-section.tsx';

/** Returns the host as DNS has it, if it is written in letters that look like others. */
function asciiHost(url: string): string | undefined {
  const host = URL.parse(url)?.host;
  return host === undefined || url.includes(host) ? undefined : host;
}

function Facts({ proxy }: { readonly proxy: StoredProxy }) {
  const {
    id,
    version,
    external_id: name,
    destination_url: url,
    configuration_names: names,
    modified_at: modified,
    created_at: created,
  } = proxy;
  return (
    <dl class="pairs">
      <dt>Id</dt>
      <dd>
        <Code>{id}</Code> <Copy text={id} what="the id" />
      </dd>
      <ExternalId of={name} />
      <dt>Destination</dt>
      <dd>
        <Code>{url}</Code>
        {asciiHost(url) !== undefined && (
          <span class="field-problem">
            {' '}
            Its host is <Code>{asciiHost(url) ?? ''}</Code>
          </span>
        )}
      </dd>
      <dt>Version</dt>
      <dd>
        {version}, changed <Instant iso={modified ?? created} />
      </dd>
      <dt>Configuration</dt>
      <dd>{names.length === 0 ? 'none' : names.map((each) => <Code key={each}>{each}</Code>)}</dd>
      <dt>Trail</dt>
      <dd>
        <a href={linkTo(['trail'], { proxy_id: id })}>Calls through it</a>
      </dd>
    </dl>
  );
}

function DeleteProxy({ proxy, onClose }: { readonly proxy: StoredProxy; readonly onClose: () => void }) {
  const client = useClient('management');
  return (
    <Confirm
      title="Delete this proxy?"
      words="Delete proxy"
      action={useAction()}
      onClose={onClose}
      change={async () => {
        await client.proxies.delete(proxy.id);
        leaveTo('#/proxies');
      }}
    >
      <p>
        <Text>{proxy.name}</Text> loses its keys, its configuration and its versions. Calls through it fail at
        once, and rules that name it in <code>through</code> permit nothing through it. This cannot be undone.
      </p>
    </Confirm>
  );
}

function Edit({ proxy, onSaved }: { readonly proxy: StoredProxy; readonly onSaved: () => void }) {
  const client = useClient('management');
  // A key or a reload may load it again: the edit began with this one.
  const [opened, setOpened] = useState(proxy);
  const [saves, setSaves] = useState(0);
  const save = async (edited: EditedProxy) => {
    const change = changeOf(opened, edited);
    if (Object.keys(change).length === 0) return;
    const saved = await changeFrom(opened, (condition) =>
      withTag(client.proxies.patch(opened.id, change, condition)),
    );
    setOpened(saved);
    setSaves(saves + 1);
    onSaved();
  };
  return (
    <>
      <ProxyForm
        key={saves}
        first={editedOf(opened)}
        names={opened.configuration_names}
        words="Save"
        onSave={save}
      />
      {saves > 0 && (
        <p class="muted" role="status">
          Saved as version {opened.version}. Calls run it now.
        </p>
      )}
    </>
  );
}

function Existing({ id }: { readonly id: string }) {
  const [loaded, reload] = useLoad(
    'management',
    (client, signal) => withTag(client.proxies.retrieve(id, { signal })),
    [id],
  );
  const [reverted, setReverted] = useState<StoredProxy | undefined>();
  return (
    <NamedView
      what="Proxy"
      up={['#/proxies', 'Proxies']}
      of={loaded}
      onRetry={reload}
      remove={(proxy, onClose) => <DeleteProxy proxy={proxy} onClose={onClose} />}
    >
      {(proxy) => (
        <>
          <Facts proxy={proxy} />
          <Section title="Definition">
            <Edit key={reverted?.version} proxy={reverted ?? proxy} onSaved={reload} />
          </Section>
          <KeysSection owners="proxies" id={id} />
          <VersionsSection
            proxy={proxy}
            onReverted={(result) => {
              setReverted(result);
              reload();
            }}
          />
        </>
      )}
    </NamedView>
  );
}

function NewProxy() {
  const client = useClient('management');
  const [created, setCreated] = useState<CreatedStoredProxy | undefined>();
  return (
    <View title="New proxy" up={['#/proxies', 'Proxies']}>
      <ProxyForm
        first={editedOf(undefined)}
        names={[]}
        words="Create proxy"
        onSave={async (edited, idempotencyKey) =>
          setCreated(await client.proxies.create(newProxyOf(edited), { idempotencyKey }))
        }
      />
      {created !== undefined && (
        <NewKey
          title="The key of the proxy"
          text={created.key}
          onClose={() => leaveTo(linkTo(['proxies', created.id]))}
        />
      )}
    </View>
  );
}

export const ProxyView = ({ id }: { readonly id: string | undefined }) =>
  id === undefined ? <NewProxy /> : <Existing id={id} />;
