import type { Report } from '../../shared/field-reporter.ts';
import type { Json } from '../../shared/json.ts';
import { textType } from './definition.ts';

const nineDigits = {
  check(data: Json, path: string, report: Report): void {
    if (typeof data !== 'string') report(path, 'must be a string');
    else if (!/^\d{9}$/.test(data.replaceAll('-', '')) || data.length > 20) report(path, 'must be 9 digits');
  },
  containers: ['/pii/high/'],
  compared: (data: Json) => (typeof data === 'string' ? data.replaceAll('-', '') : data),
  fingerprintExpression: "{{ data | remove: '-' }}",
  searchIndexes: ['{{ data }}', "{{ data | remove: '-' }}", '{{ data | last4 }}'],
} as const;

export const socialSecurityNumber = textType({ name: 'social_security_number', ...nineDigits });

export const employerIdNumber = textType({ name: 'employer_id_number', ...nineDigits });
