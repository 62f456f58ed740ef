export {
  createFields,
  type CardChange,
  type Fields,
  type FieldsOptions,
  type NewFieldToken,
  type RequestOptions,
  type Tokenized,
  type WithFields,
} from './create-fields.ts';
export {
  FieldsError,
  type Field,
  type FieldEvent,
  type FieldEvents,
  type FieldPlaceholder,
  type NewFieldOptions,
} from './field-interface.ts';
export type {
  AutocompleteName,
  FieldBrand,
  FieldKind,
  FieldPart,
  FieldState,
  FieldsErrorCode,
  FieldTexts,
  FixedOptions,
  StoredToken,
  StyleByState,
  StyleProperty,
  StyleRules,
  StyleState,
} from './protocol.ts';
export type { FieldStyle, PageOptions } from './surroundings.ts';
