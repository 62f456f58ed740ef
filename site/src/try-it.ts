// "Try it" sends a request of the reference to a service. The key is in the form alone, and gone
// with the page. Everything that a service returns is shown as text.

import { IncompleteForm, requestOf, type TriedOperation, type TriedParameter } from './tried-request.ts';

const NO_RESPONSE = 'No response that this page may read. Is the service running, and is the address right?';

type Attributes = Readonly<Record<string, string | boolean>>;

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes))
    if (value !== false) made.setAttribute(attribute, value === true ? '' : value);
  made.append(...children);
  return made;
}

/** Puts a label above its control. */
function field(label: string, control: HTMLElement, about = ''): HTMLElement {
  const words = about === '' ? [] : [element('span', { class: 'about' }, about)];
  return element('label', {}, element('span', { class: 'name' }, label), control, ...words);
}

function controlOf({
  choices,
  example,
  required,
  name,
}: TriedParameter): HTMLInputElement | HTMLSelectElement {
  const common = { 'data-name': name, autocomplete: 'off', spellcheck: 'false' };
  if (choices.length === 0) return element('input', { ...common, type: 'text', value: example, required });
  const options = choices.map((choice) => element('option', { value: choice }, choice));
  return element('select', common, ...(required ? [] : [element('option', { value: '' }, '')]), ...options);
}

const firstAddress = ({ api }: TriedOperation): string =>
  api === '' ? '' : new URL(api, location.href).href.replace(/\/$/, '');

const pretty = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

/** The code of an error, if it has a page here. */
function codeOf(text: string, { errorCodes }: TriedOperation): string | undefined {
  try {
    const body = JSON.parse(text) as { code?: unknown; proxy_error?: { code?: unknown } };
    const code = body.proxy_error?.code ?? body.code;
    return typeof code === 'string' && errorCodes.includes(code) ? code : undefined;
  } catch {
    return undefined;
  }
}

async function show(
  output: HTMLElement,
  operation: TriedOperation,
  request: Request,
  base: string,
): Promise<void> {
  const startedAt = performance.now();
  const response = await fetch(request);
  const text = await response.text();
  const milliseconds = Math.round(performance.now() - startedAt);
  const status = `${String(response.status)} ${response.statusText}`.trim();
  const code = response.ok ? undefined : codeOf(text, operation);
  const help =
    code === undefined
      ? []
      : [' ', element('a', { href: `${base}errors/${code}/` }, `What ${code} means, and what to do`)];
  output.replaceChildren(
    element(
      'p',
      {},
      element('strong', { class: response.ok ? 'good' : 'bad' }, status),
      ` in ${String(milliseconds)} ms`,
      ...help,
    ),
    element('pre', { tabindex: '0', 'aria-label': 'Response' }, pretty(text) || '(no body)'),
  );
}

/** Hides a key by its font: a browser offers to store a `password` (decision 0066). */
const keyInput = () =>
  element('input', {
    type: 'text',
    class: 'secret',
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
  });

/** Builds the form of an operation into a place of its page. */
export function buildForm(place: HTMLElement, operation: TriedOperation, base: string): void {
  const address = element('input', {
    type: 'url',
    value: firstAddress(operation),
    placeholder: 'https://vault.example.com',
    required: true,
    autocomplete: 'off',
  });
  const key = keyInput();
  const controls = operation.parameters.map(controlOf);
  const [first] = operation.bodies;
  const body = element(
    'textarea',
    { rows: '10', spellcheck: 'false', autocomplete: 'off' },
    first?.text ?? '',
  );
  const examples = element(
    'select',
    {},
    ...operation.bodies.map(({ summary }, at) => element('option', { value: String(at) }, summary)),
  );
  examples.addEventListener(
    'change',
    () => (body.value = operation.bodies[Number(examples.value)]?.text ?? ''),
  );
  const output = element('div', { 'aria-live': 'polite', class: 'output' });
  const send = element('button', { type: 'submit' }, `Send ${operation.method}`);
  const form = element(
    'form',
    { novalidate: true },
    field('Address of the service', address),
    field('Key (SVC-API-KEY)', key),
    ...operation.parameters.map((parameter, at) =>
      field(
        parameter.required ? `${parameter.name} *` : parameter.name,
        controls[at] ?? body,
        parameter.description,
      ),
    ),
    ...(operation.bodies.length > 1 ? [field('Example of the body', examples)] : []),
    ...(operation.mediaType === '' ? [] : [field('Body', body)]),
    element('p', { class: 'warning' }, 'This sends a real request. Use a key and data of a test.'),
    send,
    output,
  );
  // A page that the browser stores for its way back has no key.
  addEventListener('pagehide', () => (key.value = ''));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const filled = {
      address: address.value.trim(),
      key: key.value.trim(),
      values: controls.map(({ value }) => value),
      body: body.value,
    };
    send.disabled = true;
    output.replaceChildren(element('p', {}, 'Sending …'));
    Promise.resolve()
      .then(() => show(output, operation, requestOf(operation, filled), base))
      .catch((error: unknown) => {
        const words = error instanceof IncompleteForm ? error.message : NO_RESPONSE;
        output.replaceChildren(element('p', { class: 'bad' }, words));
      })
      .finally(() => (send.disabled = false));
  });
  place.replaceChildren(form);
}

/** The form is built when a reader opens it. */
export function watchTryIt(details: HTMLDetailsElement): void {
  details.addEventListener('toggle', () => {
    const place = details.querySelector<HTMLElement>('[data-form]');
    const operation = details.querySelector('script')?.textContent ?? '';
    if (!details.open || place === null || place.childElementCount > 0) return;
    buildForm(place, JSON.parse(operation) as TriedOperation, details.dataset['base'] ?? '/');
  });
}
