import { defined } from '../../../src/core/shared/defined.ts';
import { codeDigest, codeHashOfDigest } from '../../../src/core/reactors/code-hash.ts';
import { IMAGES } from '../../../src/core/reactors/layer.ts';
import type { JsonObject } from '../../../src/core/shared/json.ts';
import type { DesiredReactor, Difference, LiveResource } from '../model.ts';
import { picked, textIn, objectIn } from './bodies.ts';
import { canonical, differencesOf } from './compare.ts';
import { differencesOfValues } from './compare-values.ts';
import { NOTHING, type Around, type Compared } from './compared.ts';
import { REACTOR } from './members.ts';
import { checkReactor, type Report } from './normal.ts';

/** The digest of a live reactor's code. A key that may read it gets the code in place of it. */
function digestOf(body: JsonObject): string | undefined {
  const code = textIn(body, 'code');
  return code === undefined ? textIn(body, 'code_digest') : codeDigest(code);
}

/** Makes the normal form of a reactor, without configuration. */
export function liveReactor({ body }: LiveResource): JsonObject {
  const application = textIn(objectIn(body, 'application'), 'id');
  const digest = digestOf(body);
  return {
    ...picked(body, ['name']),
    ...(digest !== undefined && { code_digest: digest }),
    ...(application !== undefined && { application: { id: application } }),
    runtime: picked(objectIn(body, 'runtime'), [
      'image',
      'warm_concurrency',
      'dependencies',
      'bundle_digest',
    ]),
  };
}

/** Runtime after the plan. Without `warm_concurrency` the present one counts as the default. */
function wantedRuntime(
  { runtime = {} }: DesiredReactor,
  before: JsonObject,
  defaultImage: string,
  report: Report,
): JsonObject {
  const { dependencies = {}, bundle, bundle_digest: digest } = runtime;
  const concurrency = runtime.warm_concurrency ?? before['warm_concurrency'];
  const stored = textIn(before, 'bundle_digest');
  const hasPackages = Object.keys(dependencies).length > 0;
  const isStored = canonical(dependencies) === canonical(before['dependencies']);
  if (bundle !== undefined && digest === undefined) report('runtime.bundle needs runtime.bundle_digest');
  if (bundle === undefined && hasPackages && !isStored)
    report('runtime.dependencies differ from those of the reactor, and need runtime.bundle');
  const packages = hasPackages ? { dependencies, ...defined({ bundle_digest: digest ?? stored }) } : {};
  return { image: runtime.image ?? defaultImage, ...defined({ warm_concurrency: concurrency }), ...packages };
}

export interface WantedReactor {
  readonly entry: DesiredReactor;
  /** The request has ids in place of references. */
  readonly body: JsonObject;
}

/** Makes the normal form of a reactor of the file, without configuration. */
export function normalReactor(
  { entry, body }: WantedReactor,
  live: LiveResource | undefined,
  { defaultImage, report }: { readonly defaultImage: string; readonly report: Report },
): JsonObject {
  const before = live === undefined ? {} : objectIn(liveReactor(live), 'runtime');
  return {
    name: entry.name,
    code_digest: codeDigest(entry.code),
    ...picked(body, ['application']),
    runtime: wantedRuntime(entry, before, defaultImage, report),
  };
}

/** Says how many lines new code has; the text is never shown. */
const withLines = (difference: Difference, code: string): Difference =>
  difference.path === 'code_digest'
    ? { ...difference, path: 'code', words: `${difference.words} (${String(code.split('\n').length)} lines)` }
    : difference;

/** Compares a reactor with its entry. */
export function compareReactors(
  live: LiveResource | undefined,
  wanted: WantedReactor,
  after: JsonObject,
  { nameOf, report }: Omit<Around, 'hashOf'>,
): Compared {
  if (!checkReactor(wanted.body, report)) return NOTHING;
  const before = live === undefined ? {} : liveReactor(live);
  const members = differencesOf({ members: REACTOR, before, after, nameOf });
  return {
    differences: [
      ...members.map((difference) => withLines(difference, wanted.entry.code)),
      ...differencesOfValues(live?.body ?? {}, wanted.entry.configuration),
    ],
    effects: [],
  };
}

/** The hash of a reactor in its normal form, by which proxies pin its code. */
export function hashOfReactor(reactor: JsonObject): string | undefined {
  const digest = textIn(reactor, 'code_digest');
  const runtime = objectIn(reactor, 'runtime');
  const image = IMAGES.find((each) => each === runtime['image']);
  const bundle = textIn(runtime, 'bundle_digest');
  if (digest === undefined || image === undefined) return undefined;
  return codeHashOfDigest(digest, bundle === undefined ? { image } : { image, packages: { digest: bundle } });
}
