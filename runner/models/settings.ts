import { LosslessNumber, stringify } from 'lossless-json';
import { faultOfAnswerSchema } from '../../types/answer_schema.ts';
import { nodeLimits } from '../../types/limits/nodes.ts';
import { codedError } from '../../types/run_errors.ts';
import type { LosslessJson } from '../../types/values/value.ts';
import { formMember, NodeError } from '../engine/node.ts';
import { DIALECTS, type ModelSettings } from './model.ts';

const MAX_MODEL_CHARACTERS = nodeLimits.model_name_characters.value;

/** Makes the error for a setting of the form that is missing or invalid. */
export const badConfig = (fault: string): NodeError => new NodeError(codedError('bad_config', fault));

/** Reads a text of the form. An empty field counts as missing. */
function readText(formData: LosslessJson, name: string): string {
  const value = formMember(formData, name) ?? '';
  if (typeof value !== 'string' || value.trim() === '') throw badConfig(`${name}: must be a text`);
  return value.trim();
}

function readAddress(formData: LosslessJson): string {
  const text = readText(formData, 'base_url');
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw badConfig('base_url: must be an http or https address');
}

function readNumber(formData: LosslessJson, name: string, isRight: (value: number) => boolean, form: string) {
  const value = formMember(formData, name);
  if (value === undefined || value === null || value === '') return undefined;
  const number = value instanceof LosslessNumber ? Number(value.value) : Number.NaN;
  if (!isRight(number)) throw badConfig(`${name}: must be ${form}`);
  return number;
}

/** Reads the model and its settings from the form data of a node. The secret is opened by the caller. */
export function readModelSettings(formData: LosslessJson): Omit<ModelSettings, 'credential'> {
  const given = formMember(formData, 'dialect');
  const dialect = DIALECTS.find((name) => name === given);
  if (dialect === undefined) throw badConfig(`dialect: must be ${DIALECTS.join(' or ')}`);
  const model = readText(formData, 'model');
  if (model.length > MAX_MODEL_CHARACTERS) throw badConfig(`model: has more than ${MAX_MODEL_CHARACTERS} characters`);
  return {
    dialect,
    model,
    baseUrl: readAddress(formData),
    temperature: readNumber(formData, 'temperature', (value) => value >= 0 && value <= 2, 'a number from 0 to 2'),
    maxTokens: readNumber(
      formData,
      'max_tokens',
      (value) => Number.isSafeInteger(value) && value > 0,
      'a whole number from 1',
    ),
  };
}

/** Reads the schema of the answer from the form data of a node; undefined if the form has none. */
export function readResponseSchema(formData: LosslessJson): object | undefined {
  const value = formMember(formData, 'response_schema');
  if (value === undefined || value === null || value === '') return undefined;
  const schema: unknown = JSON.parse(stringify(value) ?? 'null');
  const isEmpty = typeof schema === 'object' && schema !== null && Object.keys(schema).length === 0;
  if (isEmpty) return undefined;
  const fault = faultOfAnswerSchema(schema);
  if (fault !== undefined) throw badConfig(fault.replace(/^json_schema/, 'response_schema'));
  // SAFETY: `faultOfAnswerSchema` accepts only objects.
  return schema as object;
}
