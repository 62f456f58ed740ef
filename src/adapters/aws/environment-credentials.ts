import { fromEnv } from '@aws-sdk/credential-provider-env';
import { madeOnce } from '../../core/shared/made-once.ts';

/**
 * Stands in the bundles for `@aws-sdk/credential-provider-node`, which the SDK's clients look for
 * credentials with (lib/bundle.ts). Lambda hands the credentials of the role over in the
 * environment; the other places (profiles, SSO, instance metadata, web identities) would be a
 * quarter of a megabyte that every cold start reads, and doors to credentials that no function
 * should ever take. They are read once: an instance gets no others.
 */
export const defaultProvider = () => madeOnce(fromEnv());
