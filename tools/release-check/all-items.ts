import type { ReleaseItem } from './item.ts';
import { ALARM_ITEMS } from './items/alarms.ts';
import { AUDIT_ITEMS } from './items/audit.ts';
import { FUNCTION_ITEMS } from './items/functions.ts';
import { EDGE_ITEMS, GATEWAY_ITEMS } from './items/gateway.ts';
import { KEY_ITEMS } from './items/keys.ts';
import { LIFE_CYCLE_ITEMS } from './items/life-cycle.ts';

/** The items have the same order as in docs/release.md. */
export const RELEASE_ITEMS: readonly ReleaseItem[] = [
  ...ALARM_ITEMS,
  ...KEY_ITEMS,
  ...FUNCTION_ITEMS,
  ...GATEWAY_ITEMS,
  ...EDGE_ITEMS,
  ...AUDIT_ITEMS,
  ...LIFE_CYCLE_ITEMS,
];
