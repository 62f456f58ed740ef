import type { PortEffects } from '../audit/effect.ts';
import type { ReactorId } from './reactor-functions.ts';

/** Makes the function of a reactor that has none, or asks the function that can. */
export interface ReactorMaker {
  makeAgain(reactor: ReactorId): Promise<void>;
}

/** It changes nothing that a caller sees. */
export const REACTOR_MAKER_EFFECTS: PortEffects<ReactorMaker> = { makeAgain: 'none' };
