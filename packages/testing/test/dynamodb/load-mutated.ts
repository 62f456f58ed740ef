import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { MemoryDynamoDb } from '../../src/dynamodb/memory-dynamodb.ts';
import type { Mutation } from './mutations.ts';

const FOLDER = pathToFileURL(join(import.meta.dirname, '../../src/dynamodb/')).href;
const MARK = '?mutation=';

/** Loads the engine with each mutation. Each has modules of its own, next to those of others. */
export async function loadMutated(
  mutations: readonly Mutation[],
): Promise<ReadonlyMap<string, new () => MemoryDynamoDb>> {
  const applied = new Set<string>();
  const hooks = registerHooks({
    resolve(specifier, context, nextResolve) {
      const resolved = nextResolve(specifier, context);
      const [, mark] = context.parentURL?.split(MARK) ?? [];
      if (mark === undefined || !resolved.url.startsWith(FOLDER)) return resolved;
      return { ...resolved, url: `${resolved.url}${MARK}${mark}` };
    },
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const [address = '', mark] = url.split(MARK);
      const mutation = mark === undefined ? undefined : mutations[Number(mark)];
      if (mutation === undefined || address !== `${FOLDER}${mutation.file}`) return loaded;
      const source = Buffer.from((loaded.source ?? '') as string).toString();
      const parts = source.split(mutation.find);
      if (parts.length !== 2) throw new Error(`${mutation.file} does not have, once: ${mutation.find}`);
      applied.add(mutation.name);
      return { ...loaded, source: parts.join(mutation.replace) };
    },
  });
  try {
    const engines = new Map<string, new () => MemoryDynamoDb>();
    for (const [at, { name }] of mutations.entries()) {
      const module: unknown = await import(`${FOLDER}memory-dynamodb.ts${MARK}${String(at)}`);
      if (!applied.has(name)) throw new Error(`nothing loads the file of: ${name}`);
      engines.set(name, (module as { MemoryDynamoDb: new () => MemoryDynamoDb }).MemoryDynamoDb);
    }
    return engines;
  } finally {
    hooks.deregister();
  }
}
