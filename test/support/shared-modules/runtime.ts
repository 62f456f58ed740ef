// Jest's runtime of test files that share their modules: Node loads them, once for each worker
// (docs/decisions/0058).
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type SharedEnvironment from './environment.ts';

const require = createRequire(import.meta.url);
/** Where jest-circus stores its event handlers. */
const HANDLERS = Symbol.for('EVENT_HANDLERS');
/** The description of the symbol under which each copy of jest-circus stores its state. */
const STATE = 'JEST_STATE_SYMBOL';

/** jest-runner and jest-circus use this of jest-runtime, without a module system of its own. */
export default class SharedRuntime {
  readonly #environment: SharedEnvironment;

  readonly #project: string;

  constructor(
    { displayName }: { readonly displayName?: { readonly name: string } },
    environment: SharedEnvironment,
  ) {
    this.#environment = environment;
    this.#project = displayName?.name ?? '';
  }

  /** jest-circus itself: a copy for each file, since it keeps the tests of one. */
  requireInternalModule(path: string): unknown {
    Reflect.deleteProperty(globalThis, HANDLERS);
    Reflect.deleteProperty(require.cache, path);
    return require(path);
  }

  requireModule = (path: string): unknown => require(path);
  unstable_shouldLoadAsEsm = () => true;
  /** A suite of several projects is a module for each, since Node loads a module once. */
  unstable_importModule = async (path: string): Promise<unknown> =>
    import(`${pathToFileURL(path).href}${path.endsWith('.test.ts') ? `?project=${this.#project}` : ''}`);

  setGlobalsForRuntime(): void {
    const { moduleMocker, fakeTimersModern } = this.#environment;
    const timers = fakeTimersModern;
    const jest = {
      fn: moduleMocker.fn.bind(moduleMocker),
      spyOn: moduleMocker.spyOn.bind(moduleMocker),
      restoreAllMocks: () => moduleMocker.restoreAllMocks(),
      useFakeTimers: (config?: Parameters<typeof timers.useFakeTimers>[0]) => timers.useFakeTimers(config),
      useRealTimers: () => timers.useRealTimers(),
      advanceTimersByTime: (ms: number) => timers.advanceTimersByTime(ms),
      advanceTimersByTimeAsync: (ms: number) => timers.advanceTimersByTimeAsync(ms),
    };
    Object.assign(globalThis, { jest });
  }

  teardown(): void {
    for (const symbol of Object.getOwnPropertySymbols(globalThis))
      if (symbol.description === STATE) Reflect.deleteProperty(globalThis, symbol);
  }

  resetModules(): void {}
  clearAllMocks = () => this.#environment.moduleMocker.clearAllMocks();
  resetAllMocks = () => this.#environment.moduleMocker.resetAllMocks();
  restoreAllMocks = () => this.#environment.moduleMocker.restoreAllMocks();
  enterTestCode(): void {}
  leaveTestCode(): void {}
  getSourceMaps = () => null;
  getAllCoverageInfoCopy = () => undefined;
}
