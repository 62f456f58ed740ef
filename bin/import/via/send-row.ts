import { setTimeout as sleep } from 'node:timers/promises';
import { isJsonObject, type JsonObject } from '../../../src/core/shared/json.ts';
import type { Secret } from '../../../src/core/shared/secret.ts';

/** Where the other vault fills in the data and sends the request on. */
export interface ViaPlace {
  /** Its proxy has this address. */
  readonly url: string;
  /** Headers for the other vault, its key among them. */
  readonly headers: Readonly<Record<string, Secret<string>>>;
  /** The key for this service, which the other vault sees. */
  readonly key: Secret<string>;
  readonly headerPrefix: string;
}

/** The part of `fetch` that the import needs. */
export type SendThrough = (
  url: string,
  init: { readonly method: 'POST'; readonly headers: Record<string, string>; readonly body: string },
) => Promise<{ readonly status: number; readonly text: () => Promise<string> }>;

/** The end of a row. Problems name a member of the token, if there is one, and no value. */
export type Sent =
  | 'imported'
  | 'taken'
  | { readonly refused: { readonly member?: string; readonly problem: string } }
  /** No further row can succeed. */
  | { readonly ended: string };

export interface SendDeps {
  readonly send: SendThrough;
  readonly pause?: (ms: number) => Promise<unknown>;
}

const MEMBER = /^(?:id|data|metadata|containers|expires_at)(?:\.[a-z_]{1,40})?$/;

const ATTEMPTS = 4;
const PAUSE_MS = 500;

function parsed(text: string): JsonObject {
  try {
    const value = JSON.parse(text) as JsonObject;
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** Answers of this service after which no further row can succeed, by their codes. */
const ENDS: Readonly<Record<string, string>> = {
  unauthenticated: 'this service rejects the key that was made for the other vault',
  key_expired: 'the key that was made for the other vault has ended',
  address_not_allowed: 'the other vault sends from an address that --via-address does not have',
  forbidden: 'the application of --via-application may not create this',
};

/** The member that an answer refuses. Its words come through the other vault, and may be data. */
function refusedMember({ errors }: JsonObject): { readonly member?: string } {
  const member = Object.keys(isJsonObject(errors ?? null) ? (errors as JsonObject) : {}).find((name) =>
    MEMBER.test(name),
  );
  return member === undefined ? {} : { member };
}

/** Explains an answer. One of this service has a code that no other vault has. */
function refusalOf(status: number, answer: JsonObject): Sent {
  const code = typeof answer['code'] === 'string' ? answer['code'] : '';
  if (code === 'conflict') return 'taken';
  if (code === 'validation_failed')
    return { refused: { ...refusedMember(answer), problem: 'is refused by this service' } };
  if (Object.hasOwn(ENDS, code)) return { ended: ENDS[code] ?? '' };
  return status === 401 || status === 403
    ? { ended: `the other vault answers ${String(status)}: it rejects its own key or the request` }
    : { refused: { problem: `the other vault answers ${String(status)}` } };
}

const isPassing = (status: number): boolean => status === 429 || status >= 500;

/**
 * Creates one token through the proxy of another vault. The id is chosen, so a repetition creates
 * no second token. Nothing of an answer is shown but statuses, members and problems.
 */
export async function sendRow(
  { send, pause = sleep }: SendDeps,
  { url, headers, key, headerPrefix }: ViaPlace,
  body: JsonObject & { readonly id: string },
): Promise<Sent> {
  const sent = {
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.reveal()])),
    'Content-Type': 'application/json',
    [`${headerPrefix}-API-KEY`]: key.reveal(),
    // The answer goes through the other vault.
    [`${headerPrefix}-TRANSFORM`]: 'redact',
  };
  for (let attempt = 1; ; attempt += 1) {
    const last = attempt === ATTEMPTS;
    try {
      const response = await send(url, { method: 'POST', headers: sent, body: JSON.stringify(body) });
      const answer = parsed(await response.text());
      if (response.status === 201)
        return answer['id'] === body.id
          ? 'imported'
          : { ended: 'an answer has another id than was asked for: does the tenant deduplicate?' };
      // An earlier attempt may have made it, or someone else: this key cannot see which.
      const outcome = refusalOf(response.status, answer);
      if (!isPassing(response.status) || last) return outcome;
    } catch {
      if (last) return { ended: 'the other vault is unreachable' };
    }
    await pause(PAUSE_MS * 2 ** attempt);
  }
}
