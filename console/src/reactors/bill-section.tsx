import { useEffect, useMemo, useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { Loading, More, Section } from '../parts/page.tsx';
import { Code, Text } from '../parts/text.tsx';
import type { BillOfMaterials } from '../sdk.ts';
import { useLoad } from '../session/use-session.ts';
import { packagesIn, type ListedPackage } from './packages.ts';

const STEP = 50;

/** Shows the packages of a bill of materials. They are texts of its author, and link to nothing. */
export function PackageTable({ packages }: { readonly packages: readonly ListedPackage[] }) {
  const [shown, setShown] = useState(STEP);
  const rows = packages.slice(0, shown);
  return (
    <>
      <table class="list is-even">
        <thead>
          <tr>
            <th scope="col">Package</th>
            <th scope="col">Version</th>
            <th scope="col">Licence</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, version, licence }) => (
            <tr key={JSON.stringify([name, version, licence])}>
              <th scope="row">
                <Code>{name}</Code>
              </th>
              <td data-label="Version">
                <Text>{version}</Text>
              </td>
              <td data-label="Licence">{licence === '' ? 'not named' : <Text>{licence}</Text>}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <More
        shown={rows.length}
        total={packages.length.toLocaleString('en')}
        what="packages"
        onMore={rows.length < packages.length ? () => setShown(shown + STEP) : undefined}
        isBusy={false}
      />
    </>
  );
}

/** A link that stores a text as a file, for as long as the link is there. */
function Download({ name, text }: { readonly name: string; readonly text: string }) {
  const url = useMemo(() => URL.createObjectURL(new Blob([text], { type: 'application/json' })), [text]);
  useEffect(() => () => URL.revokeObjectURL(url), [url]);
  return (
    <p>
      <a class="button button-plain" href={url} download={name}>
        Download (CycloneDX, JSON)
      </a>
    </p>
  );
}

interface BillProps {
  readonly reactorId: string;
  /** It changes with the packages. */
  readonly digest: string;
}

function Bill({ reactorId, digest }: BillProps) {
  const [loaded, reload] = useLoad<BillOfMaterials>(
    'management',
    (client, signal) => client.reactors.sbom(reactorId, { signal }),
    [reactorId, digest],
  );
  return (
    <Loading of={loaded} onRetry={reload}>
      {(bill) => (
        <>
          <Download name={`${reactorId}.cdx.json`} text={JSON.stringify(bill, undefined, 2)} />
          <PackageTable packages={packagesIn(bill)} />
        </>
      )}
    </Loading>
  );
}

/** All packages in the bundle of a reactor, on request: the service opens the bundle for it. */
export function BillSection(props: BillProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Section title="Bill of materials">
      <p class="muted">
        All packages of the bundle, those of packages included, as its author declared them. The service
        cannot check that the text of the bundle is theirs.
      </p>
      {isOpen ? <Bill {...props} /> : <Button onClick={() => setOpen(true)}>Show all packages</Button>}
    </Section>
  );
}
