// A form that turns a card into a token. The three fields are frames of the vault's own origin:
// this page learns whether they are filled in, and then the id of the token. The page around the
// form listens for it:
//   form.addEventListener('token', ({ detail }) => keep(detail.id));

const byId = (id) => document.getElementById(id);
const form = byId('card-form');
const { fieldsUrl, serviceUrl, publicKey } = form.dataset;
const { createFields, defineFieldElement } = await import(`${fieldsUrl}/fields.js`);

const fields = createFields({
  baseUrl: serviceUrl,
  apiKey: publicKey,
  style: {
    base: { padding: '0 0.875rem', letterSpacing: '0.02em' },
    placeholder: { color: '#566076' },
    invalid: { color: '#b3261e' },
    dark: { placeholder: { color: '#a6b0c5' }, invalid: { color: '#ff9c93' } },
  },
});
const boxes = [byId('number'), byId('expiry'), byId('cvc')];
/** Fields that were left, or submitted: their problems are shown. */
const checked = new Set();
let isBusy = false;

function showProblem(box) {
  const { valid, message } = box.state;
  // A problem that more input may solve is shown after the field was left.
  byId(`${box.id}-error`).textContent = valid && !checked.has(box) ? '' : message;
  box.toggleAttribute('data-wrong', byId(`${box.id}-error`).textContent !== '');
}

function showFailure(text) {
  byId('failure').textContent = text;
  byId('failure').hidden = text === '';
  if (text !== '') byId('failure').focus();
}

/** The message for the person who enters a card. */
function explain({ code }) {
  if (code === 'unavailable') return 'The vault is busy or unreachable. Try again in a moment.';
  if (code === 'browser_unsupported') return 'This browser is too old. Update it, or use another one.';
  if (code === 'refused') return 'The vault does not accept this card. Check your input.';
  return 'The card could not be saved. Please tell the shop.';
}

function setBusy(busy) {
  isBusy = busy;
  form.setAttribute('aria-busy', String(busy));
  // Not `disabled`, which would take the focus from a keyboard user.
  byId('submit').setAttribute('aria-disabled', String(busy));
  byId('submit-text').textContent = busy ? 'Saving …' : 'Save card';
  byId('status').textContent = busy ? 'Saving the card' : '';
  for (const box of boxes) box.toggleAttribute('readonly', busy);
}

/** The shop's server stores the id beside its customer, and returns what may be shown. */
async function keep(id) {
  const response = await fetch('cards', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ token_id: id }),
  });
  if (!response.ok) throw new Error('The server did not return the card');
  return await response.json();
}

async function showDone(id) {
  byId('token-id').textContent = id;
  for (const name of ['masked-number', 'masked-expiry']) byId(name).textContent = '';
  byId('card').hidden = false;
  byId('read-error').hidden = true;
  form.hidden = true;
  byId('done').hidden = false;
  byId('done-title').focus();
  try {
    const { number, expiry } = await keep(id);
    // Another card may have been saved in the meantime.
    if (byId('token-id').textContent !== id) return;
    byId('masked-number').textContent = number;
    byId('masked-expiry').textContent = expiry;
  } catch {
    byId('card').hidden = true;
    byId('read-error').textContent = 'The card is saved, but it cannot be shown now.';
    byId('read-error').hidden = false;
  }
}

async function submit() {
  if (isBusy) return;
  showFailure('');
  for (const box of boxes) {
    checked.add(box);
    showProblem(box);
  }
  setBusy(true);
  const [number, expiry, cvc] = boxes.map(({ field }) => field);
  try {
    const { id } = await fields.createToken({
      type: 'card',
      data: { number, expiration_month: expiry.month, expiration_year: expiry.year, cvc },
    });
    for (const { field } of boxes) field.clear();
    checked.clear();
    form.dispatchEvent(new CustomEvent('token', { detail: { id }, bubbles: true }));
    await showDone(id);
  } catch (error) {
    if (error.code === 'incomplete') error.fields[0].focus();
    else showFailure(explain(error));
  } finally {
    setBusy(false);
  }
}

try {
  defineFieldElement();
} catch (error) {
  showFailure(explain(error));
}
for (const box of boxes) {
  box.fields = fields;
  box.addEventListener('change', () => showProblem(box));
  box.addEventListener('blur', () => {
    if (!box.state.empty && !isBusy) checked.add(box);
    showProblem(box);
  });
  box.addEventListener('enter', () => form.requestSubmit());
  box.addEventListener('error', ({ detail }) => showFailure(explain(detail)));
  box.addEventListener('ready', () => (byId('submit').disabled = false));
}
form.addEventListener('submit', (event) => {
  event.preventDefault();
  void submit();
});
byId('another').addEventListener('click', () => {
  byId('done').hidden = true;
  form.hidden = false;
  boxes[0].focus();
});
