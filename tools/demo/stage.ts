import { isDeepStrictEqual } from 'node:util';
import { createClient, type ApiError, type Client } from '../../packages/sdk/src/index.ts';
import type { Destination } from './destination.ts';
import type { Screen } from './screen.ts';
import type { Service } from './service.ts';
import type { CallWatch, Showing } from './watch-calls.ts';

export interface Stage {
  readonly screen: Screen;
  readonly watch: CallWatch;
  readonly service: Service;
  /** A payment provider that the proxy and reactors call. */
  readonly provider: Destination;
  /** The endpoint at which the shop receives webhooks. */
  readonly receiver: Destination;
  readonly signal: AbortSignal;
  /** Opens a chapter, after the reader's Enter with `--pause`. */
  chapter(title: string, text: string): Promise<void>;
}

/** A result differs from what the demo expects. */
export class UnexpectedError extends Error {}

/** A client with the name that its calls are printed with. */
export function clientOf({ watch, service: { baseUrl } }: Stage, owner: string, apiKey: string): Client {
  watch.name(apiKey, owner);
  return createClient({ baseUrl, apiKey });
}

/** Makes calls whose named members are shown. */
export async function showing<T>({ watch }: Stage, members: Showing, calls: () => Promise<T>): Promise<T> {
  watch.show(members);
  try {
    return await calls();
  } finally {
    watch.show({});
  }
}

/** Compares a claim with the result: prints it, or ends the demo. */
export function check({ screen }: Stage, promise: string, actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected))
    throw new UnexpectedError(
      `This claim is wrong: ${promise}\n  expected ${JSON.stringify(expected)}\n  but got  ${JSON.stringify(actual)}`,
    );
  screen.checked(promise);
}

/** The status of a rejected call; `undefined` for a success. */
export async function refusal(call: Promise<unknown>): Promise<number | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    const { status } = error as Partial<ApiError>;
    if (status === undefined) throw error;
    return status;
  }
}
