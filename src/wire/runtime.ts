import * as z from 'zod/mini';
import { AUTHOR_PACKAGES } from '../core/reactors/author-packages.ts';
import { IMAGE_STATUSES, type ImageState, type RuntimeView } from '../core/reactors/images.ts';
import { IMAGES, type Image } from '../core/reactors/layer.ts';
import { REACTOR_LIMITS, type RuntimeChange, type SentPackages } from '../core/reactors/reactor.ts';
import type { ListedImage } from '../core/reactors/list-images.ts';
import type { ClientCompatibility } from '../core/shared/client-compatibility.ts';
import { defined, type Undefinable } from '../core/shared/defined.ts';
import { notOneOf } from '../core/shared/known-names.ts';
import { madeOnce } from '../core/shared/made-once.ts';
import { Secret } from '../core/shared/secret.ts';
import { invalid } from '../core/shared/service-error.ts';
import { formatTimestamp } from '../core/shared/timestamp.ts';
import { body, described, text, textMap, time, undocumented, uuid, type Response } from './parts.ts';
import type { Members } from './words.ts';

/** The service computes these and ignores them in requests, since they change by themselves. */
const COMPUTED = ['node_version', 'status', 'closes_at', 'outdated'] as const;

function ignored<const Name extends string>(all: readonly Name[]) {
  const member = z.optional(
    z.unknown().check(z.meta({ override: { description: 'Ignored: it is computed.', readOnly: true } })),
  );
  return Object.fromEntries(all.map((each) => [each, member])) as Record<Name, typeof member>;
}

/** Members that runtimes of other services have, with the reason to refuse each. */
const REFUSED = {
  permissions: 'is not supported: the code has the rights of `application`, and nothing narrows them here',
  resolutions:
    'is not supported: a bundle has the versions of its lock, and an image those that GET /runtimes lists',
  resources: 'is not supported: all reactors have the same memory',
  timeout: 'is not supported: an invocation sets `timeout_ms`',
} as const;

function refused<const Name extends string>(reasons: Readonly<Record<Name, string>>) {
  const member = (reason: string) =>
    undocumented(z.optional(z.unknown().check(z.refine((value) => value === null, reason))));
  type Member = ReturnType<typeof member>;
  const entries = Object.entries<string>(reasons).map(([name, reason]) => [name, member(reason)] as const);
  return Object.fromEntries(entries) as Record<Name, Member>;
}

const isText = (value: unknown): value is string => typeof value === 'string';

const dependenciesInput = () =>
  z.optional(
    z.nullable(
      textMap(isText).check(
        z.refine(
          (sent) => Object.keys(sent).length <= REACTOR_LIMITS.packages,
          `must be at most ${String(REACTOR_LIMITS.packages)} packages`,
        ),
      ),
    ),
  );

const WHOLE = 'must be a whole number from 0';

/** The runtime in a body. Core checks what the deployment allows. */
export const runtimeInput = /* @__PURE__ */ z.lazy(() =>
  z.optional(
    z.nullable(
      body({
        image: z.optional(
          z.nullable(text.check(z.meta({ override: { type: 'string', enum: [...IMAGES] } }))),
        ),
        warm_concurrency: z.optional(z.nullable(z.int({ error: WHOLE }).check(z.minimum(0, WHOLE)))),
        dependencies: dependenciesInput(),
        bundle: z.optional(z.nullable(text)),
        bundle_digest: z.optional(z.nullable(text)),
        ...ignored(COMPUTED),
        ...refused(REFUSED),
      }),
    ),
  ),
);

type SentRuntime = z.output<typeof runtimeInput>;

/** An image of other services whose code has another contract. */
const OTHER_CONTRACT = 'node22';
/** The name that the image of this contract has there. */
const OTHER_NAME = 'node-bt';

const isImage = (name: string): name is Image => IMAGES.some((image) => image === name);

function imageOf(name: string, compatibility: ClientCompatibility): Image {
  if (isImage(name)) return name;
  if (name === OTHER_NAME && compatibility === 'lenient') return 'node16';
  throw invalid(
    'runtime.image',
    name === OTHER_CONTRACT
      ? 'has code of another contract, which gets `event.req` and returns `res`; rewrite the code for node24'
      : notOneOf(name, IMAGES),
  );
}

/** The packages in a body. `null` takes them away, in either member. */
function sentPackages({
  dependencies,
  bundle,
  bundle_digest: digest,
}: NonNullable<SentRuntime>): SentPackages {
  const isTaken = dependencies === null || bundle === null;
  if (bundle === null && Object.keys(dependencies ?? {}).length > 0)
    throw invalid('runtime.bundle', 'is null, which takes away the packages that `dependencies` names');
  return defined({
    dependencies: isTaken ? {} : (dependencies ?? undefined),
    bundle: typeof bundle === 'string' ? new Secret(bundle) : undefined,
    digest: digest ?? undefined,
  });
}

/** The change that a runtime in a body asks for. Throws `validation_failed` for its image. */
export function runtimeChangeOf(
  sent: SentRuntime,
  { clientCompatibility }: { readonly clientCompatibility: ClientCompatibility },
): RuntimeChange | undefined {
  if (sent === undefined) return undefined;
  if (sent === null) return { image: null, warmConcurrency: null, packages: { dependencies: {} } };
  const { image, warm_concurrency: warmConcurrency } = sent;
  const packages = sentPackages(sent);
  return defined({
    packages: Object.keys(packages).length === 0 ? undefined : packages,
    image: typeof image === 'string' ? imageOf(image, clientCompatibility) : image,
    warmConcurrency,
  });
}

/** The image by which a list is filtered. Throws `validation_failed`. */
export function imageFilterOf(
  query: URLSearchParams,
  { name }: { readonly name: string },
): Image | undefined {
  const image = query.get(name) ?? undefined;
  if (image !== undefined && !isImage(image)) throw invalid(name, notOneOf(image, IMAGES));
  return image;
}

const imageMembers = () => ({
  image: z.enum(IMAGES),
  node_version: described(z.string(), 'Its version of Node.js.'),
  status: described(
    z.enum(IMAGE_STATUSES),
    '`deprecated`: move to another image. `closed`: takes no new reactors.',
  ),
  closes_at: described(z.optional(time()), 'When support of its Node.js ends. Absent if no end is planned.'),
});

/** Describes the runtime of a reactor (docs/contract.md#the-runtime-of-a-reactor). */
export const runtimeResponse = /* @__PURE__ */ madeOnce(() => {
  const { image, ...computed } = imageMembers();
  return z
    .object({
      image,
      warm_concurrency: described(z.int(), 'So many instances run in advance.'),
      dependencies: described(
        z.optional(z.record(z.string(), z.string())),
        'The packages of the bundle that code can require, with their versions, as their author declared them.',
      ),
      bundle_digest: described(
        z.optional(z.string()),
        'SHA-256 of the inflated bundle, in lower-case hexadecimal. Present beside `dependencies`.',
      ),
      ...computed,
      outdated: described(
        z.boolean(),
        'The function has an earlier version of the image than the deployment, which the operator moves.',
      ),
    })
    .check(z.meta({ id: 'ReactorRuntime' }));
});

const presentState = ({ image, nodeVersion, status, closesAt }: ImageState) => ({
  image,
  node_version: nodeVersion,
  status,
  closes_at: closesAt === undefined ? undefined : formatTimestamp(closesAt),
});

export function presentRuntime(runtime: RuntimeView): Response<typeof runtimeResponse> {
  const { image, ...computed } = presentState(runtime);
  return defined({
    image,
    warm_concurrency: runtime.warmConcurrency,
    dependencies: runtime.packages?.dependencies,
    bundle_digest: runtime.packages?.digest,
    ...computed,
    outdated: runtime.isOutdated,
  } satisfies Undefinable<Response<typeof runtimeResponse>>);
}

/** An image, as "list runtimes" shows it. */
export const imageResponse = /* @__PURE__ */ madeOnce(() =>
  z
    .object({
      ...imageMembers(),
      default: described(z.boolean(), 'Whether new reactors get it.'),
      packages: described(
        z.array(z.object({ name: z.string(), version: z.string(), licence: z.string() })),
        'The packages that code can require beside the SDK.',
      ),
    })
    .check(z.meta({ id: 'RuntimeImage' })),
);

/** Describes the response of "list runtimes". */
export const imagesResponse = /* @__PURE__ */ madeOnce(() => z.object({ data: z.array(imageResponse()) }));

const presentImage = (listed: ListedImage): Response<typeof imageResponse> =>
  defined({
    ...presentState(listed),
    default: listed.isDefault,
    packages: AUTHOR_PACKAGES.map(({ name, version, licence }) => ({ name, version, licence })),
  } satisfies Undefinable<Response<typeof imageResponse>>);

const hashes = <Algorithm extends string>(alg: Algorithm) =>
  z.optional(z.array(z.object({ alg: z.literal(alg), content: z.string() })));

const component = () =>
  z.object({
    type: z.literal('library'),
    'bom-ref': z.string(),
    name: z.string(),
    version: z.string(),
    purl: z.string(),
    hashes: hashes('SHA-512'),
    licenses: z.optional(z.array(z.object({ license: z.object({ name: z.string() }) }))),
    externalReferences: z.optional(z.array(z.object({ type: z.literal('distribution'), url: z.string() }))),
  });

/** Describes a bill of materials in CycloneDX 1.5 (cyclonedx.org). */
export const billResponse = /* @__PURE__ */ madeOnce(() =>
  z
    .object({
      $schema: z.string(),
      bomFormat: z.literal('CycloneDX'),
      specVersion: z.literal('1.5'),
      version: z.int(),
      metadata: z.object({
        component: z.object({ type: z.literal('application'), name: uuid(), hashes: hashes('SHA-256') }),
      }),
      components: described(
        z.array(component()),
        'All packages of the bundle, with their hashes and licences as the lock of npm has them.',
      ),
    })
    .check(z.meta({ id: 'BillOfMaterials' })),
);

export const presentImages = (images: readonly ListedImage[]): Response<typeof imagesResponse> => ({
  data: images.map(presentImage),
});

export const runtimeWords = (): Members => ({
  runtime:
    'Where the code runs. Without it, or without a member of it, an update leaves that as it is; `null` is the default of the deployment.',
  'runtime.image': 'The version of Node.js.',
  'runtime.dependencies': 'Packages of the bundle, with exact versions. `{}` takes all away.',
  'runtime.bundle': 'Made by `cloakroom reactor bundle`, and never returned.',
  'runtime.bundle_digest': 'Another digest than that of the bundle is refused.',
  'runtime.warm_concurrency':
    'So many instances run in advance, from 0 to the number that the deployment allows.',
});
