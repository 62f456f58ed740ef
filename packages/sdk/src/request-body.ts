import { unlessAborted, type Signal } from './abort.ts';
import { isBytes } from './is-bytes.ts';
import { isRecord } from './is-record.ts';
import { jsonText } from './json-text.ts';

/** A body that every transport sends unchanged, with the type that `fetch` would name. */
export interface RequestBody {
  readonly body: string | Uint8Array | undefined;
  readonly type?: string | undefined;
}

/*
 * The parts of the platform's classes that are read here: the SDK needs neither the types of the
 * DOM nor those of Node.
 */
interface BlobLike {
  readonly type: string;
  arrayBuffer(): Promise<ArrayBuffer>;
}

interface StreamLike {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: unknown }>;
    cancel(): Promise<void>;
  };
}

/** `URLSearchParams` and `FormData`. */
interface FormLike {
  append(name: string, value: string): void;
  getAll(name: string): readonly unknown[];
}

/** Bodies that `fetch` sends too, besides text. */
export type PlatformBody =
  | ArrayBuffer
  | ArrayBufferView
  | BlobLike
  | FormLike
  | StreamLike
  | AsyncIterable<Uint8Array>;

type ResponseClass = new (body: unknown) => {
  readonly headers: { get(name: string): string | null };
  arrayBuffer(): Promise<ArrayBuffer>;
};

/** The chunks of a web stream: not every browser can iterate over one. */
async function* chunksOf(stream: StreamLike): AsyncGenerator {
  const reader = stream.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel();
  }
}

/** Everything that a stream has; as for `fetch`, its chunks are bytes. */
async function readAll(chunks: AsyncIterable<unknown>, signal: Signal | undefined): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) {
    if (signal?.aborted === true) break;
    if (!isBytes(chunk)) throw new TypeError('The chunks of a stream as body must be bytes');
    parts.push(chunk);
  }
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** A form as `fetch` sends it, with its own boundary. Throws `TypeError` where there is none. */
async function multipartOf(form: unknown): Promise<RequestBody> {
  const { Response } = globalThis as { readonly Response?: ResponseClass };
  const response = Response === undefined ? undefined : new Response(form);
  const type = response?.headers.get('content-type') ?? '';
  // A class of the same name that the platform does not know is only text for it.
  if (response === undefined || !type.startsWith('multipart/form-data'))
    throw new TypeError('FormData as body needs the one of Node.js 18 or of a browser');
  return { body: new Uint8Array(await response.arrayBuffer()), type };
}

/** A body of the platform; `undefined` for a value of another kind. */
async function platformBodyOf(value: unknown, signal: Signal | undefined): Promise<RequestBody | undefined> {
  if (ArrayBuffer.isView(value))
    return { body: new Uint8Array(value.buffer, value.byteOffset, value.byteLength) };
  // The name works for objects of another realm too.
  switch (Object.prototype.toString.call(value).slice(8, -1)) {
    case 'ArrayBuffer':
      return { body: new Uint8Array(value as ArrayBuffer) };
    case 'URLSearchParams':
      return { body: String(value), type: 'application/x-www-form-urlencoded;charset=UTF-8' };
    case 'Blob':
    case 'File': {
      const blob = value as BlobLike;
      const bytes = new Uint8Array(await blob.arrayBuffer());
      return { body: bytes, type: blob.type === '' ? undefined : blob.type };
    }
    case 'FormData':
      return multipartOf(value);
    case 'ReadableStream':
      return { body: await readAll(chunksOf(value as StreamLike), signal) };
  }
  const isIterable = isRecord(value) && Symbol.asyncIterator in value;
  return isIterable ? { body: await readAll(value as unknown as AsyncIterable<unknown>, signal) } : undefined;
}

/**
 * Encodes a body: text and bytes unchanged; forms, blobs and streams as `fetch` sends them; other
 * values as JSON. A stream is read whole before, and ends with the signal. Throws `TypeError` for a
 * value that none of these can express, and the reason of the signal.
 */
export async function requestBodyOf(value: unknown, signal: Signal | undefined): Promise<RequestBody> {
  if (value === undefined || typeof value === 'string' || isBytes(value)) return { body: value };
  const body = await unlessAborted(platformBodyOf(value, signal), signal);
  return body ?? { body: jsonText(value), type: 'application/json' };
}
