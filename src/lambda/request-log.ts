import { Logger, LogFormatter, LogItem } from '@aws-lambda-powertools/logger';
import type { LogAttributes, UnformattedAttributes } from '@aws-lambda-powertools/logger/types';
import { madeOnce } from '../core/shared/made-once.ts';

/**
 * The log entry of one request: ids, route, status, time. It never has a header, a body, a path
 * with an id in it, or an event.
 */
export interface RequestLogLine {
  readonly level: 'info' | 'error';
  readonly traceId: string;
  readonly operation: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly tenantId?: string;
  readonly applicationId?: string;
  /** The stored proxy that the call is for. */
  readonly proxyId?: string;
  /** The number of tokens that the response shows in plaintext. Absent for none. */
  readonly revealed?: number;
  /**
   * Why a request failed. `internal_error` and `dependency_unavailable` are faults of the service;
   * other codes are those of a reactor or a destination. Absent for the response of a destination.
   * With a status below 500 only `transform_failed` is logged, as its caller sees no reason.
   */
  readonly code?: string;
  /**
   * The cause of an unexpected failure: the error's name and where it was thrown. Its message is
   * left out because it may quote a value.
   */
  readonly cause?: readonly string[];
}

/** Receives each log line. */
export type RequestLog = (line: RequestLogLine) => void;

/** All fields that a log line may have. The logger drops every other one. */
const FIELDS = [
  'traceId',
  'operation',
  'status',
  'milliseconds',
  'tenantId',
  'applicationId',
  'invocationId',
  'reactorId',
  'proxyId',
  'revealed',
  'configurationName',
  'outcome',
  'attempt',
  'reason',
  'nextAttempt',
  'code',
  'cause',
] as const;

export type LogFields = Readonly<Partial<Record<(typeof FIELDS)[number], unknown>>>;

/** Prints a line, which it receives without a line break. */
export type Print = (line: string) => void;

/** The first line creates it, and so loads the library (tools/assets/bundle.ts). */
function createLogger(print: Print): Logger {
  class AllowedFields extends LogFormatter {
    override formatAttributes(
      { logLevel, timestamp }: UnformattedAttributes,
      logged: LogAttributes,
    ): LogItem {
      const fields = FIELDS.filter((field) => logged[field] !== undefined);
      // Lambda treats a line without a valid time as INFO (AWS Lambda Developer Guide, Log-level
      // filtering).
      const item = new LogItem({
        attributes: { level: logLevel.toLowerCase(), timestamp: timestamp.toISOString() },
      });
      return item.addAttributes(Object.fromEntries(fields.map((field) => [field, logged[field]])));
    }
  }
  class PrintedLines extends Logger {
    override printLog(_level: number, item: LogItem): void {
      item.prepareForPrint();
      print(JSON.stringify(item.getAttributes(), this.getJsonReplacer()));
    }
  }
  return new PrintedLines({ logFormatter: new AllowedFields() });
}

/**
 * Writes one line of JSON, which has ids, names and counts, from an allow-list of fields.
 */
export type WriteLog = (level: 'info' | 'warn' | 'error', fields: LogFields) => void;

/** The log that one instance writes. */
export interface Log {
  readonly write: WriteLog;
  /** Writes one line for each request. */
  readonly request: RequestLog;
  /** Logs a failure that no caller waits for. */
  readonly failure: (operation: string) => (error: unknown) => void;
  /** Logs a reactor that stays cold because the account's concurrency quota is used up. */
  readonly cold: (reactor: { readonly tenantId: string; readonly id: string }) => void;
}

export function createLog(print: Print): Log {
  const logger = madeOnce(() => createLogger(print));
  const write: WriteLog = (level, fields) => {
    logger()[level]('', { ...fields });
  };
  return {
    write,
    request({ level, ...fields }) {
      write(level, fields);
    },
    failure: (operation) => (error) => {
      write('error', { operation, cause: causesOf(error) });
    },
    cold({ tenantId, id }) {
      const cause = ["the account's quota of concurrent executions leaves no instance to keep running"];
      write('error', { operation: 'keepReactorHot', tenantId, reactorId: id, cause });
    },
  };
}

const FRAMES = 6;
/**
 * AWS errors whose message contains only an action and a resource. A missing grant could not be
 * found without it.
 */
const SAFE_MESSAGES = new Set(['AccessDeniedException', 'ResourceNotFoundException']);

/**
 * The stack frames below the message, whose lines may look like frames. There are no frames if the
 * message changed after the error was created.
 */
function framesOf({ stack = '', message }: Error): readonly string[] {
  const start = stack.indexOf(message);
  if (start === -1) return [];
  return stack
    .slice(start + message.length)
    .split('\n')
    .filter((line) => line.startsWith('    at '));
}

/** Returns the code of an error of Node.js (node:errors), such as `ECONNREFUSED`. */
function codeOf(error: Error): readonly string[] {
  const code: unknown = 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(code) ? [code] : [];
}

function describe(error: Error): string {
  const status = (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
  const frames = framesOf(error).slice(0, FRAMES);
  const message = SAFE_MESSAGES.has(error.name) ? [error.message] : [];
  return [
    error.name,
    ...codeOf(error),
    ...message,
    ...(status === undefined ? [] : [`HTTP ${String(status)}`]),
    ...frames.map((frame) => frame.trim()),
  ].join(' | ');
}

/**
 * The chain of an error and its causes. Messages are left out because a library may quote its
 * input.
 */
export function causesOf(error: unknown): readonly string[] {
  const causes: string[] = [];
  for (let current = error; current instanceof Error && causes.length < 4; current = current.cause)
    causes.push(describe(current));
  return causes;
}
