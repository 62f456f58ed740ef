// A function behind the API with another timeout, cut off at every call.
import type { ItemContext } from '../../../tools/release-check/item.ts';
import { withTimeout } from '../../../tools/release-check/live-version.ts';

/** A function with versions and the alias `live`; the n-th call fails before its effect. */
function aFunction(failing: number) {
  const versions = new Map([['7', 30]]);
  const state = { timeout: 30, live: '7', versions };
  let calls = 0;
  const answers: Record<string, (input: any) => object> = {
    GetAliasCommand: () => ({ FunctionVersion: state.live }),
    GetFunctionConfigurationCommand: () => ({ Timeout: state.timeout, LastUpdateStatus: 'Successful' }),
    UpdateFunctionConfigurationCommand: ({ Timeout }) => ({ Timeout: (state.timeout = Timeout) }),
    PublishVersionCommand() {
      versions.set('8', state.timeout);
      return { Version: '8' };
    },
    UpdateAliasCommand({ FunctionVersion }) {
      if (!versions.has(FunctionVersion)) throw new Error('no such version');
      return { FunctionVersion: (state.live = FunctionVersion) };
    },
    DeleteFunctionCommand({ Qualifier }) {
      if (Qualifier === undefined || Qualifier === state.live) throw new Error('it is in use');
      versions.delete(Qualifier);
      return {};
    },
  };
  const send = (command: { readonly constructor: { readonly name: string }; readonly input: object }) => {
    calls += 1;
    if (calls === failing) return Promise.reject(new Error('cut off'));
    return Promise.resolve(answers[command.constructor.name]?.(command.input));
  };
  const undos: (() => Promise<unknown>)[] = [];
  const context = {
    clients: { lambda: { send } },
    pause: () => Promise.resolve(),
    afterwards: (undo: () => Promise<unknown>) => undos.push(undo),
  } as unknown as ItemContext;
  return {
    state,
    context,
    end: async () => {
      for (const undo of undos.toReversed()) await undo();
    },
  };
}

const BEFORE = { timeout: 30, live: '7', versions: new Map([['7', 30]]) };

it('the gateway reaches a version with the timeout, and afterwards everything is as before', async () => {
  const { state, context, end } = aFunction(0);
  const moveBack = await withTimeout(context, 'F', 2);
  expect(state.versions.get(state.live)).toBe(2);
  await moveBack();
  expect(state.live).toBe('7');
  await end();
  expect(state).toEqual(BEFORE);
});

it.each([1, 2, 3, 4, 5, 6])('everything is as before when call %i fails', async (failing) => {
  const { state, context, end } = aFunction(failing);
  await expect(withTimeout(context, 'F', 2)).rejects.toThrow('cut off');
  await end();
  expect(state).toEqual(BEFORE);
});
