import { Webhook } from 'standardwebhooks';
import type { EgressClient, OutboundRequest } from '../../../src/core/egress/egress-client.ts';
import { ServiceError } from '../../../src/core/shared/service-error.ts';
import type { Life } from '../life.ts';
import type { World } from '../world.ts';
import { bytesOfBody } from '../../../src/core/shared/utf8.ts';

/** How receivers fail. Probabilities are from 0 to 1. */
export interface ReceiverFaults {
  /** The receiver takes the request and answers 500. */
  readonly refusal: number;
  /** The answer of the receiver is lost. */
  readonly unanswered: number;
}

/** A request that arrived. */
export interface Arrival {
  readonly host: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** In ms since the epoch. */
  readonly at: number;
  /** Whether the sender got a response of success. */
  readonly isAccepted: boolean;
}

/** The hosts that the service can reach: each answers with the body that it got (`echoed`). */
export interface Internet {
  readonly arrivals: readonly Arrival[];
  /** From now on a path of {@link CLOSED} gets requests, which answers 410 before. */
  readonly open: (path: string) => void;
  readonly egressOf: (life: Life) => EgressClient;
}

/** The receivers of this host want nothing more, until one is opened. */
export const CLOSED = 'closed.example';
const GONE = 410;

const unreachable = (): ServiceError =>
  new ServiceError('destination_unreachable', 'The destination cannot be reached.');

/** A destination of a stored proxy also returns the credential that it got. */
function echoed({ body, headers }: Arrival): string {
  const { authorization } = headers;
  return authorization === undefined
    ? body
    : JSON.stringify({ ...(JSON.parse(body) as object), authorization });
}

export function createInternet(world: World, faults: () => ReceiverFaults): Internet {
  const arrivals: Arrival[] = [];
  const opened = new Set<string>();
  const draws = world.draws('internet');

  const isClosed = ({ destination, target }: OutboundRequest) =>
    destination.url.host === CLOSED && !opened.has(target.reveal());

  function arrive({ destination, target, headers, body }: OutboundRequest, isAccepted: boolean): Arrival {
    const named = headers.reveal().map(([name, value]) => [name.toLowerCase(), value]);
    const arrival = {
      isAccepted,
      host: destination.url.host,
      path: target.reveal(),
      at: world.now(),
      headers: Object.fromEntries(named) as Record<string, string>,
      body: bytesOfBody(body.reveal()).toString(),
    };
    arrivals.push(arrival);
    world.happened(arrival.host, `gets ${arrival.path}`);
    return arrival;
  }

  return {
    arrivals,
    open: (path) => opened.add(path),
    egressOf: (life) => ({
      send: (request) =>
        new Promise((resolve, reject) => {
          world.after(draws.between(1, 20), () => {
            const { refusal, unanswered } = faults();
            const isRefused = draws.chance(refusal);
            const isLost = draws.chance(unanswered);
            const isGone = isClosed(request);
            const arrival = arrive(request, !isGone && !isRefused && !isLost);
            life.after(draws.between(1, 20), () => {
              if (isLost) reject(unreachable());
              else
                resolve({
                  status: isGone ? GONE : isRefused ? 500 : 200,
                  headers: [['content-type', 'application/json']],
                  body: Buffer.from(echoed(arrival)),
                });
            });
          });
        }),
    }),
  };
}

/** Whether a webhook is signed with this secret, at about the time of its arrival. */
export function isSigned({ headers, body, at }: Arrival, secret: string, toleranceMs: number): boolean {
  const sentAt = Number(headers['webhook-timestamp']) * 1_000;
  const expected = new Webhook(secret).sign(headers['webhook-id'] ?? '', new Date(sentAt), body);
  const signatures = headers['webhook-signature']?.split(' ') ?? [];
  return Math.abs(sentAt - at) <= toleranceMs && signatures.includes(expected);
}
