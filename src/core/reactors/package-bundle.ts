import { createHash } from 'node:crypto';
import { isBuiltin } from 'node:module';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import * as z from 'zod/mini';
import { madeOnce } from '../shared/made-once.ts';
import { DEPTH_MAX, JsonExtentError, membersOf } from '../shared/json-extent.ts';
import { isJsonObject } from '../shared/json.ts';
import { parseJson } from '../shared/parse-json.ts';
import { SDK } from './author-packages.ts';
import { IMAGES } from './layer.ts';
import type { PackagePlace } from './package-files.ts';
import { REACTOR_LIMITS, type Dependencies } from './reactor.ts';

/** A reactor's own packages have these limits (docs/contract.md#packages-of-a-reactor). */
export const PACKAGE_LIMITS = {
  /** Bytes of a bundle before it is inflated. */
  zippedBytes: 1_500_000,
  /** Bytes of the text of all packages together, as UTF-8. */
  textBytes: 4_000_000,
  /** Bytes of a whole inflated bundle: the text with what describes it. */
  bundleBytes: 5_000_000,
  /** Packages that code requires by name. */
  declared: REACTOR_LIMITS.packages,
  /** Names that code can require: `lodash`, `lodash/get`. */
  specifiers: 100,
  /** Packages in the lock, those of packages included. */
  locked: 500,
  /** Characters of their names and versions together. */
  lockedCharacters: 100_000,
  /** Elements and members of the JSON, before any value is built. */
  members: 150_000,
  /** Places where the text of another package begins. */
  places: 20_000,
} as const;

/** The bundle cannot be read, or is not what it says. The message has names and versions alone. */
export class PackageBundleError extends Error {}

/** The longest name of an npm package (docs.npmjs.com). */
const NAME_MAX = 214;
const PART = '[A-Za-z0-9~-][A-Za-z0-9._~-]*';
const NAME = new RegExp(`^(?:@${PART}/)?${PART}$`);
/** A place in the folder of packages, as npm names it in a lock. */
const PLACE = new RegExp(`^(?:(?:^|/)node_modules/(?:@${PART}/)?${PART})+$`);
const SPECIFIER = new RegExp(`^(?:@${PART}/)?${PART}(?:/${PART})*$`);
/** Matches an exact version (semver.org). */
const VERSION = /^\d{1,9}\.\d{1,9}\.\d{1,9}(?:-[0-9A-Za-z.-]{1,100})?(?:\+[0-9A-Za-z.-]{1,100})?$/;
/** A hash of npm's (w3.org/TR/SRI), of which only SHA-512 counts. */
const INTEGRITY = /^sha512-[A-Za-z0-9+/]{86}==$/;

export const isPackageName = (name: string): boolean => name.length <= NAME_MAX && NAME.test(name);

export const isExactVersion = (version: string): boolean => VERSION.test(version);

/** Returns the package of a name that code requires: `@scope/name` for `@scope/name/file`. */
export const packageOf = (specifier: string): string =>
  specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');

/** Returns the reason for which no bundle may have a name that code requires, if there is one. */
export function refusedName(specifier: string): string | undefined {
  if (specifier.length > NAME_MAX || !SPECIFIER.test(specifier)) return 'is no name of a package';
  if (isBuiltin(packageOf(specifier))) return 'is a part of Node.js';
  return packageOf(specifier) === SDK ? 'belongs to the runtime' : undefined;
}

const text = (max: number) => z.string().check(z.maxLength(max));
/** The record of zod takes seconds for as many members as a bundle can have. */
const names = () =>
  z.custom<Readonly<Record<string, string>>>(
    (value) =>
      isJsonObject(value) &&
      Object.entries(value).every(
        ([name, range]) => name.length <= NAME_MAX && typeof range === 'string' && range.length <= 1_000,
      ),
  );

const lockedPackage = () =>
  z.object({
    /** The name of an alias is in its place, and this is the name of the package. */
    name: z.optional(z.string().check(z.refine(isPackageName))),
    version: z.string().check(z.regex(VERSION)),
    resolved: z.optional(text(2_000)),
    integrity: z.optional(z.string().check(z.regex(INTEGRITY))),
    /** It is in the archive of the package that contains it, which has the integrity. */
    inBundle: z.optional(z.boolean()),
    license: z.optional(text(200)),
  });

export type LockedPackage = z.output<ReturnType<typeof lockedPackage>>;

const isPosition = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 1;

const isPlace = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length === 3 &&
  isPosition(value[0]) &&
  isPosition(value[1]) &&
  typeof value[2] === 'string' &&
  isPackageName(value[2]);

/** The members of a bundle, which is JSON. The members of the lock are npm's (docs.npmjs.com). */
const bundleSchema = madeOnce(() =>
  z.object({
    version: z.literal(1),
    /** The text has the syntax that this image runs. A later one runs it too. */
    image: z.enum(IMAGES),
    /** Another version of esbuild can make another text of the same packages. */
    esbuild: z.string().check(z.regex(VERSION)),
    /** The ranges that `package.json` asks for. */
    manifest: z.object({ dependencies: names(), overrides: z.optional(z.unknown()) }),
    lock: z.object({
      lockfileVersion: z.literal(3),
      packages: z.custom<Readonly<Record<string, unknown>>>(isJsonObject),
    }),
    /** The names that code can require. */
    specifiers: z.array(z.string()).check(z.minLength(1), z.maxLength(PACKAGE_LIMITS.specifiers)),
    /**
     * CommonJS, whose exports have a function for each name that code can require. It returns what
     * the package exports.
     */
    code: z.string(),
    /**
     * The places in the code where the text of another package begins: line, column (both from 1)
     * and the name of the package, in the order of the text.
     */
    places: z.array(z.custom<PackagePlace>(isPlace)).check(z.maxLength(PACKAGE_LIMITS.places)),
  }),
);

type Sent = z.output<ReturnType<typeof bundleSchema>>;

/** The packages that a reactor brings (docs/contract.md#packages-of-a-reactor). */
export interface PackageBundle extends Omit<Sent, 'lock'> {
  /** The packages that code requires by name, with the versions of the lock. */
  readonly dependencies: Dependencies;
  /** The lock as npm wrote it, without the packages that no required one needs. */
  readonly lock: Sent['lock'];
  /** All packages are here, by their places in the folder of packages. */
  readonly locked: Readonly<Record<string, LockedPackage>>;
  /** It is SHA-256 of the inflated bundle, in lower-case hexadecimal. */
  readonly digest: string;
}

/** The members that the author's command decides. */
export type BundleContent = Omit<PackageBundle, 'dependencies' | 'locked' | 'digest'>;

const zipped = promisify(gzip);
const inflated = promisify(gunzip);

export const digestOf = (json: string | Buffer): string => createHash('sha256').update(json).digest('hex');

const counted = (size: number): string => size.toLocaleString('en-US');

const tooLarge = (size: string, limit: number, of: string) =>
  new PackageBundleError(`has ${size} bytes ${of}, of ${counted(limit)} that it may have`);

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Reads base64 of at most the limit. Throws {@link PackageBundleError}. */
function decoded(base64: string): Buffer {
  const { zippedBytes } = PACKAGE_LIMITS;
  const bytes = Buffer.byteLength(base64, 'base64');
  if (bytes > zippedBytes) throw tooLarge(counted(bytes), zippedBytes, 'of gzip');
  if (base64.length % 4 !== 0 || !BASE64.test(base64)) throw new PackageBundleError('must be base64 of gzip');
  return Buffer.from(base64, 'base64');
}

/** Inflates gzip, and stops at the limit. Rejects with {@link PackageBundleError}. */
async function inflatedBundle(zippedBundle: Buffer): Promise<Buffer> {
  const { bundleBytes } = PACKAGE_LIMITS;
  try {
    return await inflated(zippedBundle, { maxOutputLength: bundleBytes });
  } catch (error) {
    if (error instanceof RangeError)
      throw tooLarge(`more than ${counted(bundleBytes)}`, bundleBytes, 'inflated');
    throw new PackageBundleError('must be base64 of gzip', { cause: error });
  }
}

const shown = (name: string): string => (name.length > 60 ? `${name.slice(0, 60)}...` : name);

const lengthOf = (value: unknown): number => (typeof value === 'string' ? value.length : 0);

/** Counts the characters of name and version in an entry of a lock. */
const shownLength = (entry: unknown): number =>
  isJsonObject(entry) ? lengthOf(entry['name']) + lengthOf(entry['version']) : 0;

/**
 * The packages of a lock. Throws {@link PackageBundleError} unless each has the hash of its
 * archive.
 */
function lockedIn({ lock }: Sent): PackageBundle['locked'] {
  const { '': _root, ...places } = lock.packages;
  const entries = Object.entries(places);
  if (entries.length > PACKAGE_LIMITS.locked)
    throw new PackageBundleError(
      `has ${String(entries.length)} packages, of ${String(PACKAGE_LIMITS.locked)} that it may have`,
    );
  const { lockedCharacters } = PACKAGE_LIMITS;
  const characters = entries.reduce((sum, [place, entry]) => sum + place.length + shownLength(entry), 0);
  if (characters > lockedCharacters)
    throw new PackageBundleError(
      `has names and versions of ${counted(characters)} characters in its lock, of ${counted(lockedCharacters)}`,
    );
  const schema = lockedPackage();
  return Object.fromEntries(
    entries.map(([place, entry]) => {
      const parsed = schema.safeParse(entry);
      if (!parsed.success || !PLACE.test(place))
        throw new PackageBundleError(`has an entry of the lock that is no package of npm: ${shown(place)}`);
      if (parsed.data.integrity === undefined && parsed.data.inBundle !== true)
        throw new PackageBundleError(`has a package without integrity in its lock: ${shown(place)}`);
      return [place, parsed.data];
    }),
  );
}

/** The packages that code requires by name. Throws {@link PackageBundleError} for other names. */
function dependenciesOf({ specifiers }: Sent, locked: PackageBundle['locked']): Dependencies {
  for (const specifier of specifiers) {
    const reason = refusedName(specifier);
    if (reason !== undefined) throw new PackageBundleError(`has ${shown(specifier)}, which ${reason}`);
  }
  const declared = [...new Set(specifiers.map(packageOf))].sort();
  if (declared.length > PACKAGE_LIMITS.declared)
    throw new PackageBundleError(
      `has ${String(declared.length)} packages that code requires, of ${String(PACKAGE_LIMITS.declared)} that it may have`,
    );
  return Object.fromEntries(
    declared.map((name) => {
      const found = Object.hasOwn(locked, `node_modules/${name}`)
        ? locked[`node_modules/${name}`]
        : undefined;
      if (found === undefined) throw new PackageBundleError(`has ${name}, which its lock has not`);
      return [name, found.version];
    }),
  );
}

/** Parses JSON within its limits, which are checked first. */
function parsedJson(json: string): unknown {
  const { members } = PACKAGE_LIMITS;
  try {
    membersOf(json, { membersMax: members });
    return parseJson(json);
  } catch (error) {
    if (!(error instanceof JsonExtentError))
      throw new PackageBundleError('must be base64 of gzip of JSON', { cause: error });
    const what =
      error.exceeds === 'depth'
        ? `is nested deeper than ${String(DEPTH_MAX)} levels`
        : `has more than ${counted(members)} elements and members`;
    throw new PackageBundleError(what, { cause: error });
  }
}

/** Reads the JSON of a bundle. Throws {@link PackageBundleError}. */
export function parseBundle(json: Buffer): PackageBundle {
  const value = parsedJson(json.toString('utf8'));
  const parsed = bundleSchema().safeParse(value);
  if (!parsed.success) {
    const path = parsed.error.issues[0]?.path.slice(0, 2).map(String).map(shown).join('.') ?? '';
    throw new PackageBundleError(
      `was not made by cloakroom reactor bundle: its ${path || 'value'} is another`,
    );
  }
  const { data } = parsed;
  const textBytes = Buffer.byteLength(data.code);
  if (textBytes > PACKAGE_LIMITS.textBytes)
    throw tooLarge(counted(textBytes), PACKAGE_LIMITS.textBytes, 'of text');
  const locked = lockedIn(data);
  return { ...data, locked, dependencies: dependenciesOf(data, locked), digest: digestOf(json) };
}

/** Reads a bundle, as it is stored. Rejects with {@link PackageBundleError}. */
export const readZipped = async (zippedBundle: Buffer): Promise<PackageBundle> =>
  parseBundle(await inflatedBundle(zippedBundle));

/** Reads a bundle, as it is sent. Rejects with {@link PackageBundleError}. */
export const readBundle = async (base64: string): Promise<PackageBundle> => readZipped(decoded(base64));

/** Makes the text that is sent. Equal content makes an equal digest on every machine. */
export async function writeBundle(content: BundleContent): Promise<{
  readonly base64: string;
  readonly bundle: PackageBundle;
}> {
  const { version, image, esbuild, manifest, lock, specifiers, code, places } = content;
  const json = Buffer.from(
    JSON.stringify({ version, image, esbuild, manifest, lock, specifiers, places, code }),
  );
  const base64 = (await zipped(json, { level: 9 })).toString('base64');
  return { base64, bundle: await readBundle(base64) };
}
