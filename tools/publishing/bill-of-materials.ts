import { execFileSync } from 'node:child_process';
import { readManifest } from './published-packages.ts';

interface Bill {
  readonly serialNumber?: string;
  readonly metadata: { readonly component: object };
}

/**
 * Lists the installed packages in CycloneDX. Those of the build are included and marked, since some
 * are in the bundles of the console and the card fields. `date` makes the list of a commit the same
 * bytes each time.
 */
export function billOfMaterials(root: string, date: string): string {
  const text = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const { serialNumber: _random, metadata, ...members } = JSON.parse(text) as Bill;
  // npm takes the name of the folder.
  const component = { ...metadata.component, name: readManifest(root).name };
  const bill = { ...members, metadata: { ...metadata, timestamp: date, component } };
  return `${JSON.stringify(bill, null, 2)}\n`;
}
