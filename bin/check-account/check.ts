/**
 * One line of the report. A `finding` fails a deployment, or requests after it; with a `warning`
 * the service runs and lacks something.
 */
export interface Check {
  readonly id: string;
  readonly status: 'ok' | 'warning' | 'finding';
  readonly what: string;
  readonly remedy?: string;
}

export const ok = (id: string, what: string): Check => ({ id, status: 'ok', what });

export const warning = (id: string, what: string, remedy: string): Check => ({
  id,
  status: 'warning',
  what,
  remedy,
});

export const finding = (id: string, what: string, remedy: string): Check => ({
  id,
  status: 'finding',
  what,
  remedy,
});

export const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '');

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Whether IAM, or a rule of the organisation, refuses a call. */
export const isDenied = (error: unknown): boolean =>
  /^(?:AccessDenied|UnauthorizedOperation|NotAuthorized)/.test(nameOf(error));
