import * as z from 'zod/mini';
import {
  auditEnvironment,
  storeEnvironment,
  tokenEnvironment,
  variable,
  wholeNumber,
} from '../../src/lambda/environment.ts';
import { layerEnvironment, perImage } from '../../src/lambda/layer-environment.ts';

export const environment = z.object({
  ...storeEnvironment,
  ...auditEnvironment,
  AUDIT_INDEX_TABLE: variable,
  AUDIT_SEALS_TABLE: variable,
  SEAL_KEY_ID: variable,
  ...tokenEnvironment,
  KEY_ROTATION_DAYS: wholeNumber(1),
  INVOCATIONS_QUEUE_URL: variable,
  REACTORS_TABLE: variable,
  /** Setting `hotInstances`: no tenant is allowed more. */
  HOT_INSTANCES: wholeNumber(0),
  DELIVERIES_QUEUE_URL: variable,
  /** The function that moves reactors to another layer. */
  REPUBLISHER: variable,
  ...layerEnvironment,
  /** The names of the layers, whose versions are the generations. */
  REACTOR_LAYER_NAMES: perImage,
});

/** The variables that the construct must set, as strings. */
export type Environment = Readonly<Record<keyof z.input<typeof environment>, string>>;
