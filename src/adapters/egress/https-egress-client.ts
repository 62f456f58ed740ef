import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type {
  EgressClient,
  HeaderFields,
  InboundResponse,
  OutboundRequest,
} from '../../core/egress/egress-client.ts';
import { withTimeout, type Platform } from '../../core/shared/platform.ts';
import { invalid, ServiceError } from '../../core/shared/service-error.ts';
import type { BodyBytes } from '../../core/shared/utf8.ts';
import { checkedLookup, ForbiddenAddressError, type ResolveAll } from './checked-lookup.ts';

/** Largest header block that a response may have, in bytes. */
const HEADER_MAX_BYTES = 16_384;

/**
 * Makes pairs of `rawHeaders`, in which names and values alternate. Order and spelling stay those
 * of the destination.
 */
function fieldsOf(raw: readonly string[]): HeaderFields {
  return Array.from(
    { length: raw.length / 2 },
    (_, index) => [raw[index * 2] ?? '', raw[index * 2 + 1] ?? ''] as const,
  );
}

function unreachable(detail: string, cause?: unknown): ServiceError {
  return new ServiceError('destination_unreachable', detail, cause === undefined ? {} : { cause });
}

const NO_BODY = Buffer.alloc(0);

/**
 * Whether a final status is one that HTTP defines (RFC 9110, section 15) and a gateway can carry.
 */
const isStatus = (status: number): boolean => status >= 200 && status <= 599;

/** Reads the whole body, or aborts at the first byte over the limit. */
async function bodyOf(response: IncomingMessage, bodyMaxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bodyMaxBytes)
      throw unreachable(`The response of the destination is larger than ${String(bodyMaxBytes)} bytes.`);
    chunks.push(chunk);
  }
  if (!response.complete)
    throw unreachable('The destination closed the connection before its response was complete.');
  return Buffer.concat(chunks);
}

/**
 * The failure in the service's own terms. Messages of sockets and parsers are dropped because they
 * may quote the request.
 */
function failure(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof ServiceError) return error;
  if (signal.aborted)
    return new ServiceError('destination_timeout', 'The destination did not respond in time.');
  if (error instanceof ForbiddenAddressError)
    return invalid('destination', 'leads to an address that is not allowed');
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  const isTls =
    typeof code === 'string' &&
    /^(?:ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO|ERR_SSL)/.test(code);
  return unreachable(
    isTls ? 'The destination has no valid certificate.' : 'The destination cannot be reached.',
    error,
  );
}

const piecesOf = (body: BodyBytes): readonly (Buffer | string)[] => (Buffer.isBuffer(body) ? [body] : body);

function optionsOf(
  { destination, method, target, headers, body, clientCertificate }: OutboundRequest,
  signal: AbortSignal,
  resolveAll?: ResolveAll,
): RequestOptions {
  const { url, isAdmitted } = destination;
  const pieces = piecesOf(body.reveal());
  const length = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
  const hasLength = length > 0 || ['POST', 'PUT', 'PATCH'].includes(method);
  const fields = [
    ['Host', url.host] as const,
    ...headers.reveal(),
    ...(hasLength ? [['Content-Length', String(length)] as const] : []),
  ];
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  return {
    hostname,
    port: url.port === '' ? undefined : Number(url.port),
    method,
    path: target.reveal(),
    headers: fields.flat(),
    setHost: false,
    signal,
    // Each request has a new connection: a frozen Lambda has dead idle sockets, and a request must
    // not be sent twice.
    agent: false,
    maxHeaderSize: HEADER_MAX_BYTES,
    ...(isIP(hostname) === 0 && { servername: hostname }),
    ...(clientCertificate && { cert: clientCertificate.reveal(), key: clientCertificate.reveal() }),
    ...(!isAdmitted && { lookup: checkedLookup(resolveAll) }),
  };
}

/**
 * The only way to the internet, for the proxy and for webhooks. Tests pass `resolveAll` in place of
 * the system's resolver.
 */
export function createHttpsEgressClient(
  platform: Pick<Platform, 'startTimer'>,
  resolveAll?: ResolveAll,
): EgressClient {
  function exchange(outbound: OutboundRequest, signal: AbortSignal): Promise<InboundResponse> {
    const { promise, resolve, reject } = Promise.withResolvers<InboundResponse>();
    const start = outbound.destination.url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = start(optionsOf(outbound, signal, resolveAll), (response) => {
      const { bodyMaxBytes } = outbound;
      const reading = bodyMaxBytes === 'unread' ? Promise.resolve(NO_BODY) : bodyOf(response, bodyMaxBytes);
      reading.then(
        (body) => {
          if (bodyMaxBytes === 'unread') request.destroy();
          const { statusCode: status = 0 } = response;
          if (isStatus(status)) resolve({ status, headers: fieldsOf(response.rawHeaders), body });
          else reject(unreachable('The destination returned an invalid status.'));
        },
        (error: unknown) => {
          request.destroy();
          reject(error instanceof Error ? error : new Error('the response failed'));
        },
      );
    });
    request.on('error', reject);
    // The request asked for no other protocol. Without a listener the response would never end.
    request.on('upgrade', (_response, socket) => {
      socket.destroy();
      reject(unreachable('The destination responded with another protocol.'));
    });
    signal.addEventListener('abort', () => reject(new Error('the time is over')));
    const pieces = piecesOf(outbound.body.reveal());
    request.cork();
    for (const piece of pieces.slice(0, -1)) request.write(piece);
    request.end(pieces.at(-1));
    return promise;
  }

  return {
    send: (outbound) =>
      withTimeout(platform, outbound.timeoutMs, async (signal) => {
        try {
          return await exchange(outbound, signal);
        } catch (error) {
          throw failure(error, signal);
        }
      }),
  };
}
