import { createPrivateKey, X509Certificate } from 'node:crypto';
import { parseDestination, type EgressAllowList } from '../egress/destination.ts';
import type { FieldReporter } from '../shared/field-reporter.ts';
import type { Secret } from '../shared/secret.ts';
import { type ProxyConfiguration, type ProxyDefinition } from './stored-proxy.ts';
import { checkNames, type Report } from './check-transform.ts';

/** Why a text cannot be a client certificate: it is PEM with a certificate and its private key. */
function certificateProblem(pem: string): string | undefined {
  try {
    const isPair = new X509Certificate(pem).checkPrivateKey(createPrivateKey(pem));
    return isPair ? undefined : 'whose private key is not that of its certificate';
  } catch {
    return 'which is not a certificate with its private key, without a passphrase, in PEM';
  }
}

/** Reports a destination or a client certificate that cannot be stored. */
export function checkDestination(
  egressAllowList: EgressAllowList,
  { destinationUrl, clientCertificate }: Pick<ProxyDefinition, 'destinationUrl' | 'clientCertificate'>,
  {
    ownHosts,
    configuration,
  }: { readonly ownHosts: readonly string[]; readonly configuration: Secret<ProxyConfiguration> },
  fields: FieldReporter,
): void {
  const parsed = parseDestination(destinationUrl, { allowList: egressAllowList, ownHosts });
  if (typeof parsed === 'string') fields.report('destination_url', parsed);
  else if (/[?#]/.test(destinationUrl))
    fields.report('destination_url', 'must not have a query or a fragment');
  if (clientCertificate === undefined) return;
  const values = configuration.reveal();
  const report: Report = (member, problem) => {
    fields.report(member, problem);
  };
  checkNames([clientCertificate], 'client_certificate', values, report);
  const pem = values[clientCertificate]?.value;
  const problem = pem === undefined ? undefined : certificateProblem(pem);
  if (problem !== undefined) fields.report('client_certificate', `names a value ${problem}`);
  if (typeof parsed !== 'string' && parsed.url.protocol !== 'https:')
    fields.report('client_certificate', 'needs a destination with https');
}
