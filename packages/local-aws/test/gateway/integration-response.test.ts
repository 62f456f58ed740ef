import { integrationResponse } from '../../src/gateway/integration-response.ts';

it('status, headers, cookies and body are those of the function', () => {
  const result = {
    statusCode: 201,
    headers: {
      'Content-Type': 'application/json',
      'X-Number': 5,
      'X-Flag': true,
      'X-None': null,
      Connection: 'close',
    },
    multiValueHeaders: { ignored: ['x'] },
    cookies: ['a=1', 'b=2'],
    body: '{"é":1}',
  };
  expect(integrationResponse(JSON.stringify(result))).toEqual({
    status: 201,
    headers: { 'content-type': 'application/json', 'x-number': '5', 'x-flag': 'true' },
    cookies: ['a=1', 'b=2'],
    body: Buffer.from('{"é":1}'),
  });
});

it('a body in base64 is decoded', () => {
  const response = integrationResponse('{"statusCode":200,"body":"AAH/","isBase64Encoded":true}');
  expect(response?.body).toEqual(Buffer.from([0, 1, 255]));
});

it('a body without a type is plain text, and a missing body has no type', () => {
  expect(integrationResponse('{"statusCode":"200","body":"x"}')).toMatchObject({
    status: 200,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
  });
  expect(integrationResponse('{"statusCode":204}')?.headers).toEqual({});
});

it.each([
  ['{"id":1}', '{"id":1}'],
  ['"hello"', 'hello'],
  ['null', 'null'],
  ['[1]', '[1]'],
])('a result without a statusCode, %s, is the body of a 200 response', (payload, body) => {
  expect(integrationResponse(payload)).toEqual({
    status: 200,
    headers: { 'content-type': 'application/json' },
    cookies: [],
    body: Buffer.from(body),
  });
});

it.each([
  '{"statusCode":"abc"}',
  '{"statusCode":99}',
  '{"statusCode":200,"body":{}}',
  '{"statusCode":200,"headers":{"a":[]}}',
])('%s is not an HTTP response', (payload) => {
  expect(integrationResponse(payload)).toBeUndefined();
});
