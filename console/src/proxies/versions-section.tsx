import { useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { EntriesField, recordOf, type Entry } from '../parts/entries-field.tsx';
import { Loading, Section } from '../parts/page.tsx';
import { Code, Instant, JsonText } from '../parts/text.tsx';
import { changeFrom, withTag } from '../refuse-if-changed.ts';
import type { StoredProxy, StoredProxyVersion } from '../sdk.ts';
import { useAction, useClient, useLoad } from '../session/use-session.ts';

interface RevertProps {
  readonly proxy: StoredProxy;
  readonly to: StoredProxyVersion;
  readonly onClose: () => void;
  readonly onReverted: (proxy: StoredProxy) => void;
}

function Revert({ proxy, to, onClose, onReverted }: RevertProps) {
  const client = useClient('management');
  const [entries, setEntries] = useState<readonly Entry[]>([]);
  const isElsewhere = to.destination_url !== proxy.destination_url;
  return (
    <Confirm
      title={`Make version ${String(to.version)} the newest one?`}
      words={`Revert to version ${String(to.version)}`}
      action={useAction()}
      onClose={onClose}
      change={async () => {
        const configuration = recordOf(entries);
        const sent = Object.keys(configuration).length === 0 ? {} : { configuration };
        const result = await changeFrom(proxy, (condition) =>
          withTag(client.proxies.revert(proxy.id, { version: to.version, ...sent }, condition)),
        );
        onReverted(result);
        onClose();
      }}
    >
      <p>
        Its definition takes the place of version {proxy.version}, which stays in this list. Calls run it at
        once, to <Code>{to.destination_url}</Code>.
      </p>
      {isElsewhere && (
        <EntriesField
          legend="Configuration"
          hint="This version has another destination: write every secret again."
          entries={entries}
          onChange={setEntries}
          isSecret
        />
      )}
    </Confirm>
  );
}

/** Shows the last versions of a proxy and the retained ones, and makes one the newest again. */
export function VersionsSection({
  proxy,
  onReverted,
}: {
  readonly proxy: StoredProxy;
  readonly onReverted: (proxy: StoredProxy) => void;
}) {
  const [loaded, reload] = useLoad(
    'management',
    (client, signal) => client.proxies.listVersions(proxy.id, { signal }),
    [proxy.id, proxy.version],
  );
  const [to, setTo] = useState<StoredProxyVersion | undefined>();
  return (
    <Section title="Versions">
      <Loading of={loaded} onRetry={reload}>
        {(versions) => (
          <table class="list">
            <thead>
              <tr>
                <th scope="col">Version</th>
                <th scope="col">Destination</th>
                <th scope="col">Definition</th>
                <th scope="col">From</th>
                <th scope="col">
                  <span class="hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {versions.map((version) => (
                <tr key={version.version}>
                  <th scope="row">{`${String(version.version)}${version.keep === true ? ', retained' : ''}`}</th>
                  <td data-label="Destination" class="long">
                    <Code>{version.destination_url}</Code>
                  </td>
                  <td data-label="Definition">
                    <details>
                      <summary>Show</summary>
                      <JsonText value={version} label={`Version ${String(version.version)}`} />
                    </details>
                  </td>
                  <td data-label="From">
                    <Instant iso={version.created_at} />
                  </td>
                  <td class="cell-actions">
                    {version.version === proxy.version ? (
                      <span class="muted">in use</span>
                    ) : (
                      <Button
                        look="quiet"
                        onClick={() => setTo(version)}
                        label={`Revert to version ${String(version.version)}`}
                      >
                        Revert
                      </Button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Loading>
      {to !== undefined && (
        <Revert proxy={proxy} to={to} onClose={() => setTo(undefined)} onReverted={onReverted} />
      )}
    </Section>
  );
}
