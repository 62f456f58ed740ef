import { Webhook } from 'standardwebhooks';
import type { HeaderFields } from '../egress/egress-client.ts';
import type { Secret } from '../shared/secret.ts';

/**
 * The header fields of a signed webhook (Standard Webhooks 1.0.0). There is one signature for each
 * secret, so that receivers with either secret accept it. `id` identifies the message and is the
 * same for every attempt; `at` is the time of this attempt in ms since the epoch.
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
