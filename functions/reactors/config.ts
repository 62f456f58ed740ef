import * as z from 'zod/mini';
import { PACKAGES_SETTINGS } from '../../src/core/reactors/author-packages.ts';
import { apiEnvironment } from '../../src/http/api-environment.ts';
import { hostList, tokenEnvironment, variable, wholeNumber } from '../../src/lambda/environment.ts';
import { imageList, layerEnvironment, perImage } from '../../src/lambda/layer-environment.ts';
import { tagList } from '../../src/lambda/tag-list.ts';

export const environment = z.extend(apiEnvironment, {
  /**
   * Reactor code calls the service at this address. Empty means that the gateway's own address is
   * used.
   */
  PUBLIC_URL: z.string(),
  ...tokenEnvironment,
  REACTORS_TABLE: variable,
  CVC_LIFETIME_SECONDS: wholeNumber(1),
  EGRESS_ALLOW_LIST: hostList,
  INVOCATIONS_QUEUE_URL: variable,
  DELIVERIES_QUEUE_URL: variable,
  REACTOR_FUNCTION_PREFIX: variable,
  REACTOR_ROLE: variable,
  ...layerEnvironment,
  /** The ARNs of the versions of the layers that new functions get. */
  REACTOR_LAYERS: perImage,
  /** The images that reactors may get: the first is the default. Others are closed. */
  REACTOR_IMAGES: imageList,
  /** Whether reactors may get packages of their own. */
  REACTOR_PACKAGES: z.enum(PACKAGES_SETTINGS),
  REACTOR_ARCHITECTURE: z.enum(['arm64', 'x86_64']),
  HOT_CONCURRENCY: wholeNumber(0),
  REACTORS_PER_TENANT: wholeNumber(1),
  RESOURCE_TAGS: tagList,
});

/** The variables that the construct must set, as strings. */
export type Environment = Readonly<Record<keyof z.input<typeof environment>, string>>;
