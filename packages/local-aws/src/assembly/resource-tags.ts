import { z } from 'zod';

/** Turns the property `Tags` of a resource into an object. */
export const resourceTags = z
  .array(z.strictObject({ Key: z.string(), Value: z.string() }))
  .default([])
  .transform((all) => Object.fromEntries(all.map(({ Key, Value }) => [Key, Value])));
