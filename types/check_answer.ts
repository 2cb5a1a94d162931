import { z } from 'zod';
import { type InputQuestion, withoutNotes } from './answer_schema.ts';
import { nodeLimits } from './limits/nodes.ts';

/** A fault of an answer: the path in the answer, such as `lines.0.price`, and a message. */
export interface AnswerFault {
  path: string;
  message: string;
}

/** Returns the faults of an answer in readable JSON; an empty list if the answer fits the question. */
export function faultsOfAnswer({ json_schema, choices }: Partial<InputQuestion>, answer: unknown): AnswerFault[] {
  if (choices && !choices.some((choice) => choice === answer)) {
    return [{ path: '', message: `must be one of ${choices.map((choice) => JSON.stringify(choice)).join(', ')}` }];
  }
  if (!json_schema) return [];
  const most = nodeLimits.checked_answer_bytes.value;
  if (new TextEncoder().encode(JSON.stringify(answer)).length > most) {
    return [{ path: '', message: `must have at most ${most} bytes of JSON, because it is checked against a schema` }];
  }
  // SAFETY: zod can read the schema, because `faultOfAnswerSchema` checked it when the node requested the answer.
  // Without `jitless`, zod would turn the schema into code.
  const schema = z.fromJSONSchema(withoutNotes(json_schema as Record<string, unknown>));
  const { error } = schema.safeParse(answer, { jitless: true });
  return (error?.issues ?? []).map(({ path, message }) => ({ path: path.map(String).join('.'), message }));
}
