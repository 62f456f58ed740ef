import { serviceActions } from './service-actions.ts';

/**
 * The kinds of faults, by service. `probability` faults have a value from 0 to 1, `ms` faults a
 * time.
 */
const kinds = {
  dynamodb: {
    throttle: 'probability',
    error: 'probability',
    latency: 'ms',
    'lost-answer': 'probability',
    down: 'probability',
    conflict: 'probability',
    partial: 'probability',
  },
  kms: {
    throttle: 'probability',
    error: 'probability',
    latency: 'ms',
    'lost-answer': 'probability',
    down: 'probability',
  },
  lambda: {
    throttle: 'probability',
    busy: 'probability',
    error: 'probability',
    latency: 'ms',
    'lost-answer': 'probability',
    down: 'probability',
  },
  sqs: {
    throttle: 'probability',
    error: 'probability',
    latency: 'ms',
    'lost-answer': 'probability',
    down: 'probability',
    duplicate: 'probability',
    delay: 'ms',
  },
  function: { kill: 'probability' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, 'probability' | 'ms'>>>>;

export type FaultService = keyof typeof kinds;
export type FaultKind = { [Service in FaultService]: keyof (typeof kinds)[Service] }[FaultService];

/** One fault of the local account: `service[/only]:kind:value`. */
export interface Fault {
  readonly service: FaultService;
  /** The action it is restricted to (`PutItem`); for a function, a part of its name. */
  readonly only?: string;
  readonly kind: FaultKind;
  /** Is a probability, or milliseconds. */
  readonly value: number;
}

/** An invalid fault. The message is one line that quotes it. */
export class FaultError extends Error {
  override readonly name = 'FaultError';
}

const LONGEST_MS = 60_000;

function parseService(text: string, name: string): FaultService {
  const found = Object.keys(kinds).find((service): service is FaultService => service === name);
  if (found === undefined)
    throw new FaultError(`${text}: there is no service ${name} (${Object.keys(kinds).join(', ')})`);
  return found;
}

function parseOnly(text: string, service: FaultService, only: string): string {
  if (only === '') throw new FaultError(`${text}: there is nothing after /`);
  const actions = service === 'function' ? undefined : serviceActions[service];
  if (actions !== undefined && !actions.includes(only))
    throw new FaultError(`${text}: ${service} has no action ${only} (${actions.join(', ')})`);
  return only;
}

function parseValue(text: string, unit: 'probability' | 'ms', raw: string): number {
  const value = raw.trim() === '' ? Number.NaN : Number(raw);
  if (unit === 'probability' && !(value >= 0 && value <= 1))
    throw new FaultError(`${text}: the value must be a probability from 0 to 1, not ${raw}`);
  if (unit === 'ms' && !(value >= 0 && value <= LONGEST_MS))
    throw new FaultError(`${text}: the value must be 0 to ${String(LONGEST_MS)} ms, not ${raw}`);
  return value;
}

/** Reads `dynamodb:throttle:0.3` or `dynamodb/PutItem:throttle:0.3`. Throws {@link FaultError}. */
export function parseFault(text: string): Fault {
  const [target = '', kind = '', raw, ...rest] = text.split(':');
  if (raw === undefined || rest.length > 0)
    throw new FaultError(`${text}: a fault is SERVICE:KIND:VALUE or SERVICE/ACTION:KIND:VALUE`);
  const [name = '', ...only] = target.split('/');
  const service = parseService(text, name);
  const units: Readonly<Record<string, 'probability' | 'ms'>> = kinds[service];
  const unit = Object.hasOwn(units, kind) ? units[kind] : undefined;
  if (unit === undefined)
    throw new FaultError(`${text}: ${service} has no fault ${kind} (${Object.keys(units).join(', ')})`);
  return {
    service,
    ...(only.length > 0 && { only: parseOnly(text, service, only.join('/')) }),
    kind: kind as FaultKind,
    value: parseValue(text, unit, raw),
  };
}

/** Returns the notation that describes the fault. */
export function faultText({ service, only, kind, value }: Fault): string {
  return `${service}${only === undefined ? '' : `/${only}`}:${kind}:${String(value)}`;
}
