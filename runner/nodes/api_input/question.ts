import { faultOfAnswerSchema, type InputQuestion } from '../../../types/answer_schema.ts';
import { nodeLimits } from '../../../types/limits/nodes.ts';
import { codedError } from '../../../types/run_errors.ts';
import { readOptionalField, toArray, toMap, toText } from '../../../types/values/conversion.ts';
import { toReadableJson } from '../../../types/values/json/readable_json.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import { NodeError } from '../../engine/node.ts';

const MAX_CHOICES = nodeLimits.input_choices.value;
const MAX_CHOICE_CHARACTERS = nodeLimits.input_choice_characters.value;

const badConfig = (fault: string): NodeError => new NodeError(codedError('bad_config', fault));

/** Reads a text that people see. Returns null for an empty text. Counts characters as the database does. */
function readText(inputs: ValueMap, name: string, most: number): string | null {
  const text = readOptionalField(inputs, name, toText) ?? '';
  if ([...text].length > most) throw badConfig(`${name}: has more than ${most} characters`);
  return text === '' ? null : text;
}

function readSchema(inputs: ValueMap): object | null {
  const map = readOptionalField(inputs, 'json_schema', toMap);
  if (map === undefined || Object.keys(map).length === 0) return null;
  // SAFETY: the readable form of a map is an object.
  const schema = toReadableJson({ M: map }) as object;
  const fault = faultOfAnswerSchema(schema);
  if (fault !== undefined) throw badConfig(fault);
  return schema;
}

function readChoices(inputs: ValueMap): string[] | null {
  const list = readOptionalField(inputs, 'choices', toArray);
  if (list === undefined || list.length === 0) return null;
  const choices = list.map((choice) => 'S' in choice ? choice.S : undefined);
  const isRight = choices.length <= MAX_CHOICES && new Set(choices).size === choices.length &&
    choices.every((text) => text !== undefined && text !== '' && [...text].length <= MAX_CHOICE_CHARACTERS);
  if (!isRight) {
    throw badConfig(
      `choices: must be a list of up to ${MAX_CHOICES} different texts of 1 to ${MAX_CHOICE_CHARACTERS} characters`,
    );
  }
  return choices as string[];
}

/**
 * Reads the question of the node. Returns undefined if the node's inputs contain no question. Errors name the wrong
 * input.
 */
export function readQuestion(inputs: ValueMap): InputQuestion | undefined {
  const question: InputQuestion = {
    title: readText(inputs, 'title', nodeLimits.input_title_characters.value),
    description: readText(inputs, 'description', nodeLimits.input_description_characters.value),
    json_schema: readSchema(inputs),
    choices: readChoices(inputs),
  };
  if (question.json_schema !== null && question.choices !== null) {
    throw badConfig('choices: give either choices or json_schema');
  }
  return Object.values(question).some((part) => part !== null) ? question : undefined;
}
