import type { Random } from './platform.ts';

const TIME_LENGTH = 9;
const TIE_BREAK_BYTES = 5;

/**
 * A time that sorts as text: ms since the epoch in base 36, nine characters (until the year 5188).
 */
export function sortableTime(at: number): string {
  return at.toString(36).padStart(TIME_LENGTH, '0');
}

/**
 * A position in the order of creation. It sorts as text: by time, and at random for equal times.
 */
export function newPosition(random: Random, createdAt: number): string {
  return `${sortableTime(createdAt)}${random.bytes(TIE_BREAK_BYTES).toString('base64url')}`;
}
