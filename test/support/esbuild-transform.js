import { transformSync } from 'esbuild';

/** Jest transform: TypeScript and ES modules to CommonJS, with `import.meta` mapped to its CommonJS equivalents. */
export default {
  process(source, path) {
    const { code, map } = transformSync(source, {
      loader: path.endsWith('.ts') ? 'ts' : 'js',
      format: 'cjs',
      target: 'node24',
      sourcemap: true,
      sourcefile: path,
      define: { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
    });
    return { code, map };
  },
};
