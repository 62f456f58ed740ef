import { z } from 'zod';
import { fieldsHeaders, originOf } from '../packages/fields/headers.ts';

/**
 * CloudFront limits the header Content-Security-Policy of a policy for response headers. We know of
 * 1,783 characters (Developer Guide, Quotas), and stay below them.
 */
const POLICY_MAX_LENGTH = 1_700;
const MAX_ORIGINS = 20;

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const DEPLOYED = `https://${LABEL}(?:\\.${LABEL})*(?::[1-9]\\d{0,4})?`;
const ON_A_LAPTOP = String.raw`http://(?:localhost|127\.0\.0\.1)(?::(?:[1-9]\d{0,4}|\*))?`;
const TENANT = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/** No character of it could end a source or a directive of a Content-Security-Policy. */
const ENTRY = new RegExp(`^(?:${DEPLOYED}|${ON_A_LAPTOP})(?:=${TENANT})?$`);

const ANY_PORT = ':*';
/** Another entry could name the same page without the tenant. */
const isAnyPortOfATenant = (entry: string): boolean => entry.includes(`${ANY_PORT}=`);

/**
 * Whether browsers spell the origin of a page so. They omit the port 443 of https, and write a host
 * such as `0x7f.1` as an address.
 */
function isSpelledByBrowsers(entry: string): boolean {
  const origin = originOf(entry);
  const one = origin.endsWith(ANY_PORT) ? origin.slice(0, -ANY_PORT.length) : origin;
  return URL.canParse(one) && new URL(one).origin === one;
}

/** An origin with and without a tenant would allow the keys of all tenants, against its words. */
function contradictionOf(entries: readonly string[]): string | undefined {
  return entries.find((entry) => entry.includes('=') && entries.includes(originOf(entry)));
}

/** The pages that may embed card fields (packages/fields/headers.ts). */
export const fieldsOrigins = z
  .array(
    z
      .string()
      .regex(ENTRY, {
        error:
          'must be origins such as https://shop.example.com, with =<tenant id> if only keys of this tenant may be used there',
        abort: true,
      })
      .refine((entry) => !isAnyPortOfATenant(entry), 'must name the port of a page that is bound to a tenant')
      .refine(isSpelledByBrowsers, 'must be spelled as browsers do, without a default port'),
  )
  .max(MAX_ORIGINS, `must be at most ${String(MAX_ORIGINS)}`)
  .superRefine((entries, context) => {
    const entry = contradictionOf(entries);
    if (entry !== undefined)
      context.addIssue({ code: 'custom', message: `must name ${originOf(entry)} with a tenant or without` });
  });

/** Why CloudFront would not send the policy with these origins. */
export function policyProblem(settings: {
  readonly domainName: string;
  readonly fieldsOrigins: readonly string[];
}): string | undefined {
  const config = { headerPrefix: '', digits: false, origins: settings.fieldsOrigins };
  const headers = fieldsHeaders({ ...config, apiUrl: `https://${settings.domainName}` });
  const { length } = headers['Content-Security-Policy'] ?? '';
  if (length <= POLICY_MAX_LENGTH) return undefined;
  return `must be shorter: their policy has ${String(length)} characters, and may have ${String(POLICY_MAX_LENGTH)}`;
}
