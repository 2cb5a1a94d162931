import type { ErrorBody } from '../../../types/errors.ts';
import type { RunQuestion } from '../../../types/flow_run.ts';
import { isObject } from '../../../types/values/value.ts';
import { formOf } from './questions.ts';

/** How the answers of a user are sent. */
interface AnswerSender {
  fetch: typeof fetch;
  /** The address of the functions. */
  functionsUrl: string;
  headers: Record<string, string>;
}

/** The answer of a user to an elicitation. It comes from the client, so every member may be anything. */
interface Elicited {
  action?: unknown;
  content?: unknown;
}

/**
 * Sends the answers to open questions: an accepted form submits its content, and a declined or cancelled one cancels
 * the question. Other answers are ignored. Returns why answers were refused. The route checks who answers, and what.
 */
export async function answerQuestions(
  questions: RunQuestion[],
  responses: Record<string, unknown>,
  { fetch, functionsUrl, headers }: AnswerSender,
): Promise<string[]> {
  const faults: string[] = [];
  for (const question of questions) {
    const response = Object.hasOwn(responses, question.id) ? responses[question.id] as Elicited : undefined;
    const form = question.url === undefined ? undefined : formOf(question);
    if (form === undefined || !isObject(response)) continue;
    const { action, content } = response;
    if (action !== 'accept' && action !== 'decline' && action !== 'cancel') continue;
    const answer = await fetch(`${functionsUrl}/flow/submit/${question.url?.split('/').at(-1)}`, {
      headers: { ...headers, 'content-type': 'application/json' },
      ...(action === 'accept'
        ? { method: 'POST', body: JSON.stringify({ values: form.read(isObject(content) ? content : {}) ?? null }) }
        : { method: 'DELETE' }),
    });
    const body = await answer.json() as Partial<ErrorBody>;
    // Somebody else may have answered meanwhile.
    if (!answer.ok && answer.status !== 404) faults.push(String(body.message));
  }
  return faults;
}
