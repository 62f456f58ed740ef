import type { ReservedHeader } from '../../src/http/reserved-headers.ts';

/*
 * Headers of responses, and the media type of bodies, as the document describes them.
 */

/** A reserved header as the document names it. */
export const reserved = (name: ReservedHeader): string => `SVC-${name.toUpperCase()}`;

export const JSON_TYPE = 'application/json';

export const TRACE = {
  description: 'The id of the request in the logs: yours if you sent one.',
  required: true,
  schema: { type: 'string' },
} as const;
export const ENTITY_TAG = {
  description: 'The state of the resource: send it as `If-Match` of a change.',
  required: true,
  schema: { type: 'string' },
} as const;
export const RETRY_AFTER = { description: 'Seconds to wait.', schema: { type: 'integer' } } as const;
export const LOCATION = {
  description: 'The address to which the destination redirects. Do not send your key there.',
  schema: { type: 'string' },
} as const;
export const STOPPED_PROXIES = {
  description: 'Ids of stored proxies that ran the code before and fail now, with commas between them.',
  schema: { type: 'string' },
} as const;
export const DESTINATION_STATUS = {
  description: "The destination's status. Without this header the failure is the proxy's own.",
  required: true,
  schema: { type: 'integer' },
} as const;
