import { readField, readOptionalField, toBoolean, toText } from '../../../types/values/conversion.ts';
import type { Value, ValueMap } from '../../../types/values/value.ts';
import { type NodeModule, outputTooLarge } from '../../engine/node.ts';
import { compilePattern, findMatches } from '../../values/regex.ts';
import definition from './definition.json' with { type: 'json' };

/** The fewest bytes that a match takes in an output: `{"S":""},`. */
const MATCH_BYTES = 9;

const groupValue = (group: string | null | undefined): Value => group == null ? { N: 0 } : { S: group };

/** Finds a regular expression in a text. */
export const regexMatchNode: NodeModule = {
  definition,
  run: ({ inputs, maxOutputBytes, checkTime }) => {
    const text = readField(inputs, 'string', toText);
    const ignoreCase = readOptionalField(inputs, 'ignore_case', toBoolean) ?? false;
    const pattern = compilePattern(readField(inputs, 'pattern', toText), ignoreCase);
    const matches: Value[] = [];
    let first: (string | null)[] | undefined;
    for (const { groups } of findMatches(pattern, text)) {
      first ??= groups;
      matches.push({ S: groups[0]! });
      if (matches.length * MATCH_BYTES > maxOutputBytes) {
        throw outputTooLarge("the matches don't", maxOutputBytes);
      }
      if (matches.length % 1_000 === 0) checkTime();
    }
    const outputs: ValueMap = { matched: { B: first !== undefined }, matches: { A: matches } };
    if (first === undefined) return outputs;
    const named = Object.entries(pattern.names).map(([name, index]) => [name, groupValue(first[index])] as const);
    return {
      ...outputs,
      match: { S: first[0]! },
      groups: { A: first.slice(1).map(groupValue) },
      named_groups: { M: Object.fromEntries(named) },
    };
  },
};
