import { readFileSync } from 'node:fs';
import { z } from 'zod';

const credentialsSchema = z.object({
  base_url: z.string(),
  console_url: z.string(),
  fields_url: z.string(),
  docs_url: z.string(),
  start_url: z.string(),
  tenant_id: z.string(),
  management_key: z.string(),
  webhook_secret: z.string(),
  aws_endpoint_url: z.string(),
  aws_region: z.string(),
  aws_access_key_id: z.string(),
  aws_secret_access_key: z.string(),
});

export type Credentials = z.infer<typeof credentialsSchema>;

/** Reads a credentials file that `npm start` has written. */
export function readCredentials(file: string): Credentials {
  return credentialsSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
}
