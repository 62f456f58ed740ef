import * as z from 'zod/mini';
import type { Labels } from '../../core/shared/configuration-labels.ts';
import type { Item } from './table-client.ts';

/*
 * Names that callers choose are no names of attributes: the client cannot write a `constructor`. So
 * labels are stored as a list of pairs.
 */

/** The form in which an item has labels. */
export const storedLabels = () =>
  z.pipe(
    z.custom<readonly (readonly [string, string])[]>(Array.isArray),
    z.transform((pairs): Labels => Object.fromEntries(pairs)),
  );

/** The attribute of a resource's labels, which takes the place of the member. */
export const labelsInItem = ({
  configurationLabels: labels,
}: {
  readonly configurationLabels?: Labels;
}): Item => (labels === undefined ? {} : { configurationLabels: Object.entries(labels) });
