import type { Client } from '../client.ts';
import type { Answer, ServiceRequest } from '../service.ts';

/** A step acts for a client, and checks the responses. */
export type Step = (client: Client) => Promise<void>;

export type Body = Answer['body'];

export const post = (client: Client, path: string, body: unknown, key?: string): ServiceRequest => ({
  method: 'POST',
  path,
  key: client.target.privateKey,
  body,
  ...(key !== undefined && { headers: { 'svc-idempotency-key': key } }),
});

export const management = (client: Client, method: string, path: string, body?: unknown): ServiceRequest => ({
  method,
  path,
  key: client.target.managementKey,
  ...(body !== undefined && { body }),
});
