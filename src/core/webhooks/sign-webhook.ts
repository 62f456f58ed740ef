import { Webhook } from 'standardwebhooks';
import type { HeaderFields } from '../egress/egress-client.ts';
import type { Secret } from '../shared/secret.ts';

/**
 * Headers of Standard Webhooks 1.0.0, with a signature for each secret, since receivers may have
 * any. All attempts have the same `id`; `at` is the time of this one in ms since the epoch.
 */
export function signWebhook(
  id: string,
  body: string,
  secrets: readonly Secret<string>[],
  at: number,
): HeaderFields {
  const time = new Date(at);
  const signatures = secrets.map((secret) => new Webhook(secret.reveal()).sign(id, time, body));
  return [
    ['webhook-id', id],
    ['webhook-timestamp', String(Math.floor(at / 1000))],
    ['webhook-signature', signatures.join(' ')],
  ];
}
