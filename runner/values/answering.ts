import { ANSWERED_BY, type InputAnswering, isEmail } from '../../types/answer_schema.ts';
import { nodeLimits } from '../../types/limits/nodes.ts';
import { codedError } from '../../types/run_errors.ts';
import type { LosslessJson } from '../../types/values/value.ts';
import { formMember, NodeError } from '../engine/node.ts';

const MAX_ANSWERERS = nodeLimits.input_answerers.value;
const MAX_SHOWN = nodeLimits.input_shown_inputs.value;

const badConfig = (fault: string): NodeError => new NodeError(codedError('bad_config', fault));

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

/**
 * Reads who may answer: the member `answered_by` of form data. Without the setting, everybody who has the link may
 * answer.
 */
export function readAnsweredBy(given: LosslessJson | undefined): Pick<InputAnswering, 'answered_by' | 'answerers'> {
  if (given === undefined) return { answered_by: 'anyone_with_the_link' };
  const word = ANSWERED_BY.find((known) => known === given);
  if (word !== undefined) return { answered_by: word };
  if (isTexts(given) && given.length > 0 && given.length <= MAX_ANSWERERS && given.every(isEmail)) {
    return { answered_by: 'listed', answerers: given };
  }
  throw badConfig(
    `answered_by: must be ${ANSWERED_BY.join(', ')}, or a list of 1 to ${MAX_ANSWERERS} e-mail addresses`,
  );
}

/**
 * Reads from the form data who may answer, and which inputs of the run they see. Edges can't change these settings, so
 * a starter can't choose who approves.
 */
export function readAnswering(formData: LosslessJson): InputAnswering {
  const shown = formMember(formData, 'shown_inputs') ?? [];
  if (!isTexts(shown) || shown.length > MAX_SHOWN) {
    throw badConfig(`shown_inputs: must be a list of up to ${MAX_SHOWN} names of inputs`);
  }
  return { ...readAnsweredBy(formMember(formData, 'answered_by')), shown_inputs: shown };
}
