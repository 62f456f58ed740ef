import * as z from 'zod/mini';
import { IMAGES } from '../../src/core/reactors/layer.ts';
import { workInTurn } from '../../src/core/republish/work-in-turn.ts';
import { causesOf } from '../../src/lambda/request-log.ts';
import type { RepublisherDeps } from './dependencies.ts';

const OPERATION = 'republishReactors';

const message = z.lazy(() => z.object({ image: z.enum(IMAGES) }));

/** Time reserved before Lambda's timeout, in ms. */
const RESERVE_MS = 2_000;

/**
 * Works on the roll of an image for as long as the call may take, and sends itself the next event
 * while work is left, or that of an image that waits. Lambda repeats the event of a worker that
 * died.
 */
export async function republish(deps: RepublisherDeps, event: unknown, remainingMs: number): Promise<void> {
  const { clock, writeLog } = deps;
  const started = clock();
  try {
    const { image } = message.parse(event);
    const next = await workInTurn(deps, image, started + remainingMs - RESERVE_MS);
    for (const each of next) await deps.rollQueue.send(each);
    writeLog('info', { operation: OPERATION, milliseconds: clock() - started });
  } catch (error) {
    writeLog('error', { operation: OPERATION, cause: causesOf(error) });
    throw error;
  }
}
