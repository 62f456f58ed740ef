import { Webhook } from 'standardwebhooks';

/** The content of a webhook; throws if the tenant's secret did not sign it, or too long ago. */
export function verifyWebhook(
  secret: string,
  body: string,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): unknown {
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  return new Webhook(secret).verify(body, Object.fromEntries(texts) as Record<string, string>);
}
