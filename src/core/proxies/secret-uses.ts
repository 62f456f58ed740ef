import { isEqualJson, type Json } from '../shared/json.ts';
import { headerPieces } from './header-value.ts';
import type { ProxyConfiguration, ProxyDefinition } from './stored-proxy.ts';

type Used = Pick<ProxyDefinition, 'destinationUrl' | 'clientCertificate'> & {
  readonly requestTransforms: readonly { readonly type: string }[];
};

/** The headers with secrets, in which public values stand as they are. */
function headersWithSecrets(
  { requestTransforms }: Used,
  configuration: ProxyConfiguration,
): readonly string[] {
  return requestTransforms.flatMap((transform) => {
    if (transform.type !== 'append_header') return [];
    const { name, value } = transform as unknown as { readonly name: string; readonly value: string };
    const pieces = headerPieces(value).map((piece) => {
      if ('text' in piece) return piece.text;
      const used = configuration[piece.configuration];
      return used?.isPublic === true ? used.value : { secret: piece.configuration };
    });
    const hasSecret = pieces.some((piece) => typeof piece !== 'string');
    return hasSecret ? [JSON.stringify([name, pieces])] : [];
  });
}

/** Where and how a definition uses the secrets of a configuration. */
const usesOf = (definition: Used, configuration: ProxyConfiguration): Json =>
  [
    definition.destinationUrl,
    definition.clientCertificate ?? null,
    definition.requestTransforms.filter(({ type }) => type === 'verify_signature'),
    headersWithSecrets(definition, configuration).toSorted(),
  ] as Json;

/**
 * Whether a change alters a use of secrets: the destination, the certificate, the check of
 * signatures, or name, text or number of the headers with secrets. Their order is no use.
 */
export const altersUses = (
  previous: Used,
  before: ProxyConfiguration,
  next: Used,
  after: ProxyConfiguration,
): boolean => !isEqualJson(usesOf(previous, before), usesOf(next, after));
