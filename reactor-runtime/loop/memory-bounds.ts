/** MB that the loop's own heap and Node itself take of the function's memory. */
const FOR_THE_LOOP = 192;
/** MB between the bound and what Lambda kills for: what can be allocated between two looks. */
const MARGIN = 64;
const YOUNG_GENERATION = 32;
const MB = 1024 * 1024;

export interface MemoryBounds {
  /** Of a worker's heap. */
  readonly resourceLimits: {
    readonly maxOldGenerationSizeMb: number;
    readonly maxYoungGenerationSizeMb: number;
    readonly stackSizeMb: number;
  };
  /** Of the whole process: Buffers are outside of the heap, and V8 limits only the heap. */
  readonly residentBytes: number;
  /** What may be left of it when a worker has ended; with more, the next would not have the memory it is promised. */
  readonly leftoverBytes: number;
}

export function memoryBounds(functionMb: number): MemoryBounds {
  return {
    resourceLimits: {
      maxOldGenerationSizeMb: Math.max(64, functionMb - FOR_THE_LOOP - YOUNG_GENERATION),
      maxYoungGenerationSizeMb: YOUNG_GENERATION,
      stackSizeMb: 4,
    },
    residentBytes: Math.max(128, functionMb - MARGIN) * MB,
    leftoverBytes: FOR_THE_LOOP * MB,
  };
}
