import { originOf, type FieldsConfig } from '../../headers.ts';

/** The part of a document that `readConfig` needs. */
interface Page {
  getElementById(id: string): { readonly textContent: string | null } | null;
}

/** Returns the configuration in the frame's own page, which the deployment wrote. */
export function readConfig(page: Page): FieldsConfig {
  // oxlint-disable-next-line no-restricted-properties -- It has no member names of strangers.
  return JSON.parse(page.getElementById('config')?.textContent ?? '') as FieldsConfig;
}

const ANY_PORT = ':*';

const matches = (entry: string, origin: string): boolean =>
  entry.endsWith(ANY_PORT)
    ? origin === entry.slice(0, -ANY_PORT.length) || origin.startsWith(entry.slice(0, -1))
    : entry === origin;

/** Whether fields may be in a page of this origin. */
export const acceptsPage = ({ origins }: FieldsConfig, origin: string): boolean =>
  origins.some((entry) => matches(originOf(entry), origin));

/** Whether a page of this origin may write to a tenant. */
export function acceptsTenant({ origins }: FieldsConfig, origin: string, tenantId: string): boolean {
  return origins.some((entry) => {
    const [page = '', tenant] = entry.split('=');
    return matches(page, origin) && (tenant === undefined || tenant === tenantId);
  });
}
