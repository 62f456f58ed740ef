import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { transformSync, version } from 'esbuild';

const own = readFileSync(import.meta.filename);

/**
 * Jest transform: TypeScript and ES modules to CommonJS, with `import.meta` mapped to its CommonJS
 * equivalents.
 */
export default {
  process(source, path) {
    const { code, map } = transformSync(source, {
      loader: path.endsWith('.ts') ? 'ts' : 'js',
      format: 'cjs',
      target: 'node24',
      // Jest loads CommonJS: `await import()` becomes a `require` in a promise.
      supported: { 'dynamic-import': false },
      sourcemap: true,
      sourcefile: path,
      define: { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
    });
    return { code, map };
  },

  /** The key of a cached result: a change of the transform counts like a change of the file. */
  getCacheKey(source, path) {
    return createHash('sha256')
      .update(own)
      .update(version)
      .update(path)
      .update('\0')
      .update(source)
      .digest('hex');
  },
};
