import type { Kind } from '../src/frame/kinds/kind.ts';
import type { FieldBrand, FixedOptions } from '../src/protocol.ts';

/** Late in a month, when the local date of a machine may be in the next one. */
const NOW = new Date(2030, 5, 15).getTime();

export interface AroundText {
  readonly brand?: FieldBrand | null;
  readonly brands?: readonly FieldBrand[];
  readonly fixed?: FixedOptions;
  readonly isLeft?: boolean;
  readonly now?: number;
}

/** Makes a field of a kind without a browser, in June 2030. */
export function aKind(
  kind: Kind,
  { brand = null, brands, fixed = {}, isLeft = false, now = NOW }: AroundText = {},
) {
  const around = { brand, brands, fixed, isLeft, now };
  const format = (text: string) => kind.format(text, around);
  return {
    format,
    check: (text: string) => kind.check(text, around),
    /** The text after each character, as the input formats it while a person types. */
    typed(text: string): readonly string[] {
      const texts: string[] = [];
      for (const character of text) texts.push(format((texts.at(-1) ?? '') + character));
      return texts;
    },
    /** Whether the field may be sent, in one word. */
    verdict(text: string): 'ready' | 'incomplete' | 'wrong' {
      const { complete, valid } = kind.check(format(text), around);
      if (!valid) return 'wrong';
      return complete ? 'ready' : 'incomplete';
    },
    valueOf: (text: string, part?: 'month' | 'year') => kind.valueOf(format(text), part),
  };
}
