import { readTransformHeader } from '../../src/http/read-transform-header.ts';
import { reservedHeaders } from '../../src/http/reserved-headers.ts';

const reading =
  (prefixes: readonly string[], takesTransform = true) =>
  (headers: Readonly<Record<string, string>>) =>
    readTransformHeader({ takesTransform }, { headers, reserved: reservedHeaders(headers, prefixes) });

describe('the header of a view', () => {
  it.each([
    [{}, undefined],
    [{ 'svc-transform': 'mask' }, 'mask'],
    [{ 'acme-transform': 'redact' }, 'redact'],
    [{ 'x-transformed': 'redact', 'content-transform-encoding': 'x' }, undefined],
  ])('%j is %s', (headers, transform) => {
    expect(reading(['SVC', 'ACME'])(headers)).toBe(transform);
  });

  it.each([
    { 'svc-transform': 'reveal' },
    { 'svc-transform': '' },
    { 'svc-transform': 'mask,redact' },
    { 'svc-transform': 'mask', 'acme-transform': 'redact' },
    { 'svc-transform': 'redact', 'acme-transform': 'reveal' },
    { 'x-transform': 'redact' },
    { svc_transform: 'redact' },
    { transform: 'redact' },
  ])('%j is refused: its sender expects to see less', (headers) => {
    expect(() => reading(['SVC', 'ACME'])(headers)).toThrow(
      expect.objectContaining({ errors: { 'SVC-TRANSFORM': [expect.any(String)] } }),
    );
  });

  it('is refused by operations that show no stored tokens, which ignore other headers', () => {
    const read = reading(['SVC'], false);
    expect(() => read({ 'svc-transform': 'mask' })).toThrow(
      expect.objectContaining({ code: 'validation_failed' }),
    );
    expect(read({ 'x-transform': 'mask' })).toBeUndefined();
  });
});
