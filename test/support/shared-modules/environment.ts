// Jest's environment of test files that share their modules: the globals of the process itself, in
// place of a context of its own for each file (docs/decisions/0058).
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';
import { noteUse } from '../../budgets.ts';
import type { Target } from '../targets/target.ts';

/** Returns what undoes the changes that a file makes to its process. */
function processNow(): () => void {
  const env = { ...process.env };
  const log = console;
  const directory = process.cwd();
  const exit = Object.getOwnPropertyDescriptor(process, 'exit');
  return () => {
    for (const name of Object.keys(process.env))
      if (!(name in env)) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, env);
    Object.assign(globalThis, { console: log });
    Object.defineProperty(process, 'exit', exit ?? {});
    process.chdir(directory);
  };
}

type ProjectConfig = ConstructorParameters<typeof ModernFakeTimers>[0]['config'];

/** The services that a project can name (jest.config.js). A unit test loads none of them. */
const OPEN: Readonly<Record<string, () => Promise<Target>>> = {
  memory: async () => (await import('../targets/memory.ts')).memoryTarget(),
  local: async () => (await import('../targets/local.ts')).localTarget(),
  deployed: async () => (await import('../targets/deployed.ts')).deployedTarget(),
};

const targetOf = ({ testEnvironmentOptions: options }: ProjectConfig): string | undefined =>
  typeof options['target'] === 'string' ? options['target'] : undefined;

/** jest-runner and jest-circus use this of an environment. */
export default class SharedEnvironment {
  readonly global = globalThis;
  readonly moduleMocker = new ModuleMocker(globalThis);
  readonly fakeTimers = null;
  readonly fakeTimersModern: ModernFakeTimers;
  readonly #restore = processNow();

  readonly #target: string | undefined;
  #tests = 0;

  constructor({ projectConfig }: { readonly projectConfig: ProjectConfig }) {
    this.#target = targetOf(projectConfig);
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  handleTestEvent({ name }: { readonly name: string }): void {
    if (name === 'test_fn_start') this.#tests += 1;
  }

  async setup(): Promise<void> {
    globalThis.cloakroomTarget = await OPEN[this.#target ?? '']?.();
  }

  async teardown(): Promise<void> {
    if (this.#target === 'local') noteUse('tests on the shared service', this.#tests);
    await globalThis.cloakroomTarget?.close();
    globalThis.cloakroomTarget = undefined;
    this.moduleMocker.restoreAllMocks();
    this.fakeTimersModern.dispose();
    this.#restore();
  }

  exportConditions = () => ['node', 'node-addons'];
  getVmContext = () => null;
}
