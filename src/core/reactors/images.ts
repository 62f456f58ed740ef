import { FieldReporter, type Report } from '../shared/field-reporter.ts';
import { defined } from '../shared/defined.ts';
import { mostInstances, type WarmConcurrencyDeps } from './hot-allowances.ts';
import { NODE_VERSIONS, type Image, type PresentLayer } from './layer.ts';
import type { PackagesRecord, ReactorRecord, RuntimeChange, StoredReactor } from './reactor.ts';

/** The setting `reactorImages` says which images a deployment has. */
export interface ReactorImages {
  /** New reactors get it. */
  readonly default: Image;
  /** New reactors may get these, and existing ones may move to them. Others are closed. */
  readonly open: readonly Image[];
}

export const IMAGE_STATUSES = ['current', 'deprecated', 'closed'] as const;
export type ImageStatus = (typeof IMAGE_STATUSES)[number];

/** Throws without an image: there is always one for new reactors. */
export function reactorImages(open: readonly Image[]): ReactorImages {
  const [first] = open;
  if (first === undefined) throw new Error('images: none is open');
  return { default: first, open };
}

interface Lifecycle {
  readonly status: Exclude<ImageStatus, 'closed'>;
  /** Support of its Node.js ends then, and a later release closes it; in ms since the epoch. */
  readonly closesAt?: number;
}

/**
 * The life of each image. No clock changes a status, so that no deployment stops on a day: a
 * release does, or the operator closes an image (docs/decisions/0100).
 */
const LIFECYCLES: Readonly<Record<Image, Lifecycle>> = {
  // Its support ended on 2023-09-11. The contract demands it, so it has no end here.
  node16: { status: 'deprecated' },
  node24: { status: 'current', closesAt: Date.UTC(2028, 3, 30) },
};

/** An image, as a deployment offers it. */
export interface ImageState {
  readonly image: Image;
  readonly nodeVersion: string;
  readonly status: ImageStatus;
  readonly closesAt?: number;
}

export const imageState = (image: Image, { open }: ReactorImages): ImageState => ({
  image,
  nodeVersion: NODE_VERSIONS[image],
  ...LIFECYCLES[image],
  ...(!open.includes(image) && { status: 'closed' }),
});

/** Where the code of a reactor runs, and how many of its instances run in advance. */
export type Runtime = Pick<ReactorRecord, 'image' | 'warmConcurrency'>;

export interface RuntimeDeps {
  readonly images: ReactorImages;
  readonly presentLayers: Readonly<Record<Image, PresentLayer>>;
  /** So many instances of each reactor run in advance, unless it has a number of its own. */
  readonly hotConcurrency: number;
}

/** The runtime of a reactor, as callers see it. */
export interface RuntimeView extends ImageState {
  readonly warmConcurrency: number;
  /** It is absent for a reactor without packages of its own. */
  readonly packages?: Pick<PackagesRecord, 'digest' | 'dependencies'>;
  /** Whether its function has another layer than the one that the deployment has for its image. */
  readonly isOutdated: boolean;
}

export const isOutdated = (
  { presentLayers }: Pick<RuntimeDeps, 'presentLayers'>,
  { image, layer }: StoredReactor,
): boolean => layer?.hash !== presentLayers[image].hash;

export const runtimeView = (deps: RuntimeDeps, reactor: StoredReactor): RuntimeView => ({
  ...imageState(reactor.image, deps.images),
  warmConcurrency: reactor.warmConcurrency ?? deps.hotConcurrency,
  ...(reactor.packages !== undefined && { packages: reactor.packages }),
  isOutdated: isOutdated(deps, reactor),
});

/** A deployment allows a tenant so much. */
type Allowed = Pick<RuntimeDeps, 'images' | 'hotConcurrency'> & {
  /** The most running instances that a reactor may ask for. */
  readonly mostInstances: number;
};

function changedImage(
  { images: { default: first, open } }: Allowed,
  before: Runtime | undefined,
  sent: RuntimeChange['image'],
  report: Report,
): Image {
  const image = (sent === undefined ? before?.image : sent) ?? first;
  if (image !== before?.image && !open.includes(image))
    report('runtime.image', `${image} takes no reactors in this deployment: use ${open.join(' or ')}`);
  return image;
}

function changedWarmth(
  { hotConcurrency: usual, mostInstances: most }: Allowed,
  before: Runtime | undefined,
  sent: RuntimeChange['warmConcurrency'],
  report: Report,
): number | undefined {
  const shown = before && (before.warmConcurrency ?? usual);
  if (sent === undefined || sent === shown) return before?.warmConcurrency;
  if (sent !== null && sent > most)
    report('runtime.warm_concurrency', `must be at most ${String(most)} in this deployment`);
  return sent ?? undefined;
}

/** Whose reactor has a runtime, and the one that it has. */
interface RuntimeOwner {
  readonly tenantId: string;
  readonly before?: Runtime;
}

/**
 * The runtime of a reactor after a change, or of a new one. The values that it has are accepted
 * whatever the deployment allows now, so that what was read can be sent back. Throws
 * `validation_failed` for others that it does not allow.
 */
export async function changedRuntime(
  deps: Pick<RuntimeDeps, 'images'> & WarmConcurrencyDeps,
  { tenantId, before }: RuntimeOwner,
  { image, warmConcurrency }: Omit<RuntimeChange, 'packages'> = {},
): Promise<Runtime> {
  const fields = new FieldReporter();
  const allowed = { ...deps, mostInstances: await mostInstances(deps, tenantId, warmConcurrency) };
  const runtime = {
    image: changedImage(allowed, before, image, fields.report),
    warmConcurrency: changedWarmth(allowed, before, warmConcurrency, fields.report),
  };
  fields.throwIfFailed();
  return defined(runtime);
}
