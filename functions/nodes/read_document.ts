import type { Context } from 'hono';
import { type HttpResponse, NodeError } from '../../runner/engine/node.ts';
import { isSuccess } from '../../runner/values/response_value.ts';
import { textOfBody } from '../../runner/values/response_text.ts';
import type { ReadDocument } from '../../types/described/document.ts';
import type { ReadForCaller } from './read_for_caller.ts';

/** Returns the text of an answer. Servers send YAML with many types, so every text in UTF-8 counts. */
function textOf({ status, headers, body }: HttpResponse): string {
  if (!isSuccess(status)) throw new NodeError(`status code: ${status}`);
  const text = textOfBody(body, headers['content-type'] ?? '') ?? textOfBody(body, 'text/plain');
  // A text without other control characters has at most twice its length as JSON.
  if (text !== undefined && !/[^\P{Cc}\t\n\r\x7f-\x9f]/u.test(text)) return text;
  throw new NodeError('the answer is not a text');
}

/** `POST /nodes/document`: reads a document for the caller. The caller's browser or shell makes definitions of it. */
export const makeReadDocument = (readForCaller: ReadForCaller) => async (context: Context): Promise<Response> => {
  const text = await readForCaller(context, {
    read: async ({ http, ...request }) => textOf(await http.request({ method: 'GET', headers: [], ...request })),
    hint: 'The address must be that of the document itself, not of a page that shows it.',
  });
  return context.json({ text } satisfies ReadDocument);
};
