/** Asks whether the code loads. Its top level runs, as at every cold start, and no handler. */
export interface ProbeEvent {
  readonly codeSha256: string;
  /**
   * Locally: the ports of the service and of the deployer's allow list. Code can reach no other
   * local port.
   */
  readonly localPorts: readonly number[];
}

/** The part of an invocation that the loop needs; the worker parses the request. */
export interface InvocationEvent extends ProbeEvent {
  readonly timeoutMs: number;
  /** The unchanged payload, for the worker. */
  readonly payload: string;
}

export type ReactorEvent = ProbeEvent | InvocationEvent;

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

function servicePortOf(client: unknown): readonly number[] {
  if (typeof client !== 'object' || client === null || !('base_url' in client)) return [];
  const { hostname, port, protocol } = new URL(String(client.base_url));
  if (!LOOPBACK.test(hostname)) return [];
  return [port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)];
}

function admittedPorts(ports: unknown): readonly number[] {
  return Array.isArray(ports) ? ports.filter((port): port is number => typeof port === 'number') : [];
}

/** `undefined` for a payload that the service does not send. */
export function readEvent(payload: string): ReactorEvent | undefined {
  let event: unknown;
  try {
    event = JSON.parse(payload);
  } catch {
    return undefined;
  }
  if (typeof event !== 'object' || event === null) return undefined;
  const {
    version,
    code_sha256: codeSha256,
    timeout_ms: timeoutMs,
    client,
    local_ports: ports,
    probe,
  } = event as Record<string, unknown>;
  if (version !== 1 || typeof codeSha256 !== 'string') return undefined;
  if (probe === true) return { codeSha256, localPorts: admittedPorts(ports) };
  if (typeof timeoutMs !== 'number' || !(timeoutMs > 0)) return undefined;
  return {
    codeSha256,
    timeoutMs,
    localPorts: [...servicePortOf(client), ...admittedPorts(ports)],
    payload,
  };
}
