import { decode } from '@jridgewell/sourcemap-codec';
import type { PackageBundle } from '../../../src/core/reactors/package-bundle.ts';

/** The members of a source map that esbuild writes (tc39.es/ecma426). */
interface SourceMap {
  readonly sources: readonly string[];
  readonly mappings: string;
}

type Place = PackageBundle['places'][number];

/**
 * Returns where the text of another package begins: line and column from 1, and its name.
 * `packageOfFile` returns `''` for a file of none, which belongs to the package before it.
 */
export function placesIn(map: string, packageOfFile: (file: string) => string): PackageBundle['places'] {
  const { sources, mappings } = JSON.parse(map) as SourceMap;
  const names = sources.map(packageOfFile);
  const places: Place[] = [];
  let last = '';
  for (const [line, segments] of decode(mappings).entries())
    for (const [column, source] of segments) {
      const name = source === undefined ? '' : (names[source] ?? '');
      if (name === '' || name === last) continue;
      places.push([line + 1, column + 1, name]);
      last = name;
    }
  return places;
}
