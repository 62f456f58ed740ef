import { FieldReporter } from '../../src/core/shared/field-reporter.ts';
import { presentTransform, transforms, transformsOf } from '../../src/wire/proxy-transform.ts';
import type { Transform } from '../../src/core/stored-proxies/stored-proxy.ts';

/** A transform of each type as the wire has it, with all members of the type. */
const EACH = {
  append_header: { name: 'X', value: 'v' },
  append_json: { location: '$.a', value: [1] },
  remove_header: { name: 'X' },
  allow_headers: { names: ['X'] },
  tokenize: { location: '$.a', token: { type: 'token' }, optional: true },
  mask: { replacement: '#', matcher: 'regex', expression: 'a', required: true },
  reactor: { reactor_id: 'r', code_hash: 'h', as: 'text' },
  verify_signature: {
    scheme: 'hmac',
    configuration: 'K',
    header: 'X',
    algorithm: 'sha256',
    encoding: 'hex',
    key_encoding: 'utf8',
    prefix: 'v=',
    signed: '{body}',
    timestamp: { header: 'T', tolerance_seconds: 9 },
    delivery: 'body',
  },
} as const satisfies Readonly<Record<Transform['type'], object>>;

const CASES = Object.entries(EACH) as [keyof typeof EACH, object][];
const sideOf = (type: string) => (type === 'mask' ? 'response' : 'request');

function read(sent: object, side: 'request' | 'response', compatibility: 'strict' | 'lenient' = 'strict') {
  const fields = new FieldReporter();
  const body = { [`${side}_transforms`]: transforms.parse([sent]) };
  const { requestTransforms = [], responseTransforms = [] } = transformsOf(body, { compatibility, fields });
  const [transform] = [...requestTransforms, ...responseTransforms];
  return { transform, errors: fields.failed ? (fields.error().errors ?? {}) : {} };
}

describe.each(CASES)('a transform of the type %s', (type, members) => {
  it('is presented as it was sent, in either place of its members', () => {
    const nested = { type, options: members };
    for (const [sent, mode] of [
      [{ type, ...members }, 'strict'],
      [nested, 'lenient'],
    ] as const) {
      const { transform, errors } = read(sent, sideOf(type), mode);
      expect(errors).toEqual({});
      expect(presentTransform(transform as Transform)).toEqual({ type, ...members });
    }
    expect(Object.keys(read(nested, sideOf(type)).errors)).toEqual([`${sideOf(type)}_transforms[0].options`]);
  });

  it('has no member of another type, in either mode', () => {
    // A mask has a matcher or a location.
    const own = new Set([...Object.keys(members), ...(type === 'mask' ? ['location'] : [])]);
    for (const [other, theirs] of CASES)
      for (const [name, value] of Object.entries(theirs)) {
        if (own.has(name)) continue;
        for (const mode of ['strict', 'lenient'] as const) {
          const { errors } = read({ type, ...members, [name]: value }, sideOf(type), mode);
          expect([other, name, Object.keys(errors)]).toEqual([
            other,
            name,
            [`${sideOf(type)}_transforms[0].${name}`],
          ]);
        }
      }
  });

  it('has no scheme that there is not, whatever else it has', () => {
    const { errors } = read({ type, ...members, scheme: 'none', names: ['a'] }, sideOf(type));
    expect(Object.keys(errors)).toContain(`${sideOf(type)}_transforms[0].scheme`);
  });

  it('is of requests and of answers, or of its own side', () => {
    const wrong = sideOf(type) === 'request' ? 'response' : 'request';
    const { errors } = read({ type, ...members }, wrong);
    const isOfOneSide = type === 'mask' || type === 'verify_signature';
    expect(Object.keys(errors)).toEqual(isOfOneSide ? [`${wrong}_transforms[0].type`] : []);
  });
});

it.each(['statuses', 'otherwise'])('the member %s is for answers alone', (name) => {
  const sent = { type: 'tokenize', ...EACH.tokenize, statuses: '2xx', otherwise: 'pass' };
  expect(read(sent, 'response').errors).toEqual({});
  expect(read(sent, 'request').errors).toHaveProperty(
    [`request_transforms[0].${name}`],
    ['is for response_transforms alone'],
  );
});
