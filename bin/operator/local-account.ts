import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { LocalAdministrator } from '../../packages/local-aws/src/control.ts';
import { UsageError } from '../command-line/failures.ts';

/** A deployment with the default serviceName has this operator function. */
export const DEFAULT_FUNCTION = 'Cloakroom-operator';

const localSchema = z.object({
  aws_endpoint_url: z.string(),
  aws_region: z.string(),
  aws_access_key_id: z.string(),
  aws_secret_access_key: z.string(),
  operator_function: z.string().optional(),
});

/** The local account of `cloakroom start` and its administrator, from the credentials file. */
export function localAccountOf(
  credentialsFile: string,
): LocalAdministrator & { readonly operator_function?: string | undefined } {
  let text: string;
  try {
    text = readFileSync(credentialsFile, 'utf8');
  } catch {
    throw new UsageError(`${credentialsFile} cannot be read: is the service running (cloakroom start)?`);
  }
  try {
    return localSchema.parse(JSON.parse(text));
  } catch {
    throw new UsageError(`${credentialsFile} is no credentials file of cloakroom start`);
  }
}
