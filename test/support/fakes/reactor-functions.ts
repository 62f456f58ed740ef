import { createHash } from 'node:crypto';
import type { Layer } from '../../../src/core/reactors/layer.ts';
import type { ReactorFunctions } from '../../../src/core/reactors/reactor-functions.ts';

/** A Lambda function that knows the hash of the code of each of its versions. */
export interface CloudFunction {
  live: string | undefined;
  readonly versions: Map<string, string>;
  latest: number;
}

/** The layer that all functions in memory have. */
export const LAYER: Layer = { image: 'node16', generation: 1, hash: 'a'.repeat(64) };

/**
 * The contract of {@link ReactorFunctions} in memory. A function exists, and can run, immediately.
 */
export function reactorFunctions(functions = new Map<string, CloudFunction>()): ReactorFunctions {
  function publish(id: string, code: string): string {
    const found = functions.get(id) ?? { live: undefined, versions: new Map(), latest: 0 };
    functions.set(id, found);
    const hash = createHash('sha256').update(code).digest('hex');
    // Code that is published already is not published again.
    if (found.versions.get(String(found.latest)) === hash) return String(found.latest);
    found.latest += 1;
    found.versions.set(String(found.latest), hash);
    return String(found.latest);
  }

  return {
    create({ id }, code) {
      const functionVersion = publish(id, code.reveal());
      const made = functions.get(id);
      if (made !== undefined) made.live ??= functionVersion;
      return Promise.resolve({ functionVersion, layer: LAYER });
    },
    publish: ({ id }, code) => Promise.resolve({ functionVersion: publish(id, code.reveal()), layer: LAYER }),
    isCurrent: (id, version) => Promise.resolve(functions.get(id)?.live === version),
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
