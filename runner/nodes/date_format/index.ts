import type { NodeModule } from '../../engine/node.ts';
import { formatDate, readDate, readLocale, readShortText, readZone } from '../../values/dates.ts';
import definition from './definition.json' with { type: 'json' };

/** Writes a date and time as a text. */
export const dateFormatNode: NodeModule = {
  definition,
  run: ({ inputs }) => {
    const date = readDate(inputs, readZone(inputs)).setLocale(readLocale(inputs));
    const format = readShortText(inputs, 'format');
    return { text: { S: format === undefined ? date.toISO()! : formatDate(date, format) } };
  },
};
