import { covers, parseContainer } from '../../../src/core/shared/container.ts';
import { fc } from '../../../packages/test-kit/src/properties.ts';

describe('a container', () => {
  it.each([
    ['/', '/'],
    ['/pci/', '/pci/'],
    ['/PCI/High_1/', '/pci/high_1/'],
    ['/a/b/c/d/e/f/g/h/', '/a/b/c/d/e/f/g/h/'],
  ])('%s is stored as %s', (text, stored) => {
    expect(parseContainer(text)).toBe(stored);
  });

  it.each([
    '',
    'pci',
    '/pci',
    'pci/',
    '//',
    '/pci//high/',
    '/p ci/',
    '/pci/ ',
    '/pci/\n',
    '/é/',
    '/\u212A/',
    '/\u0130/',
    '/a.b/',
    '/../',
    '/%2f/',
    '/*/',
    '/a/b/c/d/e/f/g/h/i/',
    `/${'a/'.repeat(100_000)}`,
  ])('rejects text %#', (text) => {
    expect(parseContainer(text)).toBeUndefined();
  });

  it('covers itself and its subtree, but not a container that only starts alike', () => {
    expect(covers('/pci/', '/pci/high/')).toBe(true);
    expect(covers('/pci/', '/pci/')).toBe(true);
    expect(covers('/', '/pci/')).toBe(true);
    expect(covers('/pci/', '/pcix/')).toBe(false);
    expect(covers('/pci/high/', '/pci/')).toBe(false);
    const path = fc.array(fc.constantFrom('a', 'ab', 'b'), { maxLength: 4 });
    fc.assert(
      fc.property(path, path, (outer, inner) => {
        const text = (parts: string[]) => `/${parts.map((part) => `${part}/`).join('')}`;
        expect(covers(text(outer), text(inner))).toBe(outer.every((part, index) => inner[index] === part));
      }),
    );
  });
});
