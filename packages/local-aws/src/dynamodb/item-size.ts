import type { AttributeValue, Item } from './item.ts';

/** An item may have 400 KB. */
export const MAX_ITEM_BYTES = 400 * 1024;

function numberBytes(digits: string): number {
  const significant = digits.replace(/[-.]/g, '').replace(/^0+/, '').replace(/0+$/, '').length;
  return Math.ceil(significant / 2) + 1 + (digits.startsWith('-') ? 1 : 0);
}

function base64Bytes(value: string): number {
  return Buffer.byteLength(value, 'base64');
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

const NESTING_BYTES = 3;
const ELEMENT_BYTES = 1;

function valueBytes(value: AttributeValue): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S);
  if (value.N !== undefined) return numberBytes(value.N);
  if (value.B !== undefined) return base64Bytes(value.B);
  if (value.SS !== undefined) return sum(value.SS.map((text) => Buffer.byteLength(text)));
  if (value.NS !== undefined) return sum(value.NS.map(numberBytes));
  if (value.BS !== undefined) return sum(value.BS.map(base64Bytes));
  if (value.L !== undefined)
    return NESTING_BYTES + sum(value.L.map((element) => ELEMENT_BYTES + valueBytes(element)));
  if (value.M !== undefined)
    return NESTING_BYTES + ELEMENT_BYTES * Object.keys(value.M).length + itemBytes(value.M);
  return 1;
}

/**
 * The size of an item in bytes, for capacity and limits, by the rules of
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
export function itemBytes(item: Item): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(item)) bytes += Buffer.byteLength(name) + valueBytes(value);
  return bytes;
}
