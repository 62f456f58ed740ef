import type { ApiRequest } from './api-request.ts';

/**
 * The names of the service, which are no destinations: that of the gateway, and the public one,
 * which differs from it behind an edge (CloudFront).
 */
export const ownHosts = (
  { domainName }: Pick<ApiRequest, 'domainName'>,
  publicUrl: string | undefined,
): readonly string[] => (publicUrl === undefined ? [domainName] : [domainName, new URL(publicUrl).hostname]);
