/**
 * A UUID version 7 (RFC 9562, section 5.7) from a time in ms since the epoch and the random bits of
 * another UUID. Such ids sort by creation. The random bits alone already make it unique.
 */
export function orderedId(at: number, random: string): string {
  const time = at.toString(16).padStart(12, '0');
  const rest = random.replaceAll('-', '').slice(13);
  return `${time.slice(0, 8)}-${time.slice(8, 12)}-7${rest.slice(0, 3)}-${rest.slice(3, 7)}-${rest.slice(7, 19)}`;
}
