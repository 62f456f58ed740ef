import { API_OPERATIONS } from './api-operations.ts';

/**
 * Every operation that a record can name (`op`): those of the API, the work that they leave behind,
 * and the operator's commands. A test compares the list with the routes and the commands.
 */
export const OPERATION_NAMES = [
  ...API_OPERATIONS,
  'runInvocation',
  'deliverResult',
  'create-tenant',
  'create-management-key',
  'list-tenants',
  'list-keys',
  'check-tenant',
  'rotate-keys',
  'rotate-deployment-key',
  'rewrap-roots',
  'replace-root',
  'rebuild-index',
  'reencrypt',
  'index-cards',
  'destroy-tenant',
  'health',
  'rotate-webhook-secret',
  'list-deliveries',
  'resend-delivery',
  'allow-hot',
  'list-reactors',
  'republish-reactors',
  'who-saw',
  'verify-audit',
  'export-audit',
  'audit-key',
] as const;
