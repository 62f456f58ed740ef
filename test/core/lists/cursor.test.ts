import { createSecretKey, randomBytes } from 'node:crypto';
import { decodeCursor, encodeCursor, type CursorScope } from '../../../src/core/lists/cursor.ts';
import { fc } from '../../../packages/test-kit/src/properties.ts';

const key = createSecretKey(randomBytes(32));
const scope: CursorScope = { list: 'tokens', applicationId: 'app-1', filters: 'type=card' };
const refused = expect.objectContaining({
  code: 'validation_failed',
  errors: { after: ['is not a cursor of this list'] },
});

describe('a cursor', () => {
  it('decodes to its position', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (position) => {
        expect(decodeCursor([key], scope, encodeCursor(key, scope, position))).toBe(position);
      }),
    );
  });

  it('is valid only for its own tenant, list, application and filters', () => {
    const cursor = encodeCursor(key, scope, '0mabc');
    for (const other of [
      { ...scope, list: 'applications' },
      { ...scope, applicationId: 'app-2' },
      { ...scope, filters: '' },
      { list: 'tokens', applicationId: 'app-1type=card', filters: '' },
    ])
      expect(() => decodeCursor([key], other, cursor)).toThrow(refused);
    expect(() => decodeCursor([createSecretKey(randomBytes(32))], scope, cursor)).toThrow(refused);
  });

  it('is rejected after any change of a character', () => {
    const cursor = encodeCursor(key, scope, '0mabc123');
    for (let at = 0; at < cursor.length; at += 1) {
      for (const other of ['A', 'b', '9', '-', '_', '=', '+', '/', ' ', 'é', '']) {
        if (cursor[at] === other) continue;
        const changed = cursor.slice(0, at) + other + cursor.slice(at + 1);
        expect(() => decodeCursor([key], scope, changed)).toThrow(refused);
      }
    }
  });

  it('has one spelling', () => {
    for (let length = 0; length < 4; length += 1) {
      const cursor = encodeCursor(key, scope, 'x'.repeat(length));
      for (const other of [`${cursor}=`, `${cursor}==`, ` ${cursor}`, `${cursor}\n`, `${cursor}A`])
        expect(() => decodeCursor([key], scope, other)).toThrow(refused);
    }
  });

  it('is rejected if it is any other text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => expect(() => decodeCursor([key], scope, text)).toThrow(refused)),
    );
    for (const text of ['', '0', 'A'.repeat(21), 'A'.repeat(22), 'A'.repeat(100_000)])
      expect(() => decodeCursor([key], scope, text)).toThrow(refused);
  });
});
