import { Secret } from '../shared/secret.ts';
import { invalid, ServiceError } from '../shared/service-error.ts';
import type { PackagesSetting } from './author-packages.ts';
import { lockedNames } from './bill-of-materials.ts';
import {
  openBundle,
  packagesContext,
  type EncryptDeps,
  type OpenPackagesDeps,
} from './encrypted-packages.ts';
import type { Image } from './layer.ts';
import type { PackageBundle } from './package-bundle.ts';
import type { Dependencies, PackagesRecord, ReactorRecord, SentPackages } from './reactor.ts';
import type { StoredPackages } from './reactor-store.ts';

/** A bundle that a request brings, in both of its forms. */
export interface NewPackages {
  readonly bundle: Secret<PackageBundle>;
  /** It is gzip, as it is stored. */
  readonly zipped: Secret<Buffer>;
}

/** A change leaves the packages as they were, takes them away, or brings new ones. */
export type ChangedPackages = 'same' | 'none' | NewPackages;

const isSame = (a: Dependencies, b: Dependencies): boolean => {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
};

const isEmpty = (dependencies: Dependencies): boolean => Object.keys(dependencies).length === 0;

/** Loads the reader on first use (docs/decisions/0013#load-rare-code-on-first-use). */
async function readSent(base64: Secret<string>): Promise<PackageBundle> {
  const { PackageBundleError, readBundle } = await import('./package-bundle.ts');
  try {
    return await readBundle(base64.reveal());
  } catch (error) {
    if (error instanceof PackageBundleError) throw invalid('runtime.bundle', error.message);
    throw error;
  }
}

/** The first package that a bundle has in another version than the request says. */
function differing(said: Dependencies, { dependencies }: PackageBundle): string | undefined {
  const extra = Object.keys(said).find((name) => !Object.hasOwn(dependencies, name));
  if (extra !== undefined) return 'names a package that the bundle has not';
  const [found] = Object.entries(dependencies).filter(([name, version]) => said[name] !== version);
  return found && `differs from the bundle, which has ${found.join(' ')}`;
}

interface PackagesDeps {
  readonly reactorPackages: PackagesSetting;
}

/** Reads and checks a new bundle. Throws `validation_failed`. */
async function newPackages(
  { reactorPackages }: PackagesDeps,
  before: PackagesRecord | undefined,
  base64: Secret<string>,
  said: Dependencies | undefined,
): Promise<NewPackages & { readonly digest: string }> {
  const refusal = invalid(
    'runtime.bundle',
    'is not allowed in this deployment, whose reactorPackages is none',
  );
  if (reactorPackages === 'none' && before === undefined) throw refusal;
  if (said === undefined) throw invalid('runtime.dependencies', 'is required with a bundle');
  const bundle = await readSent(base64);
  const difference = differing(said, bundle);
  if (difference !== undefined) throw invalid('runtime.dependencies', difference);
  // A bundle that a reactor has can be sent again, whatever is allowed now.
  if (reactorPackages === 'none' && bundle.digest !== before?.digest) throw refusal;
  const zipped = new Secret(Buffer.from(base64.reveal(), 'base64'));
  return { bundle: new Secret(bundle), zipped, digest: bundle.digest };
}

const checkDigest = (sent: string | undefined, known: readonly (string | undefined)[]): void => {
  if (sent !== undefined && !known.includes(sent))
    throw invalid('runtime.bundle_digest', 'is not that of the packages: they have changed since');
};

/** Packages that a request names without a bundle. They must be those that the reactor has. */
function withoutBundle(
  before: PackagesRecord | undefined,
  { dependencies, digest }: SentPackages,
): 'same' | 'none' {
  checkDigest(digest, [before?.digest]);
  if (dependencies === undefined || isSame(dependencies, before?.dependencies ?? {})) return 'same';
  if (isEmpty(dependencies)) return 'none';
  throw invalid('runtime.dependencies', 'needs a `bundle`, which `cloakroom reactor bundle` makes');
}

/**
 * The packages that a request gives a reactor, which has `before` or is new. Throws
 * `validation_failed`.
 */
export async function changedPackages(
  deps: PackagesDeps,
  before: PackagesRecord | undefined,
  sent: SentPackages | undefined,
): Promise<ChangedPackages> {
  if (sent === undefined) return 'same';
  if (sent.bundle === undefined) return withoutBundle(before, sent);
  const { digest, ...packages } = await newPackages(deps, before, sent.bundle, sent.dependencies);
  checkDigest(sent.digest, [digest, before?.digest]);
  return digest === before?.digest ? 'same' : packages;
}

/** Encrypts the text of packages, which is stored in parts under a new id. */
export async function encryptPackages(
  { vault, random }: EncryptDeps,
  reactor: Pick<ReactorRecord, 'tenantId' | 'id'>,
  { bundle, zipped }: NewPackages,
): Promise<{ readonly packages: PackagesRecord; readonly stored: StoredPackages }> {
  const encrypted = await vault.encryptBytes(packagesContext(reactor), zipped);
  const { digest, image, dependencies, locked } = bundle.reveal();
  return {
    packages: { digest, image, dependencies, id: random.uuid(), bytes: encrypted.length },
    stored: { encrypted, locked: lockedNames(locked) },
  };
}

/** Throws `validation_failed` if an image cannot run packages that were made for a later one. */
export function checkPackagesImage(packages: Pick<PackagesRecord, 'image'> | undefined, image: Image): void {
  if (packages?.image === 'node24' && image === 'node16')
    throw invalid('runtime.image', 'is older than node24, for which the packages of the reactor were made');
}

/**
 * Opens the packages of a reactor; `undefined` if it has none of its own. Rejects with
 * `dependency_unavailable` if they were replaced meanwhile.
 */
export async function openPackages(
  deps: OpenPackagesDeps,
  reactor: ReactorRecord,
): Promise<Secret<PackageBundle> | undefined> {
  if (reactor.packages === undefined) return undefined;
  const zipped = await openBundle(deps, reactor);
  if (zipped === undefined)
    throw new ServiceError('dependency_unavailable', 'The packages of the reactor are being replaced.', {
      headers: { 'Retry-After': '5' },
    });
  const { readZipped } = await import('./package-bundle.ts');
  const bundle = await readZipped(zipped.reveal());
  if (bundle.digest !== reactor.packages.digest)
    throw new Error('reactor: its packages are not those that its record names');
  return new Secret(bundle);
}
