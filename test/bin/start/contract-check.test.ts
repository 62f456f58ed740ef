import { createContractCheck } from '../../../bin/start/contract-check.ts';
import type { Exchange } from '../../../packages/local-aws/src/gateway/http-gateway.ts';

const contract = () => createContractCheck('docs/openapi.json');
const UUID = '5f9c1f0e-3c53-4f6e-9a53-0d9c6a1c2b11';
const tenant = {
  id: UUID,
  name: 'Shop',
  settings: { deduplicate_tokens: false, ephemeral_proxy: true },
  configuration_revision: null,
  recovered_at: null,
  service_version: '0.1.0',
};

const anExchange = (more: Partial<Omit<Exchange, 'body'>> & { readonly body?: unknown } = {}): Exchange => ({
  method: 'GET',
  path: '/tenants/self',
  status: 200,
  headers: { 'content-type': 'application/json', etag: '"t.1"', 'svc-trace-id': 't' },
  ...more,
  body: Buffer.from(
    typeof more.body === 'string' ? more.body : JSON.stringify('body' in more ? more.body : tenant),
  ),
});

const problem = (status: number) => ({ status, body: { title: 'No', status, code: 'forbidden' } });
const headers = { 'content-type': 'application/json', 'svc-trace-id': 't' };

describe('a response as the document describes it', () => {
  it.each([
    ['of an operation', {}],
    ['after a trailing slash', { path: '/tenants/self/' }],
    [
      'with another prefix',
      { headers: { 'content-type': 'application/json', etag: '"t.1"', 'acme-trace-id': 't' } },
    ],
    ['that is a failure', problem(403)],
    [
      'of the gateway, without a trace id',
      {
        status: 429,
        body: { message: 'Too Many Requests' },
        headers: { 'content-type': 'application/json', 'retry-after': '1' },
      },
    ],
    ['to an unknown path', { path: '/nowhere', ...problem(404) }],
    ['to a method that the path does not have', { method: 'PUT', path: '/sessions', ...problem(405) }],
    ['without a body', { method: 'DELETE', path: '/tokens/x', status: 204, body: '' }],
    [
      'of a destination',
      {
        method: 'POST',
        path: '/proxy/a/b',
        status: 418,
        body: 'tea',
        headers: { 'svc-trace-id': 't', 'svc-proxy-destination-status': '418' },
      },
    ],
    [
      'of the proxy itself',
      {
        method: 'POST',
        path: '/proxy/a/b',
        status: 400,
        body: { proxy_error: { title: 'No', status: 400, code: 'validation_failed' } },
      },
    ],
  ])('%s is allowed', (_what, more) => {
    expect(contract().check(anExchange(more))).toBeUndefined();
  });
});

describe('a response that the document does not allow', () => {
  it.each([
    ['an unknown member', { body: { ...tenant, secret: 'x' } }, 'additionalProperties secret'],
    ['a missing member', { body: { id: UUID, name: 'Shop' } }, 'required settings'],
    ['a wrong type', { body: { ...tenant, name: 7 } }, '/name type'],
    ['an unknown status code', { status: 201 }, 'is not in the document'],
    ['no trace id', { headers: { 'content-type': 'application/json' } }, 'header SVC-TRACE-ID is missing'],
    [
      'another content type',
      { headers: { ...headers, etag: '"t.1"', 'content-type': 'text/html' } },
      'is of type text/html',
    ],
    ['a body that is not JSON', { body: '{' }, 'is no JSON'],
    ['an unexpected body', { method: 'DELETE', path: '/tokens/x', status: 204, body: 'x' }, 'has a body'],
    ['a success of an unknown path', { path: '/nowhere', body: {} }, 'is a success'],
    ['a failure of another shape', { path: '/nowhere', status: 404, body: { oops: 1 } }, 'required'],
    [
      'a failure of the proxy that is not wrapped',
      { method: 'POST', path: '/proxy', ...problem(400) },
      'required',
    ],
  ])('%s is reported', (_what, more, reported) => {
    expect(contract().check(anExchange(more))).toContain(reported);
  });

  it('is reported without its values', () => {
    const found = contract().check(anExchange({ body: { ...tenant, name: { pan: '4242424242424242' } } }));
    expect(found).toBe('GET /tenants/self 200: /name type');
  });

  it('is counted', () => {
    const check = contract();
    check.check(anExchange());
    check.check(anExchange({ status: 201 }));
    check.check(anExchange({ method: 'OPTIONS', status: 500 }));
    expect(check.counts).toEqual({ checked: 2, violations: 1 });
  });
});
