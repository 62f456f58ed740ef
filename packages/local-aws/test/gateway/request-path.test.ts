import { requestPath } from '../../src/gateway/request-path.ts';

// Observed on AWS, see requestPath.
it.each([
  ['/capture/plain', '/capture/plain'],
  ['/capture/space%20value', '/capture/space value'],
  ['/capture/question%3Fvalue', '/capture/question'],
  ['/capture/percent%25done', undefined],
  ['/capture/hash%23value', '/capture/hash#value'],
  ['/capture/slash%2Fvalue', '/capture/slash/value'],
  ['/capture/unicode-%CE%BB-%E4%B8%96%E7%95%8C', '/capture/unicode-λ-世界'],
  ['/capture/literal%252Fvalue', '/capture/literal/value'],
  ['/capture/literal%253Fvalue', '/capture/literal?value'],
  ['/capture/literal%2525value', '/capture/literal%value'],
])('%s arrives as %s', (sent, arrives) => {
  expect(requestPath(sent)?.raw).toBe(arrives);
});

it('a slash that is encoded twice is part of a segment when the route is chosen', () => {
  expect(requestPath('/tokens/a%252Fb')?.segments).toEqual(['tokens', 'a%2Fb']);
});

it('a trailing slash is preserved', () => {
  expect(requestPath('/tokens/')).toEqual({ raw: '/tokens/', segments: ['tokens', ''] });
});
