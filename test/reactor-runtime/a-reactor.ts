import { buildReactorLayer } from '../../lib/reactor-layer.ts';
import {
  startReactor,
  type InvocationResult,
  type ReactorOptions,
  type ReactorProcess,
} from '../support/runtime-api.ts';

let built: string | undefined;

/** The layer as it ships, for this machine: built once, since each build bundles its packages. */
export const layer = (): string =>
  (built ??= buildReactorLayer(process.arch === 'arm64' ? 'arm64' : 'x86_64').folder);

/** Runs `use` with a reactor of this code behind a Runtime API, and ends it. */
export async function withReactor<T>(
  code: string,
  use: (reactor: ReactorProcess) => Promise<T>,
  options: ReactorOptions = {},
): Promise<T> {
  const reactor = await startReactor(layer(), code, { timeoutMs: 3_000, ...options });
  try {
    return await use(reactor);
  } finally {
    await reactor.close();
  }
}

/** What one invocation answers. */
export const answerOf = (code: string, args: unknown = {}, changes: Record<string, unknown> = {}) =>
  withReactor(code, async (reactor) => (await reactor.invoke(args, changes)).answer);

/**
 * A reactor whose function does `attack` when asked to, and else answers `inspection`: what an
 * attack did, and what the next invocation sees of it.
 */
export async function attacked(
  attack: string,
  inspection = '"clean"',
  changes: Record<string, unknown> = {},
): Promise<{ readonly result: InvocationResult; readonly next: unknown; readonly started: number }> {
  const code = `module.exports = async (req) => { if (req.args.attack) { ${attack} } else { return ${inspection} } };`;
  return withReactor(code, async (reactor) => {
    const result = await reactor.invoke({ attack: true }, changes);
    const next = (await reactor.invoke()).answer;
    return { result, next, started: reactor.started() };
  });
}
