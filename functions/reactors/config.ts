import * as z from 'zod';
import { edgeEnvironment } from '../../http/edge-environment.ts';

const name = z.string().min(1);

/** The environment of the reactors function. */
export const environment = edgeEnvironment.extend({
  /** Address of the service for the code, where it is not the gateway's own; empty otherwise. */
  PUBLIC_URL: z.string(),
  TOKENS_TABLE: name,
  REACTORS_TABLE: name,
  LIST_SHARDS: z.coerce.number().int().min(1),
  CVC_LIFETIME_SECONDS: z.coerce.number().int().min(1),
  CLIENT_COMPATIBILITY: z.enum(['strict', 'lenient']),
  EGRESS_ALLOW_LIST: z.string().transform((list) => list.split(',').filter((entry) => entry !== '')),
  INVOCATIONS_QUEUE_URL: name,
  REACTOR_FUNCTION_PREFIX: name,
  REACTOR_ROLE: name,
  REACTOR_LAYER: name,
  REACTOR_ARCHITECTURE: z.enum(['arm64', 'x86_64']),
  HOT_CONCURRENCY: z.coerce.number().int().min(0),
});

/** What the construct must set: every variable, as text. */
export type Environment = Readonly<Record<keyof z.input<typeof environment>, string>>;
