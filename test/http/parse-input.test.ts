import { z } from 'zod';
import { apiRequest } from '../../src/http/api-request.ts';
import {
  checkBody,
  checkBodySize,
  checkMediaType,
  parseAt,
  parseQuery,
  readBody,
} from '../../src/http/parse-input.ts';
import { FieldReporter } from '../../src/core/shared/field-reporter.ts';
import { queryOf } from '../../src/wire/page.ts';
import type { Route } from '../../src/http/route.ts';
import { body, json, list, oneOf, optional, text, textMap } from '../../src/wire/parts.ts';
import { reportUnknownMembers } from '../../src/http/report-unknown-members.ts';
import { anEvent } from '../support/builders/an-event.ts';
import { machinePlatform } from '../../src/adapters/machine-platform.ts';

const aRoute = (more: Partial<Route<never>> = {}): Route<never> => ({
  operation: 'test',
  method: 'POST',
  path: '/things',
  success: 200,
  body: z.unknown(),
  handle: () => Promise.resolve({}),
  ...more,
});
const aRequest = (content: string | Buffer | undefined, type?: string) =>
  apiRequest(
    machinePlatform,
    anEvent({
      method: 'POST',
      headers: type === undefined ? {} : { 'Content-Type': type },
      ...(content === undefined ? {} : { body: content }),
    }),
    ['SVC'],
  );

describe('the media type of a body', () => {
  it.each([
    undefined,
    '',
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="utf-8"',
    'text/json',
    'application/merge-patch+json',
    'application/vnd.a.b+json ; v=1',
    'image/svg+json',
  ])('%j is read as JSON', (type) => {
    expect(readBody(aRoute(), aRequest('{"a":1}', type), 'strict')).toEqual({ a: 1 });
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/xml',
    'application/jsonp',
    'json',
    'application/',
    '/json',
    'a/b/json',
    'application/json, text/plain',
  ])('%s is rejected by name', (type) => {
    expect(() => readBody(aRoute(), aRequest('{"a":1}', type), 'strict')).toThrow(
      expect.objectContaining({ code: 'validation_failed' }),
    );
  });

  it.each([undefined, 'text/plain', 'application/xml', 'nonsense'])(
    'is never checked without a body: %j',
    (type) => {
      expect(readBody(aRoute(), aRequest(undefined, type), 'strict')).toEqual({});
      expect(readBody(aRoute(), aRequest('', type), 'strict')).toEqual({});
    },
  );

  it('is rejected where the operation reads no body, since it would be dropped', () => {
    const { body: _, ...bodiless } = aRoute();
    for (const content of ['not JSON', '{"a":1}', '[]', '1'])
      expect(() => readBody(bodiless, aRequest(content, 'application/json'), 'strict')).toThrow(
        expect.objectContaining({ code: 'validation_failed' }),
      );
    for (const content of [undefined, '', '{}'])
      expect(readBody(bodiless, aRequest(content), 'strict')).toBeUndefined();
    expect(readBody(bodiless, aRequest('not JSON', 'text/plain'), 'lenient')).toBeUndefined();
    expect(
      readBody({ ...bodiless, passesOn: true }, aRequest('a=b', 'text/plain'), 'strict'),
    ).toBeUndefined();
  });

  it.each([
    'application/merge-patch+json',
    'application/merge-patch+json; charset=utf-8',
    'Application/Merge-Patch+JSON',
  ])('%s is a merge patch', (type) => {
    expect(() => checkMediaType(aRoute({ mergePatch: true }), aRequest('{}', type))).not.toThrow();
  });

  it.each([
    undefined,
    '',
    'application/json',
    'application/json-patch+json',
    'application/merge-patch',
    'x-application/merge-patch+json',
  ])('%j is not a merge patch, with or without a body', (type) => {
    for (const content of ['{}', undefined])
      expect(() => checkMediaType(aRoute({ mergePatch: true }), aRequest(content, type))).toThrow(
        expect.objectContaining({ code: 'unsupported_media_type' }),
      );
    expect(() => checkMediaType(aRoute(), aRequest('{}', type))).not.toThrow();
  });
});

describe('an empty body', () => {
  const checked = (schema: Route<never>['body'], compatibility: 'strict' | 'lenient') =>
    checkBody(aRoute({ ...(schema && { body: schema }) }), aRequest(''), {}, compatibility);

  it.each(['strict', 'lenient'] as const)('is rejected as such where JSON is needed: %s', (compatibility) => {
    expect(() => checked(body({ name: text }), compatibility)).toThrow(
      expect.objectContaining({ errors: { body: ['must not be empty: send JSON'] } }),
    );
  });

  it('is rejected where any JSON is read: it would be tokenized as an empty object', () => {
    expect(() => checked(json, 'strict')).toThrow('validation errors');
    expect(checkBody({ body: json }, aRequest('{}'), {}, 'strict')).toEqual({});
  });

  it('is an empty object where that is enough', () => {
    expect(checked(body({ name: optional(text) }), 'strict')).toEqual({});
  });
});

describe('the size of a body', () => {
  it('is up to 6 MB', () => {
    expect(() => checkBodySize(aRoute(), aRequest(Buffer.alloc(6_000_000)))).not.toThrow();
    expect(() => checkBodySize(aRoute(), aRequest(Buffer.alloc(6_000_001)))).toThrow(
      expect.objectContaining({ code: 'payload_too_large' }),
    );
  });

  it('may be limited further by the route', () => {
    const route = aRoute({ bodyMaxBytes: 5_000_000 });
    expect(() => checkBodySize(route, aRequest(Buffer.alloc(5_000_000)))).not.toThrow();
    expect(() => checkBodySize(route, aRequest(Buffer.alloc(5_000_001)))).toThrow(
      'The body is larger than 5 MB.',
    );
  });
});

describe('the shape of a body', () => {
  const schema = body({
    name: text,
    kind: oneOf(['a', 'b']),
    note: optional(text),
    rules: optional(list(z.object({ permissions: list(text) }, { error: 'must be an object' }))),
  });
  const errorsOf = (value: unknown) => {
    try {
      parseAt(schema, value, '', 'strict');
      return undefined;
    } catch (error) {
      expect(error).toMatchObject({ code: 'validation_failed' });
      return { ...(error as { errors: object }).errors };
    }
  };

  it('is reported member by member, in the paths of the request', () => {
    expect(errorsOf({ name: 5, kind: 'c', rules: [{ permissions: ['x', 4242] }, 1] })).toEqual({
      name: ['must be a string'],
      kind: ['must be a or b'],
      'rules[0].permissions[1]': ['must be a string'],
      'rules[1]': ['must be an object'],
    });
    expect(errorsOf({})).toEqual({ name: ['is required'], kind: ['is required'] });
    expect(errorsOf([])).toEqual({ body: ['must be a JSON object'] });
    expect(errorsOf(null)).toEqual({ body: ['must be a JSON object'] });
  });

  it('has only the members of its schema; the error suggests a similar member', () => {
    expect(errorsOf({ name: 'n', kind: 'a', nam: 1, rules: [{ permissions: [], permissons: [] }] })).toEqual({
      nam: ['is not known; did you mean `name`?'],
      'rules[0].permissons': ['is not known; did you mean `permissions`?'],
    });
    expect(errorsOf({ kind: 'a', zzz: 1 })).toEqual({
      zzz: ['is not known; known here: `name`, `kind`, `note`, `rules`'],
      name: ['is required'],
    });
  });

  it('ignores unknown members where the route allows them, and null for an optional member', () => {
    expect(parseAt(schema, { name: 'n', kind: 'a', note: null, extra: 1 }, '', 'lenient')).toEqual({
      name: 'n',
      kind: 'a',
    });
  });

  it('an error in a part of the body has a path below that part', () => {
    expect(() => parseAt(text, 1, 'application.id', 'strict')).toThrow(
      expect.objectContaining({
        errors: expect.objectContaining({ 'application.id': ['must be a string'] }),
      }),
    );
  });

  it.each(['constructor', '__proto__', 'toString'])('may be wrong at a member named %s', (name) => {
    const anyMember = z
      .unknown()
      .superRefine((_, context) => context.addIssue({ code: 'custom', path: [name], message: 'is wrong' }));
    try {
      parseAt(anyMember, {}, '', 'strict');
      throw new Error('nothing was thrown');
    } catch (error) {
      expect(JSON.stringify((error as { errors?: object }).errors)).toBe(`{"${name}":["is wrong"]}`);
    }
  });

  it('is not checked for the elements of a list that is too long', () => {
    let looks = 0;
    const element = z.custom(() => {
      looks += 1;
      return false;
    });
    const limited = body({ list: list(element) });
    const wrong = (input: unknown) => {
      looks = 0;
      try {
        parseAt(limited, input, '', 'strict');
      } catch (error) {
        return (error as { errors: Readonly<Record<string, readonly string[]>> }).errors;
      }
      return {};
    };
    expect(Object.keys(wrong({ list: Array(100).fill(0) }))).toHaveLength(100);
    expect(looks).toBe(100);
    expect({ ...wrong({ list: Array(100_000).fill(0) }) }).toEqual({ list: ['must be at most 100'] });
    expect(looks).toBe(0);
  });

  it('suggests no more often than is shown, for any number of unknown members', () => {
    const fields = new FieldReporter();
    const reported = jest.spyOn(fields, 'report');
    const members = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`m${String(at)}`, 0]));
    reportUnknownMembers(schema, { ...members, rules: [members, members] }, '', fields);
    expect(reported).toHaveBeenCalledTimes(100);
  });

  it('is not inspected where a schema is of an unknown kind', () => {
    const unheardOf = body({ list: z.record(z.string(), z.object({})) });
    expect(() => parseAt(unheardOf, { list: { a: { b: 1 } } }, '', 'strict')).toThrow('kind record');
  });

  it('reports at most a hundred members', () => {
    const entries = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`m${String(at)}`, 0]));
    const texts = textMap((value) => typeof value === 'string');
    const anything = z.unknown().superRefine((input, context) => {
      for (const name of Object.keys(input as object))
        context.addIssue({ code: 'custom', path: [name], message: 'is wrong' });
    });
    for (const each of [texts, anything])
      try {
        parseAt(each, entries, 'metadata', 'strict');
        throw new Error('nothing was thrown');
      } catch (error) {
        expect(Object.keys((error as { errors: object }).errors)).toHaveLength(100);
      }
  });

  it('a schema of a query receives the parameters as sent', () => {
    const query = queryOf({ once: ['size'], repeated: ['id'] }, (input) => input.getAll('id'));
    const requestWith = (text: string) => apiRequest(machinePlatform, anEvent({ query: text }), ['SVC']);
    expect(parseQuery(aRoute({ query }), requestWith('id=a&id=b%20c'))).toEqual(['a', 'b c']);
    expect(parseQuery(aRoute({ passesOn: true }), requestWith('id=a'))).toBeUndefined();
  });

  it('a query has only the parameters of the operation, once each unless they repeat', () => {
    const query = queryOf({ once: ['size', 'after'], repeated: ['id'] }, () => 'asked');
    const errorsOf = (text: string, route = aRoute({ query })) => {
      try {
        return parseQuery(route, apiRequest(machinePlatform, anEvent({ query: text }), ['SVC']));
      } catch (error) {
        return { ...(error as { errors: object }).errors };
      }
    };
    expect(errorsOf('size=1&id=a&id=b')).toBe('asked');
    expect(errorsOf('sise=1&ID=a')).toEqual({
      sise: ['is not a query parameter of this operation; did you mean `size`?'],
      ID: ['is not a query parameter of this operation; did you mean `id`?'],
    });
    expect(errorsOf('limit=1')).toEqual({
      limit: ['is not a query parameter of this operation; known here: `size`, `after`, `id`'],
    });
    expect(errorsOf('size=1&size=2')).toEqual({ size: ['appears twice'] });
    expect(errorsOf('size=1', aRoute())).toEqual({
      size: ['is not known; this operation has no query parameters'],
    });
  });
});
