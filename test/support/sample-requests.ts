import { isLegalFor, PERMISSION_NAMES } from '../../src/core/access/permission.ts';

/** A card that passes every check. */
export const CARD = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 };

/** Every permission that a private application may have. */
export const ALL_TOKEN_PERMISSIONS: string[] = PERMISSION_NAMES.filter((name) => isLegalFor(name, 'private'));

/** A rule that reveals everything below a container. */
export const revealing = (container = '/', permissions = ALL_TOKEN_PERMISSIONS) => ({
  priority: 1,
  container,
  transform: 'reveal',
  permissions,
});
