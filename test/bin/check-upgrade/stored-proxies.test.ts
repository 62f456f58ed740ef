import {
  describeProxyFinding,
  findingsOf,
  listedProxies,
  proxyPage,
} from '../../../bin/check-upgrade/stored-proxies.ts';

const aProxy = (more: object = {}) => {
  const page = { pagination: { after: null }, data: [{ id: 'p1', name: 'charges', ...more }] };
  const [proxy] = proxyPage.parse(page).data;
  if (proxy === undefined) throw new Error('the page has no proxy');
  return proxy;
};
const kinds = (more: object) => findingsOf(aProxy(more)).map(({ kind }) => kind);

describe('the check of an upgrade', () => {
  it('has nothing to say of a proxy that only sets headers', () => {
    expect(findingsOf(aProxy({ request_transforms: [{ type: 'append_header' }] }))).toEqual([]);
  });

  it('names the transforms by which a proxy hides, and so loses headers', () => {
    const response_transforms = [{ type: 'append_header' }, { type: 'mask', location: '$.a' }];
    const [first] = findingsOf(aProxy({ response_transforms }));
    expect(first).toMatchObject({ kind: 'headers_lost', id: 'p1', name: 'charges' });
    expect(first?.what).toContain('response_transforms[1] (mask) hides');
    expect(first?.what).toContain('Accept');
    expect(first?.remedy).toContain('pass_headers');
  });

  it('says nothing of headers once their writer has decided', () => {
    const response_transforms = [{ type: 'tokenize', statuses: '2xx' }];
    expect(kinds({ response_transforms, pass_headers: [] })).toEqual([]);
  });

  it('names transforms of answers whose failures have another status', () => {
    const response_transforms = [{ type: 'remove_header' }, { type: 'mask' }, { type: 'tokenize' }];
    const found = findingsOf(aProxy({ response_transforms, pass_headers: [] }));
    expect(found).toMatchObject([{ kind: 'answers_changed' }]);
    expect(found[0]?.what).toContain('that response_transforms[1] (mask), response_transforms[2] (tokenize)');
    expect(found[0]?.what).toContain('response_transforms[2] (tokenize) runs for 2xx alone');
  });

  it('names a mask whose regular expression is refused', () => {
    const mask = (expression: string) => ({ type: 'mask', statuses: 'any', matcher: 'regex', expression });
    const response_transforms = [mask('a{3}'), mask('(?i)[B-\\x{1E942}]'.repeat(6))];
    const [refused, ...others] = findingsOf(aProxy({ response_transforms, pass_headers: [] }));
    expect(refused).toMatchObject({ kind: 'refused' });
    expect(refused?.what).toContain('response_transforms[1] has too many');
    expect(others).toEqual([]);
  });

  it('names an expression whose filter has not the arguments that it takes', () => {
    const append = (value: unknown) => ({ type: 'append_json', location: '$.a', value });
    const request_transforms = [
      append({ a: ["x {{ 4b1f-2 | json: '$.number' | last4 }}"], b: 7 }),
      append({ a: ['{{ configuration.KEY | remove }}'] }),
    ];
    const refused = findingsOf(aProxy({ request_transforms })).filter(({ kind }) => kind === 'refused');
    expect(refused.map(({ what }) => what)).toEqual([
      'an expression of request_transforms[1] has the filter `remove` without a required argument: every call that reaches it fails.',
    ]);
  });

  it('names requests whose signature does not reach the destination', () => {
    const request_transforms = [{ type: 'verify_signature' }, { type: 'tokenize' }];
    const [first] = findingsOf(aProxy({ request_transforms }));
    expect(first?.what).toContain('request_transforms[1] (tokenize) changes the body');
    expect(first?.what).toContain('verify_signature');
  });

  it('names a proxy with a configuration, whose requests may not be compressed', () => {
    expect(kinds({ configuration_names: ['API_KEY'] })).toEqual(['calls_refused']);
  });

  it('prints a name without characters that change a terminal', () => {
    const [found] = findingsOf(aProxy({ name: 'a\u001b[2J\u202e"b', configuration_names: ['A'] }));
    if (found === undefined) throw new Error('nothing was found');
    expect(describeProxyFinding(found)).toContain('proxy p1 "a\\u001b[2J\\"b": unless');
  });

  it('reads every page of the list', async () => {
    const paths: string[] = [];
    const pages = [
      { pagination: { after: 'x=' }, data: [aProxy()] },
      { pagination: { after: null }, data: [aProxy({ id: 'p2' })] },
    ];
    const found = await listedProxies((path) => {
      paths.push(path);
      return Promise.resolve(pages[paths.length - 1]);
    });
    expect(found.map(({ id }) => id)).toEqual(['p1', 'p2']);
    expect(paths).toEqual(['/proxies?size=100', '/proxies?size=100&after=x%3D']);
  });
});
