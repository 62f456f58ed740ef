/** Steps whose responses differ from the recorded ones, and why. Remove one that no longer does. */
export interface KnownDifference {
  readonly reason: string;
  /** The whole response except the capacity, or only the capacity. */
  readonly part: 'answer' | 'capacity';
  readonly steps: readonly string[];
}

const onBoth = (...conditions: readonly string[]): readonly string[] =>
  conditions.flatMap((condition) => [`condition: ${condition}`, `filter: ${condition}`]);
const bothKinds = (update: string, ReturnValues: string): readonly string[] => [
  `update: ${update}`,
  `update: ${update}, ${ReturnValues}`,
];

/** The local DynamoDB is wrong, or does less than DynamoDB. */
const ours: readonly KnownDifference[] = [
  {
    reason: 'Rejected here: comparing whole lists or maps (README.md#dynamodb)',
    part: 'answer',
    steps: onBoth('lst = :list', 'lst <> :list', 'doc = :map', 'doc = :emptyMap', 'doc IN (:map)'),
  },
  {
    reason: 'dynalite takes an empty text for one that is missing (README.md#dynamodb)',
    part: 'answer',
    steps: onBoth('size(blank) = :zero', 'blank IN (:empty)', 'blank BETWEEN :empty AND :a'),
  },
  {
    reason: 'dynalite compares binary as UTF-8 in begins_with (README.md#dynamodb)',
    part: 'answer',
    steps: onBoth('begins_with(high, :higher)'),
  },
  {
    reason: 'dynalite cannot parse NOT before NOT',
    part: 'answer',
    steps: onBoth('NOT NOT num = :five'),
  },
  {
    reason: 'Rejected here: PartiQL other than one form of INSERT (README.md#dynamodb)',
    part: 'answer',
    steps: ['a select', 'an update', 'a delete', 'a value in the text', 'a table without a name'].map(
      (title) => `statement refused: ${title}`,
    ),
  },
  {
    reason: 'Rejected here: a failed INSERT that returns the existing item (README.md#dynamodb)',
    part: 'answer',
    steps: [
      'statement: an insert of what is there, which asks for it',
      'statements: one that is there, and its item',
    ],
  },
];

/** AWS's documentation, or its recorded behaviour, agrees with the local DynamoDB. */
const theirs: readonly KnownDifference[] = [
  {
    reason: 'DynamoDB Local answers 500 to a body that it cannot read',
    part: 'answer',
    steps: [
      'item: binary that is no base64',
      'request refused: no body',
      'request refused: no JSON',
      'request refused: no object',
      'request refused: a key that is text',
      'request refused: a flag that is text',
      'paging: a limit that is text',
      'statement refused: no members',
    ],
  },
  {
    reason: 'DynamoDB Local shortens the name of DuplicateItemException',
    part: 'answer',
    steps: ['statement: an insert of what is there'],
  },
  {
    reason: 'DynamoDB Local ignores the capacity that PartiQL asks for',
    part: 'answer',
    steps: [
      'statement refused: another ReturnConsumedCapacity',
      'statements: another ReturnConsumedCapacity',
    ],
  },
  {
    reason: 'DynamoDB Local returns no capacity for PartiQL',
    part: 'capacity',
    steps: [
      'statement: an insert',
      'statement: keys of indexes',
      'statement: capacity in total',
      'statements: two tables',
      'statements: one that is there',
    ],
  },
  {
    reason: 'BatchExecuteStatement: the list of parameters has at least one element',
    part: 'answer',
    steps: ['statements: an empty list of parameters', 'statements: next to an empty list of parameters'],
  },
  {
    reason: 'DynamoDB Local converts members of another JSON type',
    part: 'answer',
    steps: [
      'request refused: a table name that is a number',
      'request refused: a value that is text',
      'request refused: a text that is a number',
      'request refused: a number that is no text',
    ],
  },
  {
    reason: 'Of a changed list or map DynamoDB Local returns all of it, AWS the part that changed',
    part: 'answer',
    steps: [
      'update: SET lst[0] = :a, UPDATED_OLD',
      'update: SET lst[1] = lst[0], UPDATED_NEW',
      'update: SET doc.b = :two, UPDATED_NEW',
      'update: REMOVE lst[0], UPDATED_NEW',
      'update: REMOVE lst[0], lst[2], UPDATED_OLD',
      'update: REMOVE lst[0] SET lst[2] = :a, UPDATED_NEW',
    ],
  },
  {
    reason: 'DynamoDB Local lets UpdateItem give an index key another type',
    part: 'answer',
    steps: [...bothKinds('SET #rank = :a', 'UPDATED_NEW'), ...bothKinds('SET #group = :one', 'UPDATED_OLD')],
  },
  {
    reason: 'DynamoDB Local keeps the form of numbers in lists and maps',
    part: 'answer',
    steps: ['number in a list: get'],
  },
  {
    reason: 'DynamoDB Local does not know the reserved word SIZE',
    part: 'answer',
    steps: ['expression refused: the reserved word size'],
  },
  {
    reason: 'TransactWriteItems: UpdateExpression is required, and a ConditionCheck counts as an operation',
    part: 'answer',
    steps: ['transaction refused: one item twice', 'transaction refused: an update without an expression'],
  },
  {
    reason: 'TransactWriteItems: AWS documents these as reasons with the code ValidationError',
    part: 'answer',
    steps: [
      'transaction cancelled: an operand of the wrong type',
      'transaction cancelled: an attribute that is missing',
      'transaction cancelled: an update to an empty index key',
    ],
  },
  {
    reason: 'DynamoDB Local ends the reasons of a transaction at a part with a ValidationError',
    part: 'answer',
    steps: ['transaction cancelled: an update of the key'],
  },
  {
    reason: 'DynamoDB Local charges twice and more for transactions, or for their indexes',
    part: 'capacity',
    steps: [
      'transaction: puts',
      'transaction: over two tables',
      'transaction: all kinds',
      'transaction: one part',
      'transaction: a check alone',
      'token: a first use',
      'token: another token',
    ],
  },
  {
    reason: 'DynamoDB Local shows a capacity of DeleteItem that was not asked for',
    part: 'capacity',
    steps: ['item: delete of nothing'],
  },
  {
    reason: 'DynamoDB Local charges two units for deleting nothing in a batch',
    part: 'capacity',
    steps: ['batch write: a delete of nothing'],
  },
  {
    reason: 'DynamoDB Local does not charge for keys that are not there',
    part: 'capacity',
    steps: ['batch get: two tables'],
  },
];

/** AWS's documentation does not define it. */
const undecided: readonly KnownDifference[] = [
  {
    reason: 'Undecided without AWS: a plus sign before a number',
    part: 'answer',
    steps: ['number: put "+5"', 'number: get "+5"'],
  },
  {
    reason: 'Undecided without AWS: whether a wrong key cancels a transaction or is a ValidationException',
    part: 'answer',
    steps: ['transaction cancelled: half a key', 'transaction cancelled: an empty index key'],
  },
  {
    reason: 'Undecided without AWS: more parameters than the statement has (rejected here)',
    part: 'answer',
    steps: [
      'statement parameters: one too many',
      'statement parameters: one too many, as stored',
      'statements: too many parameters',
    ],
  },
  {
    reason: 'Undecided without AWS: whether a batch that is refused for duplicates stores the others',
    part: 'answer',
    steps: ['statements: with one item twice'],
  },
];

export const knownDifferences: readonly KnownDifference[] = [...ours, ...theirs, ...undecided];

/**
 * Different wording: a part of the local message, which dynalite took from AWS except for
 * transactions, and a part of the recorded one.
 */
export const knownWordings: readonly (readonly [ours: string, theirs: string])[] = [
  ['Syntax error; Expected', 'Syntax error; token'],
  ['valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}', 'valid types: {N,BS,L,B,NULL,M,S,SS,NS,BOOL}'],
  ['operator: ADD', 'typeSet: ALLOWED_FOR_ADD_OPERAND'],
  ['operator: DELETE', 'typeSet: ALLOWED_FOR_DELETE_OPERAND'],
  ['Invalid function name', 'The function is not allowed in an update expression'],
  ['ReturnValues can only be ALL_OLD or NONE', 'Return values set to invalid value'],
  ["'returnValues' failed to satisfy", 'Return values set to invalid value'],
  ["'returnConsumedCapacity' failed to satisfy", 'Cannot have null key'],
  ['→ at ReturnValuesOnConditionCheckFailure', "'returnValuesOnConditionCheckFailure' failed"],
  ['contains duplicates.', 'contains duplicates'],
  ['Type mismatch for Index Key', 'Type mismatch for Index Key'],
  ['Type mismatch for Index Key group', 'Invalid attribute value type'],
  ['Type mismatch for key', 'Type mismatch for key'],
  ['Type mismatch for key', 'Invalid attribute value type'],
  ['IndexName: by-rank, IndexKey: group', 'IndexName: by-group, IndexKey: group'],
  ['IndexName: by-rank, IndexKey: group', 'attempted to update a secondary index key'],
  ['invalid: The AttributeValue for a key', 'not valid. The AttributeValue for a key'],
  ['Size of hashkey has exceeded', 'Hash primary key values must be under 2048 bytes'],
  ['Aggregated size of all range keys', 'range primary key values must be under 1024 bytes'],
  ['more than 38 significant digits', 'precision up to 38 digits'],
  ['cannot be converted to a numeric value', 'cannot be converted into a number'],
  ['does not match the schema', 'The number of conditions on the keys is invalid'],
  ['does not match the schema', 'One of the required keys was not'],
  ['does not match the schema', 'Type mismatch for key'],
  ['does not match the schema', 'Type mismatch for attribute to update'],
  ['does not match the schema', 'Invalid attribute value type'],
  ['Missing the key', 'One of the required keys was not'],
  ["'item' failed to satisfy", 'Item to put in PutItem cannot be null'],
  ['Requested resource not found', 'Cannot do operations on a non-existent table'],
  ["'tableName' failed to satisfy", 'Invalid table/index name'],
  ['1 validation error d', 'Too many items requested'],
  ["'requestItems' failed to satisfy", 'cannot have a null or no requests set'],
  ["'requestItems' failed to satisfy", 'The batch write request list for a table cannot be null'],
  ["'requestItems' failed to satisfy", 'BatchGetItem must have some requests set'],
  ["'requestItems.Things.member.keys'", 'The list of keys in RequestItems'],
  ['The conditional request failed', 'The conditional request failed.'],
  ['→ at TransactItems', "at 'transactItems' failed"],
  ['→ at TransactItems', 'less than or equal to 100'],
  ['can only contain one of Check, Put', 'TransactWriteRequest should contain'],
  ["'transactItems.ConditionExpression'", 'conditionCheck.conditionExpression'],
  ['→ at ClientRequestToken', "at 'clientRequestToken' failed"],
  ['you retried a request with a different payload', ''],
  ['does not run locally', 'An unknown operation was requested'],
  ['Query condition missed key schema element', 'Query condition missed key schema element'],
  ['cannot have conditions on nested attributes', 'Key attributes must be scalars'],
  ['The provided starting key is', 'The provided starting key does not match the range key'],
  ['The provided starting key is invalid', 'Exclusive Start Key must have same size'],
  ["'limit' failed to satisfy", 'Limit must be greater than or equal to 1'],
  ["'select' failed to satisfy", 'Select must be ALL_ATTRIBUTES'],
  ['Consistent reads are not supported', 'Consistent read cannot be true'],
  ['The TotalSegments parameter is required', 'total segment must also be specified'],
  ['The Segment parameter is required', 'a particular segment must also be specified'],
  ['must be less than parameter TotalSegments', "'segment' failed to satisfy"],
  ["Statement wasn't well formed", "Statement wasn't well formed"],
  ["Statement wasn't well formed", 'Only select, insert, update and delete'],
  ['→ at Parameters', "parameters in request and statement don't match"],
  ['→ at Statements', 'cannot write more than 25 items'],
  ['→ at Statement', "Statement wasn't well formed"],
  ['→ at Statement', 'less than or equal to 8192'],
  ['→ at Statement', 'The statement was empty'],
  ['A batch consists of either', 'Read and write requests together'],
];
