import * as z from 'zod/mini';
import { EXTERNAL_ID_MAX_LENGTH } from '../core/shared/external-id.ts';
import { described, lengthTo, optional, text, wellFormed } from './parts.ts';
import { EXTERNAL_IDS_MAX, REPEATED } from './page.ts';
import { counted } from './words.ts';

const externalId = /* @__PURE__ */ text.check(...lengthTo(EXTERNAL_ID_MAX_LENGTH), wellFormed);

/** The external id in a body that creates a resource; `null` is none. */
export const newExternalId = () => optional(externalId);

/** The external id in a body that changes a resource; `null` takes it away. */
export const changedExternalId = () => z.optional(z.nullable(externalId));

const NAME = `A name of your own, up to ${counted(EXTERNAL_ID_MAX_LENGTH)} characters, which no other of its kind in the tenant has.`;

export const newExternalIdWords = (): string => `${NAME} It is no secret.`;

export const changedExternalIdWords = (): string =>
  `${NAME} Without it the current one stays; \`null\` takes it away.`;

/** The query parameter by which a list has external ids, as the OpenAPI document describes it. */
export const externalIdParameter = () =>
  z.optional(z.array(z.string()).check(z.maxLength(EXTERNAL_IDS_MAX))).check(
    z.meta({
      description: `Only these, \`?external_id=shop/web\`, in this order; at most ${counted(EXTERNAL_IDS_MAX)}.`,
      param: REPEATED,
    }),
  );

/** Describes the member of a resource in a response. */
export const externalIdMember = () => described(z.optional(z.string()), 'The name that its owner gave it.');
