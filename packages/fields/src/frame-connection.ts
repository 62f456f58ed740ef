import { newId } from './new-id.ts';
import {
  HELLO,
  PROTOCOL,
  type Command,
  type Failure,
  type FieldKind,
  type FixedOptions,
  type FrameOptions,
  type Hello,
  type Report,
  type Submission,
} from './protocol.ts';
import { hasStyleSheets, UNSUPPORTED } from './supported.ts';

/** A frame that said nothing for so long does not work. */
const LOAD_MS = 10_000;
/** How often a frame that is waited for is looked at: its removal has no event. */
const LOOK_MS = 200;
/** All attempts of a request together take less. */
const LONGEST_MS = 180_000;

/** A frame in the page, which lives from its start to its removal. */
export interface FrameConnection {
  send(command: Command): void;
  /** Never rejects: a frame that is removed meanwhile is a failure, too. */
  submit(submission: Submission, signal: AbortSignal | undefined): Promise<Outcome>;
  readonly iframe: HTMLIFrameElement;
  remove(): void;
}

export interface FrameSettings {
  /** Such as `https://fields.example.com`. */
  readonly fieldsUrl: string;
  readonly baseUrl: string | undefined;
  readonly fieldId: string;
  readonly groupId: string;
  readonly kind: FieldKind;
  readonly fixed: FixedOptions;
  readonly loadTimeoutMs: number | undefined;
  readonly options: () => FrameOptions;
  readonly onReport: (report: Report) => void;
}

export type Outcome = { readonly result: unknown } | { readonly failure: Failure };

/** The requests that wait for the frame. */
function createWaiting() {
  const waiting = new Map<string, (outcome: Outcome) => void>();
  return {
    add: (requestId: string, settle: (outcome: Outcome) => void) => void waiting.set(requestId, settle),
    settle(requestId: string, outcome: Outcome): void {
      waiting.get(requestId)?.(outcome);
      waiting.delete(requestId);
    },
    failAll(failure: Failure): void {
      for (const settle of waiting.values()) settle({ failure });
      waiting.clear();
    },
  };
}

const UNMOUNTED: Failure = {
  code: 'unmounted',
  message: 'The field was removed from the page. The outcome of a request that ran is not known.',
};

const ABORTED: Failure = { code: 'aborted', message: 'The request was aborted before it was sent.' };
const LATE: Failure = {
  code: 'unavailable',
  message: 'The field does not answer. Try the same request again.',
};

function unavailable(fieldsUrl: string): Failure {
  return {
    code: 'frame_unavailable',
    message: `No field came from ${fieldsUrl}: is it reachable, does the policy of this page allow it as frame-src, and does the setting fieldsOrigins name ${location.origin}?`,
  };
}

function createFrame(fieldsUrl: string): HTMLIFrameElement {
  const iframe = document.createElement('iframe');
  // An address that is set later would be an entry of the history.
  iframe.src = `${fieldsUrl}/${PROTOCOL}/frame.html`;
  iframe.referrerPolicy = 'no-referrer';
  const look = { border: '0', display: 'block', width: '100%', height: '100%', background: 'transparent' };
  for (const [property, value] of Object.entries({ ...look, 'min-height': '1.5em', 'color-scheme': 'light' }))
    iframe.style.setProperty(property, value, 'important');
  return iframe;
}

/** Applies what the page itself decides about a frame. */
function present(iframe: HTMLIFrameElement, { scheme, disabled }: FrameOptions): void {
  // A frame whose scheme differs from that of its page has an opaque ground.
  iframe.style.setProperty('color-scheme', scheme, 'important');
  // A frame without an input to focus is a tab stop of its own in Firefox and WebKit.
  if (disabled === true) iframe.tabIndex = -1;
  else iframe.removeAttribute('tabindex');
}

/** Whether a frame answers: from its load to its first report that is not known yet. */
function createReadiness(onLate: () => void, loadTimeoutMs = LOAD_MS) {
  let failure: Failure | undefined;
  let isKnown = false;
  let waiting: (() => void)[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  function settle(why: Failure | undefined): void {
    clearTimeout(timer);
    [failure, isKnown] = [why, true];
    for (const resume of waiting) resume();
    waiting = [];
  }

  return {
    settle,
    /** A frame loads, for the first time or again. */
    start(): void {
      clearTimeout(timer);
      isKnown = false;
      timer = setTimeout(onLate, loadTimeoutMs);
    },
    /** Resolves to why the frame does not answer; to `undefined` if it does. */
    async problem(): Promise<Failure | undefined> {
      if (!isKnown) await new Promise<void>((resolve) => waiting.push(resolve));
      return failure;
    },
  };
}

/**
 * Acts on what has no event, until the returned function is called: the removal of a frame, and its
 * own end, as a browser may end its process.
 */
function watch(iframe: HTMLIFrameElement, onRemoved: () => void, onLate: () => void): () => void {
  const looking = setInterval(() => {
    if (!iframe.isConnected) onRemoved();
  }, LOOK_MS);
  const late = setTimeout(onLate, LONGEST_MS);
  return () => {
    clearInterval(looking);
    clearTimeout(late);
  };
}

/** Puts a frame into an element. Reports `failed` for one that does not answer. */
export function openFrame(parent: Element, settings: FrameSettings): FrameConnection {
  const { fieldsUrl, fieldId, groupId, kind, baseUrl, fixed, onReport } = settings;
  const iframe = createFrame(fieldsUrl);
  const waiting = createWaiting();
  let port: MessagePort | undefined;

  /** Ends what waits for the frame. A frame that answers later works again. */
  function fail(failure: Failure): void {
    readiness.settle(failure);
    waiting.failAll(failure);
    onReport({ type: 'failed', failure });
  }
  const readiness = createReadiness(() => fail(unavailable(fieldsUrl)), settings.loadTimeoutMs);

  function onMessage({ data: report }: MessageEvent<Report>): void {
    if (report.type === 'failed') fail(report.failure);
    else {
      readiness.settle(undefined);
      if (report.type === 'result') waiting.settle(report.requestId, { result: report.result });
      else if (report.type === 'failure') waiting.settle(report.requestId, { failure: report.failure });
      else onReport(report);
    }
  }

  /** A frame that was moved in the page loads again, and is empty. */
  function onLoad(): void {
    waiting.failAll(UNMOUNTED);
    onReport({ type: 'blur' });
    readiness.start();
    port?.close();
    const channel = new MessageChannel();
    port = channel.port1;
    port.onmessage = onMessage;
    const options = settings.options();
    present(iframe, options);
    const hello: Hello = { cloakroom: HELLO, fieldId, groupId, kind, baseUrl, fixed, options };
    iframe.contentWindow?.postMessage(hello, fieldsUrl, [channel.port2]);
  }

  function send(command: Command): void {
    if (command.type === 'update') present(iframe, command.options);
    port?.postMessage(command);
  }

  function remove(): void {
    readiness.settle(UNMOUNTED);
    port?.close();
    iframe.remove();
    waiting.failAll(UNMOUNTED);
  }

  async function submit(submission: Submission, signal: AbortSignal | undefined): Promise<Outcome> {
    const isAborted = () => signal?.aborted === true;
    if (isAborted()) return { failure: ABORTED };
    const problem = await readiness.problem();
    if (problem !== undefined) return { failure: problem };
    if (isAborted()) return { failure: ABORTED };
    const requestId = newId();
    const abort = () => send({ type: 'abort', requestId });
    const endWatch = watch(iframe, remove, () => waiting.settle(requestId, { failure: LATE }));
    signal?.addEventListener('abort', abort);
    const outcome = new Promise<Outcome>((resolve) => waiting.add(requestId, resolve));
    send({ type: 'submit', requestId, submission });
    return outcome.finally(() => {
      endWatch();
      signal?.removeEventListener('abort', abort);
    });
  }

  if (hasStyleSheets()) {
    iframe.addEventListener('load', onLoad);
    readiness.start();
    parent.append(iframe);
    // Listeners of the page may come right after the call.
  } else queueMicrotask(() => fail(UNSUPPORTED));
  return { iframe, send, submit, remove };
}
