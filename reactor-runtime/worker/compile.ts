import { compileFunction } from './primordials.ts';

/** A CommonJS module as reactor code and the packages see it. */
export interface ReactorModule {
  exports: unknown;
}

export type CompiledModule = (
  this: unknown,
  exports: unknown,
  require: (specifier: unknown) => unknown,
  module: ReactorModule,
  filename: string,
  dirname: string,
) => void;

/**
 * Compiles a function of the CommonJS variables, so that the code cannot end its wrapper and begin
 * another. No callback for `import()`, so it fails: it would load built-ins past the checks.
 */
export const compile = (code: string, filename: string): CompiledModule =>
  compileFunction(code, ['exports', 'require', 'module', '__filename', '__dirname'], {
    // Missing options would be read from Object.prototype, a forged code cache among them.
    __proto__: null,
    filename,
  } as { filename: string }) as unknown as CompiledModule;
