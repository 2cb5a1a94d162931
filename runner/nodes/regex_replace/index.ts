import { readField, readOptionalField, toBoolean, toText } from '../../../types/values/conversion.ts';
import { type NodeModule, outputTooLarge } from '../../engine/node.ts';
import { compilePattern, fillReplacement, findMatches, readReplacement } from '../../values/regex.ts';
import definition from './definition.json' with { type: 'json' };

/** Replaces the matches of a regular expression in a text. */
export const regexReplaceNode: NodeModule = {
  definition,
  run: ({ inputs, maxOutputBytes, checkTime }) => {
    const text = readField(inputs, 'string', toText);
    const isSet = (name: string) => readOptionalField(inputs, name, toBoolean) ?? false;
    const pattern = compilePattern(readField(inputs, 'pattern', toText), isSet('ignore_case'));
    const replacement = readReplacement(readField(inputs, 'replacement', toText), pattern);
    const isFirstOnly = isSet('first_only');
    const parts: string[] = [];
    let [count, length, end] = [0, 0, 0];
    for (const match of findMatches(pattern, text)) {
      const kept = text.slice(end, match.start);
      const filled = fillReplacement(replacement, match, maxOutputBytes);
      parts.push(kept, filled ?? '');
      length += kept.length + (filled?.length ?? 0);
      end = match.end;
      count++;
      if (filled === undefined || length > maxOutputBytes) {
        throw outputTooLarge('the result does not', maxOutputBytes);
      }
      if (isFirstOnly) break;
      if (count % 1_000 === 0) checkTime();
    }
    return { result: { S: parts.join('') + text.slice(end) }, count: { U: String(count) } };
  },
};
