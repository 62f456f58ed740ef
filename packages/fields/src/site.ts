/* The script that a page loads from the address of the fields. */
export { createFields, FieldsError } from './index.ts';
export { defineFieldElement } from './element.ts';
