import type { Stack } from '../../src/assembly/read-assembly.ts';

type Parts = Partial<Stack['template']>;

/** A stack like the result of `readAssembly`, with the sections that a test is about. */
export function aStack(name: string, parts: Parts = {}): Stack {
  return { name, template: { Parameters: {}, Conditions: {}, Resources: {}, Outputs: {}, ...parts } };
}
