export const ID = { id: 'The id of the application.' };

export const KEY_ID = { ...ID, key_id: 'The id of the key.' };

export const LOST =
  'The update conflicted with concurrent updates in every attempt, or a request with the same idempotency key is still running.';

export const LAST_MANAGER = 'No other key has `application:update` (`last_manager`), unless `force=true`.';

export const EITHER = 'At least one of `permissions` and `rules` must have an entry.';

export const BILLING = {
  name: 'Billing',
  rules: [{ priority: 1, container: '/pci/', transform: 'reveal', permissions: ['token:read', 'token:use'] }],
};
