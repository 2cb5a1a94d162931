import { readField, toText } from '../../../types/values/conversion.ts';
import type { NodeModule } from '../../engine/node.ts';
import { dateOutputs, parseFormatted, parseIso, readShortText, readZone } from '../../values/dates.ts';
import definition from './definition.json' with { type: 'json' };

/** Reads a date and time from a text. */
export const dateParseNode: NodeModule = {
  definition,
  run: ({ inputs }) => {
    const text = readField(inputs, 'text', toText);
    const format = readShortText(inputs, 'format');
    const zone = readZone(inputs);
    return dateOutputs(format === undefined ? parseIso(text, zone, 'text') : parseFormatted(text, format, zone));
  },
};
