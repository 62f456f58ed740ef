import type { Image } from '../../src/core/reactors/layer.ts';
import type { Compatibility } from '../../lib/reactor-layer.ts';
import { layerFolder, THIS_MACHINE } from '../support/layer-folder.ts';
import {
  startReactor,
  type InvocationResult,
  type ReactorOptions,
  type ReactorProcess,
} from '../support/runtime-api.ts';

const placed = new Map<string, string>();

/** Returns the layer as it ships, for this machine. */
function layerOf(image: Image, compatibility: Compatibility = 'strict'): string {
  const name = `${image} ${compatibility}`;
  const folder = placed.get(name) ?? layerFolder(image, THIS_MACHINE, compatibility);
  placed.set(name, folder);
  return folder;
}

/** The limit of runs that end by themselves: no busy machine reaches it. */
export const AMPLE_MS = 120_000;

/** The response of an invocation that its runtime answered; throws with the reason otherwise. */
function responseIn({ response, failure }: InvocationResult): NonNullable<InvocationResult['response']> {
  if (response !== undefined) return response;
  throw new Error(`the runtime failed: ${JSON.stringify(failure)}`);
}

/**
 * Runs the code of an invocation as that of a reactor. Like any invocation it has a fresh process.
 */
const ANY_CODE = `module.exports = (req) => {
  const module = { exports: {} };
  new Function('module', 'require', '__filename', req.args.code)(module, require, __filename);
  return module.exports({ ...req, args: req.args.args });
};`;

type Options = Omit<ReactorOptions, 'image'> & { readonly compatibility?: 'lenient' };

/** Runs reactors on an image. */
export function reactorsOn(image: Image) {
  const layer = (compatibility?: Compatibility) => layerOf(image, compatibility);

  /** Runs `use` with a reactor of this code behind a Runtime API, and ends it. */
  async function withReactor<T>(
    code: string,
    use: (reactor: ReactorProcess) => Promise<T>,
    { compatibility, ...options }: Options = {},
  ): Promise<T> {
    const reactor = await startReactor(layer(compatibility), code, {
      image,
      timeoutMs: AMPLE_MS,
      ...options,
    });
    try {
      return await use(reactor);
    } finally {
      await reactor.close();
    }
  }

  /** Starts a new reactor for one invocation. */
  const answerAlone = (code: string, args: unknown = {}, changes: Record<string, unknown> = {}) =>
    withReactor(code, async (reactor) => responseIn(await reactor.invoke(args, changes)));

  /** A reactor for all tests of a file that are not about loading code. */
  function sharedReactor(options: Options = {}) {
    let reactor: ReactorProcess;
    beforeAll(async () => {
      reactor = await startReactor(layer(), ANY_CODE, { image, timeoutMs: AMPLE_MS, ...options });
    });
    afterAll(() => reactor.close());

    const resultOf = (code: string, args: unknown = {}, changes: Record<string, unknown> = {}) =>
      reactor.invoke({ code, args }, changes);

    return {
      /** Returns the response to one invocation of the code. */
      answerOf: async (...invocation: Parameters<typeof resultOf>) =>
        responseIn(await resultOf(...invocation)),

      /**
       * The effect of an attack, what the next invocation sees of it, and how often the runtime was
       * started for this attack and all before.
       */
      attacked: async (
        attack: string,
        inspection = '"clean"',
        changes: Record<string, unknown> = {},
      ): Promise<{ readonly result: InvocationResult; readonly next: unknown; readonly started: number }> => {
        const result = await resultOf(`module.exports = async (req) => { ${attack} }`, {}, changes);
        const next = await resultOf(`module.exports = async (req) => { return ${inspection} }`);
        return { result, next: next.response, started: reactor.started() };
      },
    };
  }

  return { layer, withReactor, answerAlone, sharedReactor };
}

/** For tests of what all images share. */
export const { layer, withReactor, answerAlone, sharedReactor } = reactorsOn('node16');
