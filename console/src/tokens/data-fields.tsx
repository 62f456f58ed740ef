import { Choice, TextField } from '../parts/field.tsx';
import type { NewToken, TokenType } from '../sdk.ts';
import { jsonOrText } from '../json-input.ts';

/** A new type of tokens does not compile without a place in the choice. */
const TYPE_WORDS: Readonly<Record<TokenType, string>> = {
  card: 'card',
  card_number: 'card_number',
  bank: 'bank',
  us_bank_account_number: 'us_bank_account_number',
  us_bank_routing_number: 'us_bank_routing_number',
  social_security_number: 'social_security_number',
  employer_id_number: 'employer_id_number',
  token: 'token: any JSON',
};

const TOKEN_TYPES = Object.entries(TYPE_WORDS) as readonly (readonly [TokenType, string])[];

interface Input {
  readonly name: string;
  readonly label: string;
  readonly isNumber?: true;
  readonly isOptional?: true;
}

/** The inputs of the types whose data are objects (docs/contract.md#card-data). */
const MEMBERS: Readonly<Partial<Record<TokenType, readonly Input[]>>> = {
  card: [
    { name: 'number', label: 'Card number' },
    { name: 'expiration_month', label: 'Month', isNumber: true, isOptional: true },
    { name: 'expiration_year', label: 'Year', isNumber: true, isOptional: true },
    { name: 'cvc', label: 'Security code', isOptional: true },
  ],
  bank: [
    { name: 'routing_number', label: 'Routing number' },
    { name: 'account_number', label: 'Account number' },
  ],
};

export type Typed = Readonly<Record<string, string>>;

/**
 * The data in what was typed, or what is wrong with it. The service validates the rest. A text of
 * the type `token` that is no JSON is stored as text.
 */
export function dataOf(type: TokenType, typed: Typed): NewToken {
  const members = MEMBERS[type];
  if (members !== undefined) {
    const sent = members.filter(({ name, isOptional }) => isOptional !== true || (typed[name] ?? '') !== '');
    const data = Object.fromEntries(
      sent.map(({ name, isNumber }) => {
        const text = (typed[name] ?? '').trim();
        return [name, isNumber === true ? Number(text) : text.replaceAll(/[\s-]/g, '')];
      }),
    );
    return { type, data } as unknown as NewToken;
  }
  const text = typed['text'] ?? '';
  if (type !== 'token') return { type, data: text.trim() } as unknown as NewToken;
  return { type, data: jsonOrText(text) } as NewToken;
}

interface DataFieldsProps {
  readonly type: TokenType;
  readonly onType: (type: TokenType) => void;
  readonly typed: Typed;
  readonly onTyped: (typed: Typed) => void;
}

export const DataFields = ({ type, onType, typed, onTyped }: DataFieldsProps) => {
  const members = MEMBERS[type];
  const set = (name: string) => (text: string) => onTyped({ ...typed, [name]: text });
  return (
    <>
      <Choice label="Type" value={type} onChange={onType} options={TOKEN_TYPES} />
      {members === undefined ? (
        <TextField
          label="Data"
          value={typed['text'] ?? ''}
          onChange={set('text')}
          {...(type === 'token' && { lines: 6, hint: 'Any JSON. Text that is no JSON is stored as text.' })}
          isMachineText
          isRequired
        />
      ) : (
        <div class={`data-fields data-${type}`}>
          {members.map(({ name, label, isOptional }) => (
            <TextField
              key={name}
              label={label}
              value={typed[name] ?? ''}
              onChange={set(name)}
              isRequired={isOptional !== true}
              isMachineText
            />
          ))}
        </div>
      )}
    </>
  );
};
