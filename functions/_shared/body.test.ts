import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { MAX_BODY_BYTES, readBody } from './body.ts';

const schema = z.object({ text: z.string() });
const bytes = new TextEncoder().encode('{"text":"é"}');

/** Makes a request with these chunks as its body, with or without Content-Length. */
const requestOf = (chunks: Uint8Array[], headers: Record<string, string> = {}) =>
  new Request('http://project/', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: new ReadableStream({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(chunk);
        controller.close();
      },
    }),
    duplex: 'half',
  } as RequestInit);

const read = (request: Request) => readBody(request, schema);

it('reads a body with a length, and a body in chunks that end within a character', async () => {
  const middle = bytes.length - 3;
  expect(await read(requestOf([bytes], { 'content-length': String(bytes.length) }))).toEqual({ text: 'é' });
  expect(await read(requestOf([bytes.slice(0, middle), bytes.slice(middle)]))).toEqual({ text: 'é' });
});

it('refuses a body that ends within a character', async () => {
  const request = requestOf([bytes.slice(0, -3)]);
  await expect(read(request)).rejects.toMatchObject({ code: 'request_invalid', message: 'The body is not UTF-8.' });
});

it.each([
  ['declares its length', { 'content-length': String(MAX_BODY_BYTES + 1) }],
  ['declares no length', {}],
  ['is chunked and declares a smaller length', { 'content-length': '1', 'transfer-encoding': 'chunked' }],
])('refuses a body that is too large and %s', async (_what, headers) => {
  const half = new Uint8Array(MAX_BODY_BYTES / 2 + 1).fill(32);
  await expect(read(requestOf([half, half], headers))).rejects.toMatchObject({ code: 'body_too_large' });
});

it('reads a body whose chunks are single bytes', async () => {
  const text = JSON.stringify({ text: 'x'.repeat(10_000) });
  const chunks = Array.from(new TextEncoder().encode(text), (byte) => Uint8Array.of(byte));
  expect(await read(requestOf(chunks))).toEqual(JSON.parse(text));
});

it('refuses a body that is nested too deeply or holds too many values before parsing it', async () => {
  const parse = vi.spyOn(JSON, 'parse');
  const refused = (body: string) => expect(read(requestOf([new TextEncoder().encode(body)]))).rejects;
  await refused('['.repeat(137)).toMatchObject({ message: 'The body is nested deeper than 136 levels.' });
  await refused(`[${'0,'.repeat(300_000)}`).toMatchObject({ message: 'The body holds more than 300000 values.' });
  expect(parse).not.toHaveBeenCalled();
  parse.mockRestore();
});

it.each([
  ['{}', 'text: is missing'],
  ['{"text": 5}', 'text: must be a string'],
  ['{"text": null}', 'text: must be a string'],
  ['[]', 'must be an object'],
])('refuses the body %s with the expected form: %s', async (body, fault) => {
  await expect(read(requestOf([new TextEncoder().encode(body)]))).rejects.toMatchObject({
    message: `The body is invalid: ${fault}.`,
  });
});

it.each(['{}', '{"kind": "square"}'])('lists the kinds that a body may have for %s', async (body) => {
  const kinds = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('circle'), radius: z.number() }),
    z.object({ kind: z.literal('line'), length: z.number() }),
  ]);
  await expect(readBody(requestOf([new TextEncoder().encode(body)]), kinds)).rejects.toMatchObject({
    message: 'The body is invalid: kind: must be one of circle, line.',
  });
});
