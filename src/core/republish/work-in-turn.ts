import { IMAGES, type Image } from '../reactors/layer.ts';
import type { Roll } from './roll.ts';
import { workRoll, type WorkRollDeps } from './work-roll.ts';

/** Returns the rolls of the other images that are not over. */
async function othersOf({ rollStore }: WorkRollDeps, image: Image): Promise<readonly Roll[]> {
  const found = await Promise.all(
    IMAGES.filter((other) => other !== image).map((other) => rollStore.find(other)),
  );
  return found.flatMap((roll) => (roll?.state === 'running' ? [roll] : []));
}

/**
 * Works on the roll of an image, unless a worker is at another one: together they would make twice
 * as many calls of Lambda as a roll may. Returns the images whose event comes next: its own while
 * work is left, and those that waited for its end. If a worker died without a successor, the
 * operator's command sends the events again.
 */
export async function workInTurn(deps: WorkRollDeps, image: Image, until: number): Promise<readonly Image[]> {
  const own = await deps.rollStore.find(image);
  if (own?.state !== 'running') return [];
  const isBefore = ({ runner, startedAt, target }: Roll) =>
    (runner?.until ?? 0) > deps.clock() &&
    (startedAt < own.startedAt ||
      (startedAt === own.startedAt && IMAGES.indexOf(target.image) < IMAGES.indexOf(image)));
  if ((await othersOf(deps, image)).some(isBefore)) return [];
  if (await workRoll(deps, image, until)) return [image];
  return (await othersOf(deps, image)).map(({ target }) => target.image);
}
