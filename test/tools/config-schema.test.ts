import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';
import { configSchemaText } from '../../tools/build-config-schema.ts';
import { commandLine } from '../support/command-line.ts';

const FILE = 'packages/cli/schema.json';
const schema = JSON.parse(readFileSync(FILE, 'utf8'));
const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, strictTypes: false });
addFormats.default(ajv);
const isValid = ajv.compile(schema);

const CHECKOUT = `
namespace: shop
applications:
  checkout:
    name: Checkout
    type: private
    rules:
      - { priority: 1, container: /pci/, transform: mask, permissions: ["token:use"],
          through: { proxies: [psp] } }
    keys: [{ name: 2026-12, source_addresses: [203.0.113.0/24], to: "aws-secret:prod/checkout" }]
`;
const PSP = `
proxies:
  psp:
    name: PSP
    destination_url: https://api.psp.example.com
    configuration: { SECRET: { from: "env:PSP_SECRET" }, REGION: { value: eu, public: true } }
    application: checkout
    response_transforms: [{ type: reactor, reactor: settle }]
reactors:
  settle: { name: Settle, code: ./settle.js, configuration: { REGION: eu } }
removed: [applications/old, keys/applications/checkout/2026-11]
`;

describe('the JSON schema of cloakroom.yaml', () => {
  it('is what the OpenAPI document says: npm run build -- config-schema', async () => {
    expect(readFileSync(FILE, 'utf8')).toBe(await configSchemaText());
  });

  it('is printed by the command', async () => {
    const { exitCode, out } = await commandLine(['config', 'schema']);
    expect([exitCode, JSON.parse(out)]).toEqual([0, schema]);
  });

  it('accepts a file', () => {
    expect([isValid(parse(CHECKOUT + PSP)), isValid.errors]).toEqual([true, null]);
  });

  it.each([
    ['an unknown member', CHECKOUT.replace('type:', 'typ:')],
    ['an id in place of a reference', PSP.replace('reactor: settle', 'reactor_id: settle')],
    ['a secret in the file', PSP.replace('{ from: "env:PSP_SECRET" }', 'sk_live_0123456789')],
    ['a key without a place', CHECKOUT.replace(', to: "aws-secret:prod/checkout"', '')],
    ['an external id', CHECKOUT.replace('type:', 'external_id: x\n    type:')],
    ['a number in place of a name', CHECKOUT.replace('name: Checkout', 'name: 1.20')],
  ])('refuses %s', (_what, text) => {
    const whole = text.includes('namespace') ? text : CHECKOUT + text;
    expect(isValid(parse(whole))).toBe(false);
  });
});
