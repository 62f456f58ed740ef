import { counted } from '../counted.ts';
import { InputError } from '../input-error.ts';
import type { Problem } from '../problem.ts';
import type { BillOfMaterials, NewReactor } from '../sdk.ts';

type Dependencies = Readonly<Record<string, string>>;

/** A file that `cloakroom reactor bundle` made, which is chosen and not sent yet. */
export interface ChosenBundle {
  readonly fileName: string;
  readonly dependencies: Dependencies;
  /** Each choice has another one. */
  readonly id: string;
  /** Two edits are compared as JSON, which leaves out a function: the text has megabytes. */
  readonly bundle: () => string;
}

/** An edit leaves the packages as they are, takes them away, or brings others. */
export type EditedPackages = 'same' | 'none' | ChosenBundle;

/** The service accepts no larger body. */
const FILE_BYTES = 5_000_000;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads a chosen file. Rejects with {@link InputError}, which says what is wrong with it. */
export async function readBundleFile(file: Pick<File, 'name' | 'size' | 'text'>): Promise<ChosenBundle> {
  if (file.size > FILE_BYTES)
    throw new InputError(`The file has ${counted(file.size, 'byte')}, and no bundle has so many.`);
  const value = parsed(await file.text());
  const { bundle, dependencies } = isRecord(value) ? value : {};
  if (
    typeof bundle !== 'string' ||
    !isRecord(dependencies) ||
    !Object.values(dependencies).every((version) => typeof version === 'string')
  )
    throw new InputError('The file is no bundle: the command cloakroom reactor bundle makes one.');
  return {
    fileName: file.name,
    dependencies: dependencies as Dependencies,
    id: crypto.randomUUID(),
    bundle: () => bundle,
  };
}

/** The members of a runtime that save an edit. Without them the packages stay as they are. */
export function sentPackages(
  edited: EditedPackages,
): Pick<NonNullable<NewReactor['runtime']>, 'dependencies' | 'bundle'> {
  if (edited === 'same') return {};
  if (edited === 'none') return { dependencies: {} };
  return { dependencies: edited.dependencies, bundle: edited.bundle() };
}

const OF_PACKAGES = /^runtime\.(?:bundle|bundle_digest|dependencies)(?:\.|$)/;

/** The words of the service about packages that it refused. */
export function packagesProblem(problem: Problem | undefined): string | undefined {
  const found = (problem?.fields ?? []).filter(([path]) => OF_PACKAGES.test(path));
  return found.length === 0 ? undefined : found.map((field) => field.join(' ')).join('; ');
}

export interface ListedPackage {
  readonly name: string;
  readonly version: string;
  /** It is empty if the lock names none. */
  readonly licence: string;
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Lists the packages of a bill of materials by their names, each version once. */
export function packagesIn({ components }: Pick<BillOfMaterials, 'components'>): readonly ListedPackage[] {
  const all = components.map(({ name, version, licenses = [] }) => ({
    name,
    version,
    licence: licenses.map(({ license }) => license.name).join(', '),
  }));
  const different = new Map(all.map((each) => [JSON.stringify(each), each]));
  return [...different.values()].sort(
    (a, b) => compare(a.name, b.name) || compare(a.version, b.version) || compare(a.licence, b.licence),
  );
}
