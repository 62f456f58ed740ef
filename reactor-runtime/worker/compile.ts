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
 * As a function of what CommonJS gives, so that the code cannot end its wrapper and begin another.
 * Without a callback for `import()`, which therefore fails: it would load built-ins beneath the
 * checks.
 */
export const compile = (code: string, filename: string): CompiledModule =>
  compileFunction(code, ['exports', 'require', 'module', '__filename', '__dirname'], {
    // Its other options would be those of Object.prototype, a forged cache of code among them.
    __proto__: null,
    filename,
  } as { filename: string }) as unknown as CompiledModule;
