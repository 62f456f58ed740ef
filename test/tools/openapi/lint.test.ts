import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lintDocument } from '../../../tools/openapi/lint-document.ts';
import { temporaryFolder } from '../../support/run-service.ts';

describe('the linters of the OpenAPI document', () => {
  it('each name the operation whose parameter is not declared', async () => {
    const file = join(temporaryFolder(), 'openapi.json');
    const document = {
      openapi: '3.1.1',
      info: { title: 'Broken', version: '1' },
      paths: { '/tokens/{id}': { get: { responses: { 200: { description: 'The token.' } } } } },
    };
    writeFileSync(file, JSON.stringify(document));
    const findings = await lintDocument(file, document);
    expect(findings.find((finding) => finding.startsWith('Redocly: '))).toMatch(/path-parameters-defined/);
    expect(findings).toContainEqual(expect.stringMatching(/^Spectral: path-params: .*\(paths\/\/tokens/));
  });
});
