import * as z from 'zod/mini';
import { variable } from '../../src/lambda/environment.ts';
import { layerEnvironment } from '../../src/lambda/layer-environment.ts';
import { tagList } from '../../src/lambda/tag-list.ts';

export const environment = z.object({
  REACTORS_TABLE: variable,
  /** The function itself, which continues by events. */
  REPUBLISHER: variable,
  REACTOR_FUNCTION_PREFIX: variable,
  REACTOR_ARCHITECTURE: z.enum(['arm64', 'x86_64']),
  RESOURCE_TAGS: tagList,
  ...layerEnvironment,
});

/** The variables that the construct must set, as strings. */
export type Environment = Readonly<Record<keyof z.input<typeof environment>, string>>;
