import type { FieldBrand } from '../protocol.ts';

/*
 * The frame of a number alone loads this file, and later than its program. It imports nothing, so
 * that the program is one file.
 */

/** A mark of a network, drawn in a box of 38 by 24: shapes, then the text in it. */
interface Mark {
  readonly ground: string;
  readonly ink?: string;
  readonly text?: string;
  readonly circles?: readonly (readonly [x: number, color: string])[];
}

const MARKS: Readonly<Record<FieldBrand, Mark>> = {
  visa: { ground: '#1a1f71', text: 'VISA' },
  mastercard: {
    ground: '#252525',
    circles: [
      [15, '#eb001b'],
      [23, '#f79e1b'],
    ],
  },
  'american-express': { ground: '#006fcf', text: 'AMEX' },
  discover: { ground: '#fff', ink: '#231f20', text: 'DISC', circles: [[33, '#f47216']] },
  'diners-club': { ground: '#0079be', text: 'DC' },
  jcb: { ground: '#0b4ea2', text: 'JCB' },
  unionpay: { ground: '#00447c', text: 'UP' },
  maestro: {
    ground: '#252525',
    circles: [
      [15, '#0099df'],
      [23, '#ed0006'],
    ],
  },
  elo: { ground: '#231f20', text: 'elo' },
  mir: { ground: '#0f754e', text: 'MIR' },
  rupay: { ground: '#097a44', text: 'RuPay' },
  hipercard: { ground: '#b3131b', text: 'Hiper' },
  hiper: { ground: '#f37421', text: 'hiper' },
  troy: { ground: '#00a9b5', text: 'troy' },
  naranja: { ground: '#fe5000', text: 'N' },
  verve: { ground: '#00425f', text: 'verve' },
};

const SVG = 'http://www.w3.org/2000/svg';
/** Texts of more letters are smaller. */
const SHORT_TEXT = 4;
const LARGE = '10';
const SMALL = '8.5';

function shape(name: string, attributes: Readonly<Record<string, string>>): SVGElement {
  const element = document.createElementNS(SVG, name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
  return element;
}

function drawn({ ground, ink = '#fff', text, circles = [] }: Mark): readonly SVGElement[] {
  const box = shape('rect', {
    x: '.5',
    y: '.5',
    width: '37',
    height: '23',
    rx: '3.5',
    fill: ground,
    stroke: '#8884',
  });
  const dots = circles.map(([x, fill]) =>
    shape('circle', {
      cx: String(x),
      cy: '12',
      r: text === undefined ? '7' : '3',
      fill,
      'fill-opacity': '.9',
    }),
  );
  if (text === undefined) return [box, ...dots];
  const letters = shape('text', {
    x: circles.length > 0 ? '16' : '19',
    y: '15.5',
    fill: ink,
    'font-size': text.length > SHORT_TEXT ? SMALL : LARGE,
    'font-family': 'Arial, sans-serif',
    'font-weight': '700',
    'text-anchor': 'middle',
  });
  letters.textContent = text;
  return [box, letters, ...dots];
}

/** An image beside the input, which shows the brand of the number. */
export function createBrandIcon(nameOf: (brand: FieldBrand) => string): (brand: FieldBrand | null) => void {
  const icon = shape('svg', { id: 'icon', viewBox: '0 0 38 24', width: '38', height: '24' });
  document.getElementById('field')?.append(icon);
  let shown: FieldBrand | null | undefined;
  return (brand) => {
    if (brand === shown) return;
    shown = brand;
    icon.toggleAttribute('hidden', brand === null);
    if (brand === null) {
      icon.setAttribute('aria-hidden', 'true');
      icon.replaceChildren();
      return;
    }
    icon.removeAttribute('aria-hidden');
    icon.setAttribute('role', 'img');
    icon.setAttribute('aria-label', nameOf(brand));
    icon.replaceChildren(...drawn(MARKS[brand]));
  };
}
