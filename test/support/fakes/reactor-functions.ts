import { codeHash } from '../../../src/core/reactors/code-hash.ts';
import type { Image, Layer } from '../../../src/core/reactors/layer.ts';
import type {
  ReactorArchive,
  ReactorFunctions,
  ReactorToMake,
} from '../../../src/core/reactors/reactor-functions.ts';

/** A Lambda function that knows the hash of the code of each of its versions. */
export interface CloudFunction {
  live: string | undefined;
  readonly versions: Map<string, string>;
  latest: number;
}

/** The layers that functions in memory have. */
export const LAYERS: Readonly<Record<Image, Layer>> = {
  node16: { image: 'node16', generation: 1, hash: 'a'.repeat(64) },
  node24: { image: 'node24', generation: 1, hash: 'b'.repeat(64) },
};

export const LAYER = LAYERS.node16;

/**
 * The contract of {@link ReactorFunctions} in memory. A function exists, and can run, immediately.
 */
export function reactorFunctions(functions = new Map<string, CloudFunction>()): ReactorFunctions {
  const images = new Map<string, Image>();

  function publish({ id, image }: ReactorToMake, { code, packages }: ReactorArchive): string {
    const found = functions.get(id) ?? { live: undefined, versions: new Map(), latest: 0 };
    functions.set(id, found);
    const digest = packages?.reveal().digest;
    const hash = codeHash(code.reveal(), { image, ...(digest !== undefined && { packages: { digest } }) });
    // Code that is published already is not published again.
    if (found.versions.get(String(found.latest)) === hash) return String(found.latest);
    found.latest += 1;
    found.versions.set(String(found.latest), hash);
    images.set(`${id} ${String(found.latest)}`, image);
    return String(found.latest);
  }

  return {
    create(reactor, archive) {
      const functionVersion = publish(reactor, archive);
      const made = functions.get(reactor.id);
      if (made !== undefined) made.live ??= functionVersion;
      return Promise.resolve({ functionVersion, layer: LAYERS[reactor.image] });
    },
    publish: (reactor, archive) =>
      Promise.resolve({ functionVersion: publish(reactor, archive), layer: LAYERS[reactor.image] }),
    isCurrent: ({ id, image }, version) =>
      Promise.resolve(functions.get(id)?.live === version && images.get(`${id} ${version}`) === image),
    pointLive(id, version) {
      const found = functions.get(id);
      if (found?.versions.has(version) !== true) return Promise.resolve('gone');
      const isNew = found.live === undefined;
      found.live = version;
      return Promise.resolve(isNew ? 'made' : 'moved');
    },
    removeOtherVersions(id, version) {
      const { live, versions } = functions.get(id) ?? { versions: new Map<string, string>() };
      if (live !== undefined && live !== version && versions.has(live))
        return Promise.reject(new Error('live points at it'));
      for (const other of versions.keys()) if (other !== version) versions.delete(other);
      return Promise.resolve();
    },
    remove: (id) => Promise.resolve(void functions.delete(id)),
  };
}
