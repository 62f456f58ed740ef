import { BundleError } from '../bundle-error.ts';
import { nameAt, ownerOf, placeOf, type Lock, type LockEntry } from './lock.ts';

/** Says how a bad entry of a lock becomes a good one. */
export const AGAIN = 'Remove it from package-lock.json, and run: npm install';

/** One of several hashes that npm writes (w3.org/TR/SRI). */
const SHA512 = /(?:^|\s)(sha512-[A-Za-z0-9+/]{86}==)(?:\s|\?|$)/;

const installedBy = ({ dependencies, optionalDependencies }: LockEntry): readonly string[] =>
  Object.keys({ ...dependencies, ...optionalDependencies });

function namesInArchive(entry: LockEntry): readonly string[] {
  const { bundleDependencies: names = [] } = entry;
  if (Array.isArray(names)) return names;
  return names ? installedBy(entry) : [];
}

/** Returns the places of the packages that the archive of a package contains, as npm does. */
function inArchiveOf(lock: Lock, owner: string, entry: LockEntry): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting = namesInArchive(entry).map((name) => ({ name, from: owner }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const place = placeOf(lock, next.name, next.from);
    const reached = place === undefined ? undefined : lock.packages[place];
    if (place === undefined || reached === undefined) continue;
    if (!place.startsWith(`${owner}/`) || found.has(place)) continue;
    found.add(place);
    waiting.push(...installedBy(reached).map((name) => ({ name, from: place })));
  }
  return found;
}

/** Whether a package is in the archive of another, whose hash is in the lock. */
function isInArchive(lock: Lock, place: string): boolean {
  const owner = ownerOf(place);
  const entry = owner === '' ? undefined : lock.packages[owner];
  if (entry === undefined) return false;
  if (entry.inBundle === true && isInArchive(lock, owner)) return true;
  return SHA512.test(entry.integrity ?? '') && inArchiveOf(lock, owner, entry).has(place);
}

/** The hash of the archive. Throws {@link BundleError} without one that counts. */
export function integrityOf(
  lock: Lock,
  place: string,
  { integrity, inBundle, resolved }: LockEntry,
): Pick<LockEntry, 'integrity' | 'inBundle'> {
  const sha512 = SHA512.exec(integrity ?? '')?.[1];
  if (sha512 !== undefined) return { integrity: sha512 };
  const name = nameAt(place);
  if (integrity !== undefined)
    throw new BundleError(`${name} has a hash in package-lock.json that is no SHA-512. ${AGAIN}`);
  if (inBundle === true && resolved === undefined && isInArchive(lock, place)) return { inBundle };
  throw new BundleError(`${name} has no integrity in package-lock.json. ${AGAIN}`);
}
