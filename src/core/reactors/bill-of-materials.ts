import type { Json, JsonObject } from '../shared/json.ts';
import type { LockedPackage, PackageBundle } from './package-bundle.ts';

const nameOf = (place: string, { name }: LockedPackage): string =>
  name ?? place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** All packages of a lock, each as `name@version`, sorted and once. */
export const lockedNames = (locked: PackageBundle['locked']): readonly string[] =>
  [
    ...new Set(Object.entries(locked).map(([place, each]) => `${nameOf(place, each)}@${each.version}`)),
  ].sort();

/** Names a package of npm: without a version all of its versions are meant. */
export interface WantedPackage {
  readonly name: string;
  readonly version?: string | undefined;
}

/** The versions of a package among those that {@link lockedNames} lists. */
export const versionsIn = (locked: readonly string[], { name, version }: WantedPackage): readonly string[] =>
  locked
    .map((each) => {
      // No version has the character.
      const at = each.lastIndexOf('@');
      return { name: each.slice(0, at), version: each.slice(at + 1) };
    })
    .filter((each) => each.name === name && (version === undefined || each.version === version))
    .map((each) => each.version);

/** A lock can have any text in these members: what is no licence or address is left out. */
const PRINTABLE = /^[\x20-\x7e]+$/;
const ADDRESS = /^https?:\/\/[\w.-]+(?::\d+)?(?:\/[\x21-\x7e]*)?$/;

/** Builds the URL of a package (github.com/package-url/purl-spec). */
const urlOf = (name: string, version: string): string =>
  `pkg:npm/${name.split('/').map(encodeURIComponent).join('/')}@${encodeURIComponent(version)}`;

const hexOf = (integrity: string): string =>
  Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex');

function component(place: string, locked: LockedPackage): JsonObject {
  const name = nameOf(place, locked);
  const { version, integrity, license, resolved } = locked;
  return {
    type: 'library',
    'bom-ref': place,
    name,
    version,
    purl: urlOf(name, version),
    ...(integrity !== undefined && { hashes: [{ alg: 'SHA-512', content: hexOf(integrity) }] }),
    // The text of npm is an expression of SPDX, or any other text.
    ...(license !== undefined && PRINTABLE.test(license) && { licenses: [{ license: { name: license } }] }),
    ...(resolved !== undefined &&
      ADDRESS.test(resolved) && { externalReferences: [{ type: 'distribution', url: resolved }] }),
  };
}

/**
 * Lists the packages of a reactor in CycloneDX 1.5, as its author declared them: the service cannot
 * check that the text of a bundle is theirs.
 */
export function billOfMaterials(
  subject: { readonly name: string },
  bundle: Pick<PackageBundle, 'locked' | 'digest'> | undefined,
): JsonObject {
  const components: readonly Json[] = Object.entries(bundle?.locked ?? {}).map(([place, locked]) =>
    component(place, locked),
  );
  const { name } = subject;
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        name,
        ...(bundle !== undefined && { hashes: [{ alg: 'SHA-256', content: bundle.digest }] }),
      },
    },
    components,
  };
}
