import { bundleOf, FUNCTIONS, referenceBundle } from '../../../tools/bench/cold-start/bundles.ts';

/**
 * What a bundle may hold beside the SDK clients that it uses, in KB: an instance reads all of it
 * before its first answer. A test that fails here says that something was imported;
 * `npm run bench -- cold-start` tells what it costs. If it is worth it, raise the limit by as much,
 * and when something goes, lower it.
 */
const LIMITS_KB = {
  tokens: 510,
  applications: 217,
  proxy: 486,
  // With the parser of reactor code, which is evaluated when code is first stored.
  reactors: 738,
  'reactor-worker': 528,
  'webhook-sender': 202,
  sweeper: 177,
  // It derives what tokens are found by anew when a root is replaced, and so evaluates expressions;
  // and it writes to the log what does not open.
  operator: 445,
} as const satisfies Readonly<Record<(typeof FUNCTIONS)[number], number>>;

const references = new Map<string, number>();

/** Bytes of a bundle of just these clients. */
function referenceBytes(clients: readonly string[]): number {
  const id = clients.join();
  const bytes = references.get(id) ?? referenceBundle(clients, { asOurs: true }).bytes;
  references.set(id, bytes);
  return bytes;
}

it.each(FUNCTIONS)('the bundle of %s holds little beside the SDK clients that it uses', (name) => {
  const { bytes, clients } = bundleOf(name);
  const beside = Math.ceil((bytes - referenceBytes(clients)) / 1024);
  expect(beside).toBeLessThanOrEqual(LIMITS_KB[name]);
});
