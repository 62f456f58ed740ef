/** MB of the function's memory for the loop's own heap and Node itself. */
const FOR_THE_LOOP = 192;
/** MB between the bound and Lambda's limit: the allocations between two checks. */
const MARGIN = 64;
/** MB. V8 uses this size by default. */
const YOUNG_GENERATION = 48;
const MB = 1024 * 1024;

export interface MemoryBounds {
  /** Limits a worker's heap, without the young generation. */
  readonly oldSpaceMb: number;
  /**
   * Limits the loop and its worker together. Buffers are outside of the heap, and V8 limits only
   * the heap.
   */
  readonly residentBytes: number;
}

export const memoryBounds = (functionMb: number): MemoryBounds => ({
  oldSpaceMb: Math.max(64, functionMb - FOR_THE_LOOP - YOUNG_GENERATION),
  residentBytes: Math.max(128, functionMb - MARGIN) * MB,
});
