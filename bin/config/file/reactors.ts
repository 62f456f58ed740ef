import { isDeepStrictEqual } from 'node:util';
import { PACKAGE_LIMITS, PackageBundleError, readBundle } from '../../../src/core/reactors/package-bundle.ts';
import { REACTOR_LIMITS } from '../../../src/core/reactors/reactor.ts';
import { isJsonObject, jsonObject, type JsonObject } from '../../../src/core/shared/json.ts';
import { parseJson } from '../../../src/core/shared/parse-json.ts';
import { createReactorBody } from '../../../src/wire/reactor.ts';
import type { DesiredReactor, DesiredRuntime } from '../model.ts';
import { checkedBody, entryOf, memberOf, membersOf, memberText, type Entry } from './entry.ts';
import { NamedFileError } from './named-files.ts';
import { SOME_ID, type References } from './references.ts';
import { valuesOf } from './values.ts';

export const REACTOR_MEMBERS = ['adopt', 'name', 'code', 'application', 'configuration', 'runtime'] as const;
/** `packages` names the file that `cloakroom reactor bundle --out` writes. */
export const RUNTIME_MEMBERS = ['image', 'warm_concurrency', 'packages'] as const;

/** Base64 has four characters for three bytes; names and versions are beside it. */
const PACKAGES_MAX_BYTES = Math.ceil((PACKAGE_LIMITS.zippedBytes * 4) / 3) + 100_000;

/** Reads a file that an entry names, which then counts for the digest. Throws `NamedFileError`. */
export type ReadNamed = (path: string, most: number) => Buffer;

/** The text of a file that a member names. Reports a file that cannot be read. */
function fileText(entry: Entry, name: string, most: number, read: ReadNamed): string | undefined {
  const path = memberText(entry, name);
  if (path === undefined) return undefined;
  const report = (message: string): string | undefined => {
    const { position } = memberOf(entry, name) ?? entry.tree;
    entry.problems.report(position, `${entry.path}.${name} ${message}`);
    return undefined;
  };
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(read(path, most));
  } catch (error) {
    if (error instanceof NamedFileError) return report(error.message);
    if (error instanceof TypeError) return report('is not UTF-8');
    throw error;
  }
}

type Packages = Pick<DesiredRuntime, 'dependencies' | 'bundle' | 'bundle_digest'>;

async function packagesOf(text: string): Promise<Packages | string> {
  let sent: unknown;
  try {
    sent = parseJson(text);
  } catch {
    return 'is not JSON';
  }
  const { dependencies, bundle } = isJsonObject(sent) ? sent : {};
  if (typeof bundle !== 'string') return 'is not what reactor bundle writes: it has no bundle';
  try {
    const read = await readBundle(bundle);
    if (!isDeepStrictEqual(dependencies, read.dependencies)) return 'has other dependencies than its bundle';
    return { dependencies: read.dependencies, bundle, bundle_digest: read.digest };
  } catch (error) {
    if (error instanceof PackageBundleError) return `has a bundle that ${error.message}`;
    throw error;
  }
}

async function runtimeOf(entry: Entry, read: ReadNamed): Promise<DesiredRuntime | undefined> {
  const tree = memberOf(entry, 'runtime');
  const runtime = entryOf(tree, `${entry.path}.runtime`, RUNTIME_MEMBERS, entry.problems);
  if (runtime === undefined) return undefined;
  const members = membersOf(runtime, ['image', 'warm_concurrency']) as DesiredRuntime;
  const text = fileText(runtime, 'packages', PACKAGES_MAX_BYTES, read);
  if (text === undefined) return members;
  const packages = await packagesOf(text);
  if (typeof packages !== 'string') return { ...members, ...packages };
  const { position } = memberOf(runtime, 'packages') ?? runtime.tree;
  entry.problems.report(position, `${runtime.path}.packages ${packages}`);
  return members;
}

export async function reactorOf(
  entry: Entry,
  references: References,
  read: ReadNamed,
): Promise<DesiredReactor | undefined> {
  const configuration = valuesOf(entry, false);
  const application = references.ofMember('applications', entry, 'application');
  const code = fileText(entry, 'code', REACTOR_LIMITS.codeBytes, read);
  const runtime = await runtimeOf(entry, read);
  const adopt = memberText(entry, 'adopt');
  const isUnread = code === undefined && memberOf(entry, 'code') !== undefined;
  const sent: JsonObject = {
    ...membersOf(entry, ['name']),
    ...(code !== undefined && { code }),
    ...(isUnread && { code: ' ' }),
    configuration: jsonObject(
      [...configuration].map(([name, { source }]) => [name, source.kind === 'literal' ? source.text : 'x']),
    ),
    ...(application !== undefined && { application: { id: SOME_ID } }),
    ...(runtime !== undefined && { runtime: runtime as JsonObject }),
  };
  const body = checkedBody(createReactorBody, sent, entry);
  if (body === undefined || code === undefined) return undefined;
  return {
    ...(adopt !== undefined && { adopt }),
    name: body.definition.name,
    code,
    ...(application !== undefined && { application }),
    configuration,
    ...(runtime !== undefined && { runtime }),
  };
}
