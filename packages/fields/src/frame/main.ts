import {
  FIELD_KINDS,
  HELLO,
  type Command,
  type Failure,
  type FieldsErrorCode,
  type Hello,
  type Report,
} from '../protocol.ts';
import { newId } from '../new-id.ts';
import { hasStyleSheets, UNSUPPORTED } from '../supported.ts';
import { acceptsPage, readConfig } from './config.ts';
import { createField, type Field } from './field.ts';
import { placeholdersIn } from './placement.ts';
import { createGhosts } from './ghosts.ts';
import { askFor, isFromSibling, passOn, type Question } from './siblings.ts';
import { createSubmissions } from './submission.ts';

/*
 * The program of a frame. It takes orders from one page, the one around it, by one port; and
 * questions from the other frames of its own origin in that page. docs/security.md#card-fields has
 * the invariants.
 */

const config = readConfig(document);
/** The field, once the page has said what it is. */
let current: { readonly hello: Hello; readonly field: Field } | undefined;

const isHello = (data: unknown): data is Hello =>
  typeof data === 'object' &&
  data !== null &&
  (data as Partial<Hello>).cloakroom === HELLO &&
  FIELD_KINDS.includes((data as Hello).kind);

/** Whether a message is the page's first: of a listed origin, from the window around this one. */
const isFromPage = ({ source, origin, ports }: MessageEvent): boolean =>
  source === window.parent && source !== window && acceptsPage(config, origin) && ports.length === 1;

const isQuestion = (data: unknown): data is Question =>
  typeof data === 'object' && data !== null && (data as Partial<Question>).ask !== undefined;

const contentOf = async (fieldId: string) =>
  fieldId === current?.hello.fieldId ? current.field.content() : askFor(fieldId);

/** Carries out the commands of the page. A malformed one has no effect, and no error that shows. */
function obey(port: MessagePort, page: string, field: Field, report: (report: Report) => void): void {
  const submissions = createSubmissions({ config, page, contentOf, newKey: newId });
  const running = new Map<string, AbortController>();

  async function submit({ requestId, submission }: Extract<Command, { readonly type: 'submit' }>) {
    const controller = new AbortController();
    running.set(requestId, controller);
    const outcome = await submissions.submit(submission, controller.signal);
    running.delete(requestId);
    const isOwn = placeholdersIn(submission.body).some(({ fieldId }) => fieldId === current?.hello.fieldId);
    if ('result' in outcome && isOwn) field.sent();
    report(
      'result' in outcome
        ? { type: 'result', requestId, result: outcome.result }
        : { type: 'failure', requestId, failure: outcome.failure },
    );
  }

  async function follow(command: Command): Promise<void> {
    if (command.type === 'update') {
      await field.update(command.options);
      report({ type: 'renamed', title: field.title() });
    } else if (command.type === 'abort') running.get(command.requestId)?.abort();
    else if (command.type === 'submit') await submit(command);
    else field.follow(command);
  }

  port.onmessage = ({ data }: MessageEvent<Command>) => {
    follow(data).catch(() => undefined);
  };
}

const failed = (code: FieldsErrorCode, message: string): Failure => ({ code, message });

async function begin(hello: Hello, port: MessagePort, page: string): Promise<void> {
  const report = (message: Report) => port.postMessage(message);
  if (hello.baseUrl !== undefined && hello.baseUrl.replace(/\/+$/, '') !== config.apiUrl) {
    report({
      type: 'failed',
      failure: failed('wrong_service', `These fields send to ${config.apiUrl} alone.`),
    });
    return;
  }
  if (!hasStyleSheets()) {
    report({ type: 'failed', failure: UNSUPPORTED });
    return;
  }
  const field = createField(hello, config, report);
  current = { hello, field };
  if (hello.kind === 'card_number') createGhosts((kind, text) => passOn(hello.groupId, kind, text));
  await field.update(hello.options);
  obey(port, page, field, report);
  // A font that came later would move what was typed. One that does not come is replaced.
  await document.fonts.load(field.font()).catch(() => undefined);
  report({ type: 'ready', title: field.title() });
}

function answer(question: Question, port: MessagePort | undefined): void {
  if (question.ask === 'value')
    port?.postMessage(question.fieldId === current?.hello.fieldId ? current.field.content() : undefined);
  else if (question.groupId === current?.hello.groupId && question.kind === current.hello.kind)
    current.field.fill(question.text);
}

function onMessage(event: MessageEvent): void {
  const { ports, origin } = event;
  const data: unknown = event.data;
  if (isQuestion(data)) {
    if (isFromSibling(event)) answer(data, ports[0]);
  } else if (current === undefined && isHello(data) && isFromPage(event)) {
    const [port] = ports;
    if (port !== undefined) begin(data, port, origin).catch(() => undefined);
  }
}

// In a sandbox without an origin, or as a page of its own, a frame does nothing.
if (self.origin === location.origin && window.parent !== window) {
  addEventListener('message', onMessage);
  // Neither the history nor the back button brings a value back.
  addEventListener('pagehide', () => current?.field.forget());
}
