import { fromEnv } from '@aws-sdk/credential-provider-env';
import { madeOnce } from '../../core/shared/made-once.ts';

/**
 * Replaces `@aws-sdk/credential-provider-node` in the bundles
 * (docs/decisions/0013#read-credentials-only-from-the-environment). A function must use only its
 * role's credentials. They are read once, since an instance gets no others.
 */
export const defaultProvider = () => madeOnce(fromEnv());
