import { isEqualJson, type Json } from '../shared/json.ts';
import { headerPieces, namesInHeader } from './header-value.ts';
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
 * Whether a change sets a public value of a header with a secret. It is a use, whatever
 * the value is: a comparison would confirm a guess at it.
 */
const setsBesideSecret = (
  { requestTransforms }: Used,
  configuration: ProxyConfiguration,
  isSet: (name: string) => boolean,
): boolean =>
  requestTransforms.some((transform) => {
    if (transform.type !== 'append_header') return false;
    const names = namesInHeader((transform as unknown as { readonly value: string }).value);
    return (
      names.some((name) => configuration[name]?.isPublic === false) &&
      names.some((name) => configuration[name]?.isPublic === true && isSet(name))
    );
  });

/**
 * Whether a change alters a use of secrets: the destination, the certificate, the check of
 * signatures, or name, text or number of the headers with secrets. Their order is no use.
 */
export const altersUses = (
  previous: Used,
  before: ProxyConfiguration,
  next: Used,
  after: ProxyConfiguration,
  isSet: (name: string) => boolean = () => false,
): boolean =>
  setsBesideSecret(next, after, isSet) || !isEqualJson(usesOf(previous, before), usesOf(next, after));
