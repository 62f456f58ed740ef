import { fromEnv } from '@aws-sdk/credential-provider-env';
import { madeOnce } from '../../core/shared/made-once.ts';

/**
 * Replaces `@aws-sdk/credential-provider-node` in the bundles, where the SDK's clients look for
 * credentials (lib/bundle.ts). Lambda passes the role's credentials in the environment. The other
 * sources (profiles, SSO, instance metadata, web identities) would add a quarter of a megabyte to
 * every cold start, and credentials that no function should ever use. They are read once: an
 * instance gets no others.
 */
export const defaultProvider = () => madeOnce(fromEnv());
