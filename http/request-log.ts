/** What one request leaves in the log: ids, route, status, time. Never a header, a body, a path with an id in it, or an event. */
export interface RequestLogLine {
  readonly level: 'info' | 'error';
  readonly traceId: string;
  readonly operation: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly tenantId?: string;
  readonly applicationId?: string;
  /** Why an unexpected failure failed: the error's name and where it was thrown, never its message, which may quote a value. */
  readonly cause?: readonly string[];
}

/** Where log lines go. */
export type RequestLog = (line: RequestLogLine) => void;

/** One JSON line a request on standard output, which Lambda hands to CloudWatch Logs. */
export const consoleLog: RequestLog = (line) => writeLog(line);

/** One JSON line of any kind. What is in it is the caller's duty: ids, names, counts. */
export function writeLog(line: object): void {
  console.log(JSON.stringify(line));
}

const FRAMES = 6;
/** Errors of AWS whose message names an action and a resource and nothing else: without it a missing grant cannot be found. */
const SAFE_MESSAGES = new Set(['AccessDeniedException', 'ResourceNotFoundException']);

/** The lines of the stack below the message, which may have lines that look like frames. No frames if the message was changed since. */
function framesOf({ stack = '', message }: Error): readonly string[] {
  const start = stack.indexOf(message);
  if (start === -1) return [];
  return stack
    .slice(start + message.length)
    .split('\n')
    .filter((line) => line.startsWith('    at '));
}

function describe(error: Error): string {
  const status = (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
  const frames = framesOf(error).slice(0, FRAMES);
  const message = SAFE_MESSAGES.has(error.name) ? [error.message] : [];
  return [
    error.name,
    ...message,
    ...(status === undefined ? [] : [`HTTP ${String(status)}`]),
    ...frames.map((frame) => frame.trim()),
  ].join(' | ');
}

/** The chain of an error and its causes, without messages: a message of a library may hold what it was given. */
export function causesOf(error: unknown): readonly string[] {
  const causes: string[] = [];
  for (let current = error; current instanceof Error && causes.length < 4; current = current.cause)
    causes.push(describe(current));
  return causes;
}
