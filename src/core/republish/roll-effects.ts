import type { PortEffects } from '../audit/effect.ts';
import type { LayerFinder } from './layer-mover.ts';
import type { ReactorIndex, RollQueue, RollStore } from './roll.ts';

/** An operator's command starts a roll. What it then does is in the record of the roll. */
export const ROLL_STORE_EFFECTS: PortEffects<RollStore> = {
  find: 'none',
  write: () => ({ change: { members: ['layer'] } }),
};

export const ROLL_QUEUE_EFFECTS: PortEffects<RollQueue> = { send: 'none' };

export const REACTOR_INDEX_EFFECTS: PortEffects<ReactorIndex> = {
  withOther: 'none',
  all: 'none',
  countOther: 'none',
};

export const LAYER_FINDER_EFFECTS: PortEffects<LayerFinder> = { present: 'none', generation: 'none' };
