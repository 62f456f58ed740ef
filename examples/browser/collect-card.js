// A form that turns a card into a token. The number goes from this page to the vault and nowhere
// else: it is in the input fields until it is saved, in the one request that saves it, and then in
// neither. The page that includes the form listens for the token:
//   form.addEventListener('token', ({ detail }) => keep(detail.id));
// One file, since it is copied into other pages: first the brands of cards, then the fields, then
// the form.
import { ApiError, cardBrand, createClient } from './cloakroom.js';

/** By the SDK's name of a brand: lengths of numbers, and digits of the security code. */
const BRANDS = {
  visa: { name: 'Visa', lengths: [13, 16, 18, 19], cvc: 3 },
  mastercard: { name: 'Mastercard', lengths: [16], cvc: 3 },
  'american-express': { name: 'American Express', lengths: [15], cvc: 4, groups: [4, 6, 5] },
  discover: { name: 'Discover', lengths: [16, 17, 18, 19], cvc: 3 },
  'diners-club': { name: 'Diners Club', lengths: [14, 15, 16, 17, 18, 19], cvc: 3, groups: [4, 6, 4] },
  jcb: { name: 'JCB', lengths: [15, 16, 17, 18, 19], cvc: 3 },
  unionpay: { name: 'UnionPay', lengths: [14, 15, 16, 17, 18, 19], cvc: 3 },
  maestro: { name: 'Maestro', lengths: [12, 13, 14, 15, 16, 17, 18, 19], cvc: 3 },
  elo: { name: 'Elo', lengths: [16], cvc: 3 },
  mir: { name: 'Mir', lengths: [16, 17, 18, 19], cvc: 3 },
  rupay: { name: 'RuPay', lengths: [16], cvc: 3 },
  hipercard: { name: 'Hipercard', lengths: [16, 19], cvc: 3 },
  hiper: { name: 'Hiper', lengths: [16], cvc: 3 },
  troy: { name: 'Troy', lengths: [16], cvc: 3 },
  naranja: { name: 'Naranja', lengths: [16], cvc: 3 },
  verve: { name: 'Verve', lengths: [16, 18, 19], cvc: 3 },
};
const UNKNOWN = { name: '', lengths: [12, 13, 14, 15, 16, 17, 18, 19], cvc: undefined };

/** Without a regular expression: `RegExp.input` stores the last string that one was applied to. */
const digitsOf = (text) =>
  Array.from(text)
    .filter((character) => character >= '0' && character <= '9')
    .join('');

/** 6 alone may be Discover, UnionPay, Maestro and more: four digits distinguish them. */
function brandOf(digits) {
  const isOpen = digits[0] === '6' && digits.length < 4;
  return (isOpen ? undefined : BRANDS[cardBrand(digits)]) ?? UNKNOWN;
}

/** The check digit of ISO/IEC 7812-1. */
function passesLuhn(digits) {
  const sum = Array.from(digits)
    .reverse()
    .map((digit, index) => Number(digit) * (index % 2 === 0 ? 1 : 2))
    .reduce((total, value) => total + (value > 9 ? value - 9 : value), 0);
  return sum % 10 === 0;
}

/** `4242424242424242` as `4242 4242 4242 4242`, American Express as `3782 822463 10005`. */
function formatNumber(text) {
  const digits = digitsOf(text);
  const { groups = [4, 4, 4, 4] } = brandOf(digits);
  const parts = [];
  let rest = digits;
  for (const length of groups) {
    parts.push(rest.slice(0, length));
    rest = rest.slice(length);
  }
  return [...parts, rest].filter((part) => part !== '').join(' ');
}

/**
 * `1230` as `12 / 30`, `3` as `03`: no other month begins with it. A browser's autofill may have
 * four digits for the year.
 */
function formatExpiry(text) {
  const digits = digitsOf(text.replace(/^\s*(\d)\s*[/.-]/, '0$1').replace(/^\s*([2-9])/, '0$1'));
  return digits.length <= 2 ? digits : `${digits.slice(0, 2)} / ${digits.slice(2)}`;
}

function readExpiry(text) {
  const digits = digitsOf(text);
  const [month, year] = [Number(digits.slice(0, 2)), Number(digits.slice(2))];
  return { month, year: digits.length === 4 ? 2000 + year : year, isWhole: [4, 6].includes(digits.length) };
}

/** `13, 16 or 19` */
const oneOf = (numbers) =>
  [numbers.slice(0, -1).join(', '), numbers.at(-1)].filter((part) => part !== '').join(' or ');

function problemOfNumber(text) {
  const digits = digitsOf(text);
  const { name, lengths } = brandOf(digits);
  if (digits === '') return 'Enter the card number';
  if (digits.length > lengths.at(-1)) return 'The card number is too long';
  if (!lengths.includes(digits.length))
    return name === '' ? 'The card number is too short' : `${name} numbers have ${oneOf(lengths)} digits`;
  return passesLuhn(digits) ? '' : 'Check the card number: a digit is wrong';
}

function problemOfExpiry(text) {
  const { month, year, isWhole } = readExpiry(text);
  if (digitsOf(text) === '') return 'Enter the expiry date';
  if (!isWhole) return 'Enter month and year, such as 09 / 30';
  if (month < 1 || month > 12) return 'The month is from 01 to 12';
  const now = new Date();
  const months = (year - now.getFullYear()) * 12 + month - (now.getMonth() + 1);
  if (months < 0) return 'The card has expired';
  return months > 12 * 30 ? 'Check the year of the expiry date' : '';
}

const CVC_PLACES = new Map([
  [3, '3 digits on the back'],
  [4, '4 digits on the front'],
  [undefined, '3 or 4 digits'],
]);

function problemOfCvc(digits, { cvc }) {
  const lengths = cvc === undefined ? [3, 4] : [cvc];
  return lengths.includes(digits.length) ? '' : `Enter the ${CVC_PLACES.get(cvc)}`;
}

/**
 * Replaces the text of a field and keeps the caret behind the same digit. A caret at the end stays
 * there, so that further input follows a new separator.
 */
function reformat(input, format) {
  const { value, selectionStart } = input;
  const formatted = format(value);
  if (formatted === value) return;
  const before =
    digitsOf(value.slice(0, selectionStart)).length + digitsOf(formatted).length - digitsOf(value).length;
  const wasAtEnd = selectionStart === value.length;
  input.value = formatted;
  let caret = 0;
  for (let digits = 0; digits < before && caret < formatted.length; caret += 1)
    if (/\d/.test(formatted[caret])) digits += 1;
  if (wasAtEnd) caret = formatted.length;
  input.setSelectionRange(caret, caret);
}

/**
 * Deleting a separator deletes the digit before it: otherwise formatting would restore it forever.
 */
function skipSeparators(event) {
  const { target: input, inputType } = event;
  if (input.selectionStart !== input.selectionEnd) return;
  const isSeparator = (index) => index >= 0 && index < input.value.length && /\D/.test(input.value[index]);
  let caret = input.selectionStart;
  if (inputType === 'deleteContentBackward') while (isSeparator(caret - 1)) caret -= 1;
  else if (inputType === 'deleteContentForward') while (isSeparator(caret)) caret += 1;
  else return;
  if (caret !== input.selectionStart) input.setSelectionRange(caret, caret);
}

/** The message for the person who enters a card. */
function explain(error) {
  if (!(error instanceof ApiError)) return 'The vault is unreachable. Check your connection and try again.';
  if (error.status === 400) return 'The vault does not accept this card. Check your input.';
  if (error.status === 401 || error.status === 403)
    return 'This page may not save cards. Please tell the shop.';
  if (error.status === 429 || error.status >= 500) return 'The vault is busy. Try again in a moment.';
  return 'The card could not be saved. Please tell the shop.';
}

/** The field for a member of the service's `errors` (docs/api.md). */
const FIELD_OF_MEMBER = {
  'data.number': 'number',
  'data.expiration_month': 'expiry',
  'data.expiration_year': 'expiry',
  'data.cvc': 'cvc',
};

const LABELS = { number: 'card number', expiry: 'expiry date', cvc: 'security code' };

const byId = (id) => document.getElementById(id);
const form = byId('card-form');
const inputs = { number: byId('number'), expiry: byId('expiry'), cvc: byId('cvc') };
const { serviceUrl, publicKey } = form.dataset;
const vault = createClient({ baseUrl: serviceUrl, apiKey: publicKey });

/** Fields that were left or submitted: their problems are shown during further input. */
const checked = new Set();
let isBusy = false;

const brand = () => brandOf(digitsOf(inputs.number.value));

const problems = {
  number: () => problemOfNumber(inputs.number.value),
  expiry: () => problemOfExpiry(inputs.expiry.value),
  cvc: () => problemOfCvc(inputs.cvc.value, brand()),
};

function show(name, problem) {
  byId(`${name}-error`).textContent = problem;
  if (problem === '') inputs[name].removeAttribute('aria-invalid');
  else inputs[name].setAttribute('aria-invalid', 'true');
  const link = byId('summary-list').querySelector(`[href="#${name}"]`);
  if (link !== null && problem === '') link.parentElement.remove();
  else if (link !== null) link.textContent = problem;
}

function showSummary(title, entries = []) {
  const links = entries.map(([name, problem]) => {
    const link = Object.assign(document.createElement('a'), { href: `#${name}`, textContent: problem });
    link.addEventListener('click', (event) => {
      event.preventDefault();
      inputs[name].focus();
    });
    const item = document.createElement('li');
    item.append(link);
    return item;
  });
  byId('summary-title').textContent = title;
  byId('summary-list').replaceChildren(...links);
  byId('summary').hidden = false;
  byId('summary').focus();
}

function showBrand() {
  const { name, cvc } = brand();
  // A screen reader announces a live region after each write, so unchanged text is not written
  // again.
  if (byId('number-brand').textContent !== name) byId('number-brand').textContent = name;
  byId('cvc-hint').textContent = CVC_PLACES.get(cvc);
}

/**
 * During input, a shown problem disappears as soon as it is solved; a complete invalid number is
 * reported immediately.
 */
function onInput(name) {
  if (name === 'number') {
    reformat(inputs.number, formatNumber);
    showBrand();
    const { lengths } = brand();
    if (digitsOf(inputs.number.value).length >= lengths.at(-1)) checked.add('number');
    if (checked.has('cvc')) show('cvc', problems.cvc());
  }
  if (name === 'expiry') reformat(inputs.expiry, formatExpiry);
  if (name === 'cvc') reformat(inputs.cvc, digitsOf);
  if (checked.has(name)) show(name, problems[name]());
  if (byId('summary-list').childElementCount === 0) byId('summary').hidden = true;
}

function setBusy(busy) {
  isBusy = busy;
  form.setAttribute('aria-busy', String(busy));
  // Not `disabled`, which would take the focus from a keyboard user.
  byId('submit').setAttribute('aria-disabled', String(busy));
  byId('submit-text').textContent = busy ? 'Saving …' : 'Save card';
  byId('status').textContent = busy ? 'Saving the card' : '';
  for (const input of Object.values(inputs)) input.readOnly = busy;
}

/** Clears all input. */
function forget() {
  form.reset();
  checked.clear();
  for (const name of Object.keys(inputs)) show(name, '');
  showBrand();
  byId('summary').hidden = true;
  byId('summary-list').replaceChildren();
}

function createToken() {
  const { month, year } = readExpiry(inputs.expiry.value);
  const data = {
    number: digitsOf(inputs.number.value),
    expiration_month: month,
    expiration_year: year,
    cvc: inputs.cvc.value,
  };
  // One key per submission, so that the SDK's retries create no second token. Not one per card: the
  // page would have to remember the card to recognise it. If all responses of a submission are
  // lost, the next one may therefore leave an unused token.
  return vault.tokens.create({ type: 'card', data }, { idempotencyKey: crypto.randomUUID() });
}

/** The masked card, for a session that the shop's server has allowed to read this one token. */
async function readMasked(id) {
  const { session_key: sessionKey, nonce } = await vault.sessions.create();
  const authorized = await fetch('authorize', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ nonce, token_id: id }),
  });
  if (!authorized.ok) throw new Error('The server did not authorize the session');
  const session = createClient({ baseUrl: serviceUrl, apiKey: sessionKey });
  const { data } = await session.tokens.retrieve(id);
  return data;
}

async function showDone(id) {
  byId('token-id').textContent = id;
  byId('masked-number').textContent = '';
  byId('masked-expiry').textContent = '';
  byId('card').hidden = false;
  byId('read-error').hidden = true;
  form.hidden = true;
  byId('done').hidden = false;
  byId('done-title').focus();
  try {
    const { number, expiration_month: month, expiration_year: year } = await readMasked(id);
    // Another card may have been saved in the meantime.
    if (byId('token-id').textContent !== id) return;
    byId('masked-number').textContent = number;
    byId('masked-expiry').textContent = `${String(month).padStart(2, '0')} / ${String(year)}`;
  } catch {
    byId('card').hidden = true;
    byId('read-error').textContent = 'The card is saved, but it cannot be shown now.';
    byId('read-error').hidden = false;
  }
}

function showFailure(error) {
  // The page deletes the security code after each submission.
  inputs.cvc.value = '';
  const members = error instanceof ApiError ? Object.keys(error.errors ?? {}) : [];
  const names = [...new Set(members.flatMap((member) => FIELD_OF_MEMBER[member] ?? []))];
  for (const name of names) show(name, 'The vault does not accept this');
  showSummary(
    explain(error),
    names.map((name) => [name, `Check the ${LABELS[name]}`]),
  );
}

async function submit() {
  if (isBusy) return;
  const entries = Object.keys(inputs).map((name) => [name, problems[name]()]);
  for (const [name, problem] of entries) {
    checked.add(name);
    show(name, problem);
  }
  const wrong = entries.filter(([, problem]) => problem !== '');
  if (wrong.length > 0) return showSummary('Please check the card', wrong);
  byId('summary').hidden = true;
  setBusy(true);
  let id;
  try {
    ({ id } = await createToken());
  } catch (error) {
    setBusy(false);
    return showFailure(error);
  }
  setBusy(false);
  forget();
  form.dispatchEvent(new CustomEvent('token', { detail: { id }, bubbles: true }));
  await showDone(id);
}

for (const [name, input] of Object.entries(inputs)) {
  input.addEventListener('input', () => onInput(name));
  if (name !== 'cvc') input.addEventListener('beforeinput', skipSeparators);
  input.addEventListener('blur', () => {
    if (input.value === '' || isBusy) return;
    checked.add(name);
    show(name, problems[name]());
  });
}
form.addEventListener('submit', (event) => {
  event.preventDefault();
  void submit();
});
byId('another').addEventListener('click', () => {
  byId('done').hidden = true;
  form.hidden = false;
  inputs.number.focus();
});
// Neither the back button nor a reload restores a card.
addEventListener('pagehide', forget);
forget();
byId('submit').disabled = false;
